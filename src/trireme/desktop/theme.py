"""The look of the window: the Sun Valley theme for ttk, light or dark, where it is installed."""

from __future__ import annotations

import tkinter
from tkinter import ttk

THEMES = ("light", "dark")


def use_theme(root: tkinter.Tk, theme: str) -> None:
    """Draw all ttk widgets by a theme of `THEMES`; without the package sv-ttk, by Tk's own."""
    try:
        import sv_ttk
    except ImportError:
        ttk.Style(root).theme_use("clam")
        return
    sv_ttk.set_theme(theme, root)
