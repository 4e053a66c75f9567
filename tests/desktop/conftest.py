"""A virtual screen, and a hand that moves and clicks the mouse on it."""

import gc
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

tkinter = pytest.importorskip("tkinter", reason="this Python has no tkinter")

from trireme.desktop.game import DesktopGame  # noqa: E402
from trireme.desktop.window import Window  # noqa: E402
from trireme.gomoku.rules import Point  # noqa: E402

PATIENCE = 120.0
"""Seconds after which a condition that never comes true fails its test."""

SOCKETS = Path("/tmp/.X11-unix")
"""The folder of the screens' sockets, which the first one makes."""


@pytest.fixture(scope="session")
def screen() -> Iterator[str]:
    """The name of a display that nobody else uses."""
    missing = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"no virtual screen: {', '.join(missing)} not installed")
    readable, writable = os.pipe()
    command = ["Xvfb", "-displayfd", str(writable), "-screen", "0", "1024x768x24"]
    server = subprocess.Popen(
        [*command, "-nolisten", "tcp", "-noreset"], pass_fds=(writable,), stderr=subprocess.DEVNULL
    )
    os.close(writable)
    with os.fdopen(readable) as told:
        number = told.readline().strip()
    if not number:
        server.wait()
        pytest.skip("no virtual screen: Xvfb did not start")
    yield f":{number}"
    server.terminate()  # it removes its socket and its lock; killed it would not
    server.wait()
    with suppress(OSError):  # another screen uses it, or it is not ours to remove
        SOCKETS.rmdir()


class Hand:
    """What a person does: looks, moves the mouse, clicks, types."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.until(lambda: window.canvas.winfo_width() > 100)

    def until(self, seen: Callable[[], object]) -> None:
        """Let the window live until something is seen."""
        end = time.monotonic() + PATIENCE
        while not seen():
            assert time.monotonic() < end, self.window.status.cget("text")
            self.window.root.update()
            time.sleep(0.005)
        self.window.root.update()

    def click(self, point: Point) -> None:
        """Click a point of the board."""
        x, y = self.window._geometry().centre(point)
        self._click_at(self.window.canvas, int(x), int(y))

    def press(self, widget: "tkinter.Misc") -> None:
        """Click the middle of a button."""
        self.window.root.update()
        self._click_at(widget, widget.winfo_width() // 2, widget.winfo_height() // 2)

    def choose(self, name: str, value: str) -> None:
        """Choose from a drop-down."""
        box = self.window.boxes[name]
        box.set(value)
        box.event_generate("<<ComboboxSelected>>")
        self.window.root.update()

    def _click_at(self, widget: "tkinter.Misc", x: int, y: int) -> None:
        where = [str(widget.winfo_rootx() + x), str(widget.winfo_rooty() + y)]
        subprocess.run(["xdotool", "mousemove", *where, "click", "1"], check=True)
        self.window.root.update()

    def stones(self) -> int:
        return len(self.window.game.state.stones)

    def says(self, text: str) -> bool:
        return text in self.window.status.cget("text")


@pytest.fixture
def hand(screen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hand]:
    monkeypatch.setenv("DISPLAY", screen)
    made = Hand(Window(DesktopGame(records=tmp_path / "games")))
    yield made
    made.window.close()
    # Garbage is collected by any thread, a server's too, and Tk aborts the process where another
    # thread than its own frees what is left of a window.
    del made.window
    gc.collect()
