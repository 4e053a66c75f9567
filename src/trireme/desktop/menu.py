"""The menu bar of the window."""

from __future__ import annotations

import tkinter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any


@dataclass(frozen=True)
class MenuItem:
    """One entry of a menu: what it says and does, and the letter that does it with Ctrl."""

    label: str
    run: Callable[[], object]
    key: str = ""


def add_menu(root: tkinter.Tk, menus: Mapping[str, Sequence[MenuItem | None]]) -> tkinter.Menu:
    """Give the window a menu bar, and its keys; None separates two groups of items."""
    bar = tkinter.Menu(root, tearoff=False)
    for title, items in menus.items():
        menu = tkinter.Menu(bar, tearoff=False, name=title.lower())
        for item in items:
            if item is None:
                menu.add_separator()
                continue
            shown = f"Ctrl+{item.key.upper()}" if item.key else ""
            menu.add_command(label=item.label, command=item.run, accelerator=shown)
            if item.key:
                root.bind(f"<Control-{item.key}>", partial(_pressed, item.run))
        bar.add_cascade(label=title, menu=menu)
    root.configure(menu=bar)
    return bar


def _pressed(run: Callable[[], object], _: Any) -> None:
    run()
