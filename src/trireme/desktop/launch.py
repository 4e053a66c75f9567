"""Opens the window, with a clear error where there is no screen or no tkinter."""

from __future__ import annotations

from trireme.core.errors import BadSpec


def launch() -> None:
    """Open the window and stay until it is closed."""
    try:
        import tkinter
    except ImportError:
        raise BadSpec(
            "this Python has no tkinter: install it, with python3-tk on Debian and Ubuntu"
        ) from None
    from .window import Window

    try:
        window = Window()
    except tkinter.TclError as error:
        raise BadSpec(f"no window can be opened here: {error}") from None
    window.run()
