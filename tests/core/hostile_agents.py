"""Agents that try to see what their seat may not see, or to harm the referee; loaded by file.

Each spy of Battleship looks for the hidden fleet in its own way, fires at the ship cells that it
has found, and else at random.
"""

import ctypes
import gc
import os
import re
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

from trireme.battleship.board import cells_between
from trireme.battleship.fleets import Fleet
from trireme.battleship.shots import Salvo
from trireme.core.game import CHANCE
from trireme.core.seeding import stream

FLEET = re.compile(r"[A-L]\d{1,2}-[A-L]\d{1,2}(?: [A-L]\d{1,2}-[A-L]\d{1,2}){2,}")
"""A fleet as records write it."""


class Spy:
    """Fires at the fleet that `look` has found."""

    name = "spy"

    def __init__(self) -> None:
        self._found: list[Any] | None = None

    def look(self, turn: Any) -> list[Fleet]:
        """Fleets that may be the hidden one."""
        raise NotImplementedError

    def act(self, turn: Any) -> Any:
        if self._found is None:
            self._found = [cell for fleet in self.look(turn) for cell in _cells(fleet)]
        for cell in self._found:
            if Salvo((cell,)) in turn.legal:
                return Salvo((cell,))
        return turn.legal.sample(turn.rng)


def _cells(fleet: Fleet) -> list[Any]:
    return [cell for ship in fleet.ships for cell in cells_between(ship)]


class SeedSpy(Spy):
    """Replays nature's draw from every whole number that it finds in its generator."""

    def look(self, turn: Any) -> list[Fleet]:
        sequence = turn.rng.bit_generator.seed_seq
        numbers = {0, 1, *_numbers(vars(sequence) if hasattr(sequence, "__dict__") else {})}
        numbers |= {getattr(sequence, "entropy", 0) or 0}
        numbers |= set(_numbers(turn.rng.bit_generator.state))
        start = turn.game.start()
        return [turn.game.draw(start, stream(abs(n), CHANCE)) for n in numbers]


def _numbers(value: Any) -> list[int]:
    if isinstance(value, int):
        return [value]
    if isinstance(value, bytes):
        return [int.from_bytes(value, "big"), int.from_bytes(value, "little")]
    if isinstance(value, dict):
        return [n for part in value.values() for n in _numbers(part)]
    return []


class FrameSpy(Spy):
    """Walks up the stack and looks at every local variable."""

    def look(self, turn: Any) -> list[Fleet]:
        found: list[Fleet] = []
        frame = sys._getframe()
        while frame is not None:
            for value in list(frame.f_locals.values()):
                found += _fleets(value)
            frame = frame.f_back  # type: ignore[assignment]
        return found


class GarbageSpy(Spy):
    """Asks the garbage collector for every fleet, state and session in the process."""

    def look(self, turn: Any) -> list[Fleet]:
        return [fleet for thing in gc.get_objects() for fleet in _fleets(thing)]


class ModuleSpy(Spy):
    """Looks through the globals of all modules."""

    def look(self, turn: Any) -> list[Fleet]:
        return [
            fleet
            for module in list(sys.modules.values())
            for value in list(vars(module).values())
            for fleet in _fleets(value)
        ]


def _fleets(value: Any) -> list[Fleet]:
    if isinstance(value, Fleet):
        return [value]
    try:
        parts = (getattr(value, "state", None), value)
        seas = [sea for part in parts for sea in getattr(part, "seas", None) or ()]
        return [sea.fleet for sea in seas if isinstance(getattr(sea, "fleet", None), Fleet)]
    except Exception:  # some objects do not like to be looked at
        return []


class ProcessSpy(Spy):
    """Reads the memory and the open files of its parents through `/proc`."""

    def look(self, turn: Any) -> list[Fleet]:
        texts = []
        for pid in (os.getppid(), *_parents()):
            for path in (f"/proc/{pid}/mem", f"/proc/{pid}/fd/0"):
                try:
                    with open(path, "rb") as file:
                        texts.append(file.read(1 << 16).decode(errors="ignore"))
                except OSError:
                    continue
        return _read(turn, texts)


