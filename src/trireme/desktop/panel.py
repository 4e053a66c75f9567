"""The panel beside the board: clocks, players and settings, buttons, and the list of moves."""

from __future__ import annotations

import tkinter
from collections.abc import Callable, Mapping
from functools import partial
from tkinter import ttk
from typing import Any

from trireme.core.registry import find
from trireme.core.session import PlayMode
from trireme.gomoku.rules import Gomoku, GomokuState

SEARCH_LEVELS = ("search:level=easy", "search:level=medium", "search:level=hard", "search")
EPSILONS = ("0", "0.02", "0.05", "0.1", "0.25")
SECONDS = ("0.3", "1", "2", "5", "10")
VARIANTS = ("standard", "freestyle", "swap2", "small")
ENGINE, NETWORKS = "search", ("dqn", "zero")
"""The evaluators of hints: the engine, or a network as a second opinion."""
SIDES = ("black", "white")
TYPED = (*SIDES, "seconds", "epsilon")
"""The boxes in which other values may be typed."""


class ControlPanel(ttk.Frame):
    """The widgets beside the board, by name; `chosen(name)` is called when a box has changed."""

    def __init__(
        self,
        parent: tkinter.Misc,
        chosen: Callable[[str], None],
        actions: Mapping[str, Callable[[], None]],
    ) -> None:
        super().__init__(parent, padding=12)
        self._chosen = chosen
        self.boxes: dict[str, ttk.Combobox] = {}
        self.buttons: dict[str, ttk.Button] = {}
        self.numbers = {"seconds": 1.0, "epsilon": 0.0}
        """The boxes that hold numbers, with the last that made sense."""
        self.columnconfigure(1, weight=1)
        self.clocks = [ttk.Label(self, anchor="center", padding=6) for _ in SIDES]
        for column, clock in enumerate(self.clocks):
            clock.grid(row=0, column=column, sticky="ew", pady=(0, 8))
        self._add_boxes()
        self._add_buttons(actions)
        self._add_moves()

    def _add_boxes(self) -> None:
        plain = [name for name in find("gomoku").agents if name not in ("search", "gomocup")]
        agents = (*plain, *SEARCH_LEVELS)
        for row, (name, label, values, value) in enumerate(
            (
                ("variant", "Variant", VARIANTS, "standard"),
                ("mode", "Mode", tuple(mode.value for mode in PlayMode), PlayMode.PVAI.value),
                ("side", "You play", SIDES, "black"),
                ("black", "Black agent", agents, "search"),
                ("white", "White agent", agents, "search"),
                ("seconds", "Seconds a move", SECONDS, "1"),
                ("epsilon", "ε (random moves)", EPSILONS, "0"),
            ),
            start=1,
        ):
            ttk.Label(self, text=label).grid(row=row, column=0, sticky="w", padx=(0, 8))
            self._box(self, name, values, value, 17).grid(row=row, column=1, sticky="ew", pady=2)

    def _box(
        self, parent: ttk.Frame, name: str, values: tuple[str, ...], value: str, width: int
    ) -> ttk.Combobox:
        state = "normal" if name in TYPED else "readonly"
        box = ttk.Combobox(parent, values=values, width=width, name=name, state=state)
        box.set(value)
        for event in ("<<ComboboxSelected>>", "<Return>", "<FocusOut>"):
            box.bind(event, partial(self._changed, name))
        self.boxes[name] = box
        return box

    def _changed(self, name: str, _: Any) -> None:
        self._chosen(name)

    def _add_buttons(self, actions: Mapping[str, Callable[[], None]]) -> None:
        row = ttk.Frame(self)
        row.grid(row=8, column=0, columnspan=2, sticky="ew", pady=8)
        for name, label in (("new", "New game"), ("undo", "Undo"), ("hints", "Hints")):
            button = ttk.Button(row, text=label, command=actions[name], name=name)
            button.pack(side="left", fill="x", expand=True, padx=(0, 4))
            self.buttons[name] = button
        self._box(row, "evaluator", (ENGINE, *NETWORKS), ENGINE, 6).pack(side="left")

    def _add_moves(self) -> None:
        self.rowconfigure(9, weight=1)
        frame = ttk.Frame(self)
        frame.grid(row=9, column=0, columnspan=2, sticky="nsew")
        columns = ("number", *SIDES)
        self.moves = ttk.Treeview(
            frame, columns=columns, show="headings", height=4, selectmode="none"
        )
        for column, heading, width in zip(
            columns, ("#", "Black", "White"), (40, 90, 90), strict=True
        ):
            self.moves.heading(column, text=heading)
            self.moves.column(column, width=width, anchor="center", stretch=column in SIDES)
        scrollbar = ttk.Scrollbar(frame, command=self.moves.yview)
        self.moves.configure(yscrollcommand=scrollbar.set)
        scrollbar.pack(side="right", fill="y")
        self.moves.pack(side="left", fill="both", expand=True)

    def take_number(self, name: str) -> str:
        """Take the number in a box; one that makes no sense is undone, and the answer says why."""
        most = 1.0 if name == "epsilon" else 3600.0
        text = self.boxes[name].get()
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if 0 <= number <= most:
            self.numbers[name] = number
            return ""
        self.boxes[name].set(f"{self.numbers[name]:g}")
        return f"{name} must be a number from 0 to {most:g}, not {text!r}"

    def show_moves(self, game: Gomoku, state: GomokuState) -> None:
        """List the stones in pairs, the newest in sight."""
        texts = [game.write(point) for point in state.stones]
        pairs = [(n // 2 + 1, *texts[n : n + 2]) for n in range(0, len(texts), 2)]
        rows = self.moves.get_children()
        shown = [tuple(map(str, self.moves.item(row, "values"))) for row in rows]
        if shown == [tuple(map(str, pair)) for pair in pairs]:
            return
        self.moves.delete(*rows)
        for pair in pairs:
            self.moves.insert("", "end", values=pair)
        self.moves.yview_moveto(1.0)

    def show_clock(self, seat: int, name: str, time: str, *, running: bool) -> None:
        """Show a seat's time, marked while it runs."""
        text = f"{'▶ ' if running else ''}{name} {time}"
        if self.clocks[seat].cget("text") != text:
            self.clocks[seat].configure(text=text)
