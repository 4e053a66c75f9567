"""Agents that are external programs: the base class of all that run a command line as a process."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .errors import BadSpec
from .game import AnyGame
from .line_process import LineProcess
from .options import option


@dataclass
class ExternalAgent(ABC):
    """Runs a command line as a process, one for every game, and ends it with the game.

    A subclass speaks the protocol: `_handshake` after the start, `act` on a turn, and `goodbye`
    as the last line.
    """

    cmd: str = field(metadata={"help": "the command line to run"})
    startup: float = option(30.0, "seconds the program may take to start before it forfeits")

    name: ClassVar[str]
    web: ClassVar[bool] = False
    example: ClassVar[str]
    """A command line, for the error message where there is none."""
    goodbye: ClassVar[bytes]

    _process: LineProcess | None = field(default=None, init=False, repr=False, compare=False)
    _game: AnyGame | None = field(default=None, init=False, repr=False, compare=False)
    _printed: str = field(default="", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.cmd)
        except ValueError as error:
            raise BadSpec(f"cmd can't be read as a command line ({error}): {self.cmd!r}") from None
        if not words:
            raise BadSpec(
                f'{self.name} needs a command line, such as {self.name}:cmd="{self.example}"'
            )

    def prepare(self, game: AnyGame) -> None:
        """Start the program and wait until it is ready to play `game`, before the clock starts."""
        self.close()
        try:
            self._process = LineProcess(shlex.split(self.cmd))
        except OSError as error:
            raise BadSpec(f"can't run {self.cmd!r}: {error.strerror}") from error
        self._game = game
        self._handshake(self._process, game)

    @abstractmethod
    def _handshake(self, process: LineProcess, game: Any) -> None:
        """Tell the program the game; raise `ProcessFailed` if it does not get ready."""

    def _running(self, game: AnyGame) -> LineProcess:
        """The process that is ready to play `game`, started now if need be."""
        if self._process is None or self._game != game:
            self.prepare(game)
        assert self._process is not None
        return self._process

    def close(self) -> None:
        """End the process and its children."""
        if self._process is not None:
            self._process.end(self.goodbye)
            self._printed = self._process.take_stderr()
        self._process = None

    def take_output(self) -> str:
        """The end of what the program wrote to its standard error since the last call."""
        printed, self._printed = self._printed, ""
        return printed if self._process is None else printed + self._process.take_stderr()
