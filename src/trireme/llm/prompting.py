"""Prompts: files with `$placeholders`, which a researcher can replace one by one.

system.md   who the model is, the rules, how to answer: $game $seat $seats $rules
turn.md     one decision: $view $legal $own_actions
choose.md   one decision among a network's candidates: $view $candidates $unit $own_actions
retry.md    why an answer was refused: $problem $example

A file of the same name in the folder of the option `prompts` takes the place of the one that ships.
"""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from trireme.core.errors import BadSpec
from trireme.core.game import Turn
from trireme.core.prose import rules_text, view_text

SHIPPED = Path(__file__).parent / "prompts"
PLACEHOLDERS = {
    "system": ("game", "seat", "seats", "rules"),
    "turn": ("view", "legal", "own_actions"),
    "choose": ("view", "candidates", "unit", "own_actions"),
    "retry": ("problem", "example"),
}


@dataclass(frozen=True)
class Prompts:
    """The templates of one agent."""

    templates: dict[str, Template]

    @classmethod
    def load(cls, folder: str) -> Prompts:
        """The prompts that ship, with those of `folder` in their place."""
        own = Path(folder) if folder else None
        if own is not None and not own.is_dir():
            raise BadSpec(f"there is no folder {folder!r} of prompts")
        made = {}
        for name, known in PLACEHOLDERS.items():
            file = SHIPPED / f"{name}.md"
            if own is not None and (own / file.name).is_file():
                file = own / file.name
            try:
                made[name] = Template(file.read_text(encoding="utf-8"))
                made[name].substitute(dict.fromkeys(known, ""))
            except KeyError as error:
                raise BadSpec(
                    f"{str(file)!r}: expected ${', $'.join(known)}, not ${error.args[0]}"
                ) from None
            except (OSError, UnicodeDecodeError) as error:
                raise BadSpec(f"can't read {str(file)!r}: {error}") from None
            except ValueError as error:
                raise BadSpec(f"{str(file)!r}: {error}; write $$ for a dollar sign") from None
        return cls(made)

    def fill(self, name: str, **values: object) -> str:
        """A prompt with its placeholders filled; `$` in the values stays as it is."""
        return self.templates[name].substitute(values)


def system_values(turn: Turn[Any, Any]) -> dict[str, object]:
    """What `system.md` is filled with."""
    game = turn.game
    return {
        "game": game.name,
        "seat": turn.seat,
        "seats": game.seats,
        "rules": rules_text(game),
    }


def turn_values(turn: Turn[Any, Any], own: list[str]) -> dict[str, object]:
    """What `turn.md` and `choose.md` are both filled with."""
    return {"view": view_text(turn.game, turn.view), "own_actions": ", ".join(own) or "none"}


def legal_text(turn: Turn[Any, Any], most: int) -> str:
    """All legal actions where there are `most` at most, else how many there are."""
    write = turn.game.write
    count = len(turn.legal) if isinstance(turn.legal, Sized) else None
    if count is not None and count <= most:
        return ", ".join(write(action) for action in turn.legal)
    known = "Too many to list" if count is None else f"{count}, too many to list"
    return f"{known}; the rules say which actions are legal."
