"""The rules of a game for players: one text for terminal, manual and web page, by its settings."""

from __future__ import annotations

import inspect
import re
import textwrap
from dataclasses import dataclass

from .game import AnyGame
from .registry import find, load


@dataclass(frozen=True)
class Figure:
    """A drawing on a grid: one character a cell, which each reader draws in its own way."""

    rows: tuple[str, ...]
    caption: str


@dataclass(frozen=True)
class RuleSection:
    """A part of the rules: paragraphs, terms with their meaning, figures."""

    title: str
    text: tuple[str, ...]
    """Paragraphs; `**bold**` and code in backticks are the only markup."""
    terms: tuple[tuple[str, str], ...] = ()
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Rulebook:
    """The rules of a game with its settings, short enough for one page."""

    title: str
    goal: str
    """How to win, in one or two sentences."""
    sections: tuple[RuleSection, ...]


def rulebook_of(game: AnyGame) -> Rulebook:
    """The rules of `game`; of a game that brings no rulebook, what its class says of itself."""
    place = find(game.name).rulebook
    if place is not None:
        made: Rulebook = load(place)(game)
        return made
    text = inspect.getdoc(type(game)) or find(game.name).summary
    goal, *rest = re.split(r"\n\s*\n", text)
    sections = (RuleSection("Rules", tuple(_joined(part) for part in rest)),) if rest else ()
    return Rulebook(game.name.replace("_", " ").capitalize(), _joined(goal), sections)


def in_text(book: Rulebook, width: int = 80) -> str:
    """The rules for a terminal."""
    lines = [book.title, "", *_wrapped(book.goal, width)]
    for section in book.sections:
        lines += ["", section.title.upper()]
        for paragraph in section.text:
            lines += _wrapped(paragraph, width)
        for term, meaning in section.terms:
            lines += textwrap.wrap(
                f"{_plain(term)}: {_plain(meaning)}",
                width,
                initial_indent="  ",
                subsequent_indent="    ",
            )
        for figure in section.figures:
            lines += ["", *("    " + " ".join(row) for row in figure.rows)]
            lines += _wrapped(figure.caption, width, "    ")
    return "\n".join(lines) + "\n"


def in_markdown(book: Rulebook, level: int = 2) -> str:
    """The rules as a part of a manual page, headings from `level` on."""
    parts = [f"{'#' * level} {book.title}", book.goal]
    for section in book.sections:
        parts += [f"{'#' * (level + 1)} {section.title}", *section.text]
        if section.terms:
            parts.append("\n".join(f"- **{term}**: {meaning}" for term, meaning in section.terms))
        for figure in section.figures:
            drawn = "\n".join(" ".join(row) for row in figure.rows)
            parts += [f"```text\n{drawn}\n```", figure.caption]
    return "\n\n".join(parts) + "\n"


def _joined(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    """The text without markup."""
    return re.sub(r"\*\*|`", "", text)


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(_plain(text), width, initial_indent=indent, subsequent_indent=indent)