class FileSpy(Spy):
    """Reads what lies in the working folder and in the folder for temporary files."""

    def look(self, turn: Any) -> list[Fleet]:
        texts = []
        for root in (Path.cwd(), Path(os.environ.get("TMPDIR", "/tmp"))):
            found = (Path(folder) / name for folder, _, names in os.walk(root) for name in names)
            for path in islice(found, 20_000):  # files of other tests may vanish meanwhile
                try:
                    if path.is_file() and time.time() - path.stat().st_mtime < 60:
                        texts.append(path.read_bytes()[: 1 << 20].decode(errors="ignore"))
                except OSError:
                    continue
        return _read(turn, texts)


class RunFolderSpy(Spy):
    """Reads the run folder: the records, and the seed, from which it draws the fleet of the first
    game that has no record yet."""

    def look(self, turn: Any) -> list[Fleet]:
        from trireme.arena import resume  # the other agents' processes start without it

        fleets: list[Fleet] = []
        for head in Path.cwd().rglob("match.json"):
            try:
                folder = resume(head.parent)
            except ValueError:
                continue
            seeds = [f.seed for f in folder.fixtures if not folder.record_path(f.number).exists()]
            fleets.append(turn.game.draw(turn.game.start(), stream(seeds[0], CHANCE)))
        records = sorted(Path.cwd().rglob("records/*"), key=lambda r: -r.stat().st_mtime_ns)
        return fleets + _read(turn, [record.read_text() for record in records])


def _parents() -> list[int]:
    found, pid = [], os.getpid()
    while pid > 1:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            break
        found.append(pid)
    return found


def _read(turn: Any, texts: list[str]) -> list[Fleet]:
    return [turn.game.read(text) for found in texts for text in FLEET.findall(found)]


class Plain:
    """Does nothing wrong."""

    name = "plain"

    def act(self, turn: Any) -> Any:
        return turn.legal.sample(turn.rng)


class Unmade(Plain):
    def __init__(self) -> None:
        sys.exit("not me")


class Stranger(Plain):
    games = ("chess", "go")


class Cell(Plain):
    """Fires at the same cell for ever, and gives it as (row, col)."""

    def act(self, turn: Any) -> Any:
        return (1, 6)


class Interrupts(Plain):
    def act(self, turn: Any) -> Any:
        raise KeyboardInterrupt


class Unprintable(Plain):
    def act(self, turn: Any) -> Any:
        raise _Unprintable


class _Unprintable(BaseException):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Huge(Plain):
    def act(self, turn: Any) -> Any:
        raise RuntimeError("x" * 50_000_000)


class Surrogates(Plain):
    def act(self, turn: Any) -> Any:
        raise RuntimeError("\udc80\ud800")


class Odd:
    """An action that can't even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class OddAction(Plain):
    def act(self, turn: Any) -> Any:
        return Odd()


class Blames(Plain):
    """Tries to make the other seat forfeit."""

    def act(self, turn: Any) -> Any:
        from trireme.core.forfeit import Forfeit

        raise Forfeit(1 - turn.seat, "illegal", "it was the other one")


class Hog(Plain):
    def act(self, turn: Any) -> Any:
        return [bytes(1 << 28) for _ in range(10_000)]


class Chatter(Plain):
    def act(self, turn: Any) -> Any:
        print("y" * 4_000_000)
        return super().act(turn)


class Forger(Plain):
    """Writes into the pipe of its answers by itself."""

    def act(self, turn: Any) -> Any:
        for number in range(3, 10):
            try:
                os.write(number, b'{"action": "a1"}\n' * 3)
            except OSError:
                continue
        return super().act(turn)


class Parent(Plain):
    """Leaves a child behind that would live for ever."""

    def act(self, turn: Any) -> Any:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        Path(os.environ["HOSTILE_CHILD"]).write_text(str(child.pid))
        return super().act(turn)


class Kills(Plain):
    """Kills itself in a way that no `except` sees."""

    def act(self, turn: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)
        ctypes.string_at(0)
