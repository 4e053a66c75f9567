"""The rules as players read them: one text, with the settings of the game in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from trireme.core.registry import BUILT_IN, find, make_game
from trireme.core.rulebook import Figure, Rulebook, RuleSection, in_markdown, in_text, rulebook_of


def told(game: str, **settings: Any) -> str:
    return " ".join(in_text(rulebook_of(make_game(game, **settings))).split())


@pytest.mark.parametrize("game", BUILT_IN)
def test_every_variant_has_rules_that_fit_on_one_page(game: str) -> None:
    for variant in (None, *find(game).variants):
        book = rulebook_of(make_game(game, variant))
        assert book.goal.endswith(".")
        assert len(in_text(book).splitlines()) < 140
        for section in book.sections:
            for figure in section.figures:
                assert len({len(row) for row in figure.rows}) == 1, section.title


def test_gomoku_says_what_wins_under_the_rooms_rule() -> None:
    assert "Six or more win nothing" in told("gomoku")
    assert "Six or more win nothing" not in told("gomoku", rule="freestyle")
    assert "five or more stones" in told("gomoku", rule="freestyle")
    assert "9 by 9 lines" in told("gomoku", size=9)
    assert "SWAP2" in told("gomoku", opening="swap2")
    assert "SWAP2" not in told("gomoku")


def test_battleship_says_how_the_room_fires_and_places() -> None:
    assert "Your score is the number of shots" in told("battleship")
    assert "The sides fire in turn" in told("battleship", duel=True)
    assert "Both sides fire at the same time" in told("battleship", duel=True, simultaneous=True)
    assert "Ships may touch" in told("battleship", touching=True)
    assert "Salvo".upper() in told("battleship", duel=True, salvo=True)
    assert "hides 5 mines" in told("battleship", mines=5)
    assert "second side's board has 10 by 9" in told(
        "battleship", duel=True, rows=8, cols=12, rival_rows=10, rival_cols=9
    )


def test_navigation_shows_the_ships_the_balls_and_the_hazards() -> None:
    text = told("navigation", ships=("sloop", "war_frigate"))
    assert "Sloop (first): 10 hit points, range 2, 1 small ball a broadside: 1 damage" in text
    assert "War frigate (second): 30 hit points, range 4, 2 large balls a broadside" in text
    for word in ("Wind", "Whirlpool", "Small rock", "Large rock", "Large ball: 4 hit points"):
        assert word in text
    assert "may fire 4 shots" in told("navigation", ammo_per_turn=4)
    assert "costs 1 hit points" in told("navigation", ram_damage=1)
    assert "keeps the part of its path" in told("navigation", turns="advance")
    assert "After 12 turns" in told("navigation", turn_limit=12)


BOOK = Rulebook(
    "Heap",
    "Take the **last** one.",
    (
        RuleSection(
            "Taking",
            ("Take `1` to 3.",),
            (("Heap", "what is left"),),
            (Figure(("..", ".X"), "A heap."),),
        ),
    ),
)


def test_a_rulebook_for_a_terminal_has_no_markup() -> None:
    assert in_text(BOOK).splitlines() == [
        "Heap",
        "",
        "Take the last one.",
        "",
        "TAKING",
        "Take 1 to 3.",
        "  Heap: what is left",
        "",
        "    . .",
        "    . X",
        "    A heap.",
    ]


def test_a_rulebook_for_the_manual_is_markdown() -> None:
    assert in_markdown(BOOK) == (
        "## Heap\n\nTake the **last** one.\n\n### Taking\n\nTake `1` to 3.\n\n"
        "- **Heap**: what is left\n\n```text\n. .\n. X\n```\n\nA heap.\n"
    )


def test_a_game_without_a_rulebook_says_what_its_class_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @dataclass(frozen=True)
    class Nim:
        """Take the last one.

        Each turn takes one
        to three.
        """

        name: str = "gomoku"

    from dataclasses import replace

    bare = replace(find("gomoku"), rulebook=None)
    monkeypatch.setattr("trireme.core.rulebook.find", lambda _: bare)
    book = rulebook_of(Nim())  # type: ignore[arg-type]
    assert book.goal == "Take the last one."
    assert [s.text for s in book.sections] == [("Each turn takes one to three.",)]
