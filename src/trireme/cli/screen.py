"""The terminal of one game: draws, prompts a person, reports what happened."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Mapping
from typing import Any

import typer
from rich.console import Console

from trireme.core.errors import AgentNotReady, IllegalAction, TriremeError
from trireme.core.forfeit import Forfeit, describe_error
from trireme.core.game import AnyAgent, AnyGame, Seat
from trireme.core.play import decide, prepare_agent
from trireme.core.registry import draw_text, find, load, make_agent
from trireme.core.session import Session
from trireme.core.terminal import Terminal


class QuitGame(Exception):
    """The player wants to stop here; the record keeps every move made."""


class TimeUp(Exception):
    """The clock ended before the line was finished."""


def prepare(agent: AnyAgent, game: AnyGame, label: str) -> None:
    """Prepare an agent; whatever its own code raises is one line for the person who asked."""
    try:
        prepare_agent(agent, game, label)
    except TriremeError:
        raise
    except Exception as error:
        why = describe_error(error)
        raise AgentNotReady(f"{label} can't play {game.name} here: {why}") from error


class GameScreen:
    """What people see and type. `people` are the seats that a person holds."""

    def __init__(
        self, session: Session, people: frozenset[Seat], *, pause: float, puzzle: bool = False
    ) -> None:
        self.session = session
        self.people = people
        self.seat: Seat = 0
        self.colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self.pause = pause
        self.puzzle = puzzle
        """In a puzzle there is no clock, no program to ask, and nothing is taken back."""
        self.terminal: Terminal = load(find(session.game.name).terminal)()
        self._hides = len(people) > 1 and self._has_secrets()

    def say(self, text: str) -> None:
        typer.echo(text)

    def ask(self, question: str) -> str:
        return self._line(question, None)

    def show(self, seat: Seat | None) -> None:
        self.say("\n" + draw_text(self.session.game, self.session.state, seat, colour=self.colour))

    @property
    def viewer(self) -> Seat | None:
        """Whose view is shown between turns: the only person's, else a spectator's."""
        return next(iter(self.people)) if len(self.people) == 1 else None

    def report_move(self, before: Any, actions: Mapping[Seat, Any]) -> None:
        """What the last move did, piece by piece."""
        story = self.terminal.story(
            self.session.game, before, actions, self.session.state, self.viewer, self.colour
        )
        for number, piece in enumerate(story):
            if number and self.pause:
                time.sleep(self.pause)
            self.say(piece)

    def name(self, seat: Seat) -> str:
        called = self.terminal.seat_name(self.session.game, self.session.state, seat)
        return f"{called} ({self.session.seats[seat]})"

    def choose(self, seat: Seat) -> Any:
        """A person's action: asked for until it is legal, or until the clock ends."""
        self.seat = seat
        self._hand_over(seat)
        self.show(seat)
        clock = None if self.puzzle else self.terminal.clock
        end = None if clock is None else time.monotonic() + clock
        draft: Any = None
        while True:
            try:
                text = self._line(self._prompt(draft, end), end).strip()
            except TimeUp:
                return self._time_up(draft)
            try:
                if draft is not None and text.lower() in ("", "ok", "yes", "y"):
                    return draft
                before = self.session
                action = self._answer(text) if text else None
                if self.session is not before or seat not in self.session.to_move:
                    return None
                if action is not None:
                    draft = action
                    if not self._draws_preview(draft):
                        return draft
            except TriremeError as error:
                self.say(f"  {error}")

    def _draws_preview(self, action: Any) -> bool:
        game = self.session.game
        view = game.view(self.session.state, self.seat)
        drawing = self.terminal.preview(game, view, self.seat, action, self.colour)
        if drawing is not None:
            self.say(drawing)
        return drawing is not None

    def _time_up(self, draft: Any) -> Any:
        if draft is not None:
            self.say("\n  Time is up: your last draft counts.")
            return draft
        self.say("\n  Time is up.")
        view = self.session.game.view(self.session.state, self.seat)
        return self.terminal.fallback(self.session.game, view, self.seat)

    def _prompt(self, draft: Any, end: float | None) -> str:
        left = "" if end is None else f" [{max(0, round(end - time.monotonic()))} s]"
        if draft is not None:
            return f"{self.name(self.seat)}{left}: Enter to play it, or another > "
        return f"{self.name(self.seat)}{left} > "

    def _answer(self, text: str) -> Any:
        """Run the command that `text` is; else read and check it as an action, and give that."""
        word, _, rest = text.partition(" ")
        word = word.lower()
        if word in ("quit", "exit", "q"):
            raise QuitGame
        if word in ("help", "?"):
            self._help()
        elif word == "board":
            self.show(self.seat)
        elif self.puzzle and word in self._refused():
            raise IllegalAction(f"{word} is not allowed in a puzzle")
        elif word == "undo":
            self._undo()
        elif word == "resign":
            self.session.forfeit(Forfeit(self.seat, "resigned", "gave the game up"))
        elif word in self.terminal.commands:
            return self.terminal.commands[word].run(self, rest.strip())
        elif word == "hint":
            self._hint(rest.strip())
        else:
            action = self.session.game.read(text)
            self.session.game.check(self.session.state, self.seat, action)
            return action
        return None

    def _refused(self) -> set[str]:
        """The commands that a puzzle does not allow."""
        asking = {word for word, command in self.terminal.commands.items() if command.asks}
        return asking | {"hint", "undo"}

    def _help(self) -> None:
        words = {
            "hint [AGENT]": "the move that an agent would play here",
            "board": "draw the board again",
            "resign": "give the game up",
            "quit": "leave; the record keeps every move",
        }
        if self.session.game.undoable:
            words["undo"] = "take back your last move, and the answer to it"
        if "hint" in self.terminal.commands:
            del words["hint [AGENT]"]
        words |= {word: command.help for word, command in self.terminal.commands.items()}
        if self.puzzle:
            refused = self._refused()
            words = {word: about for word, about in words.items() if word.split()[0] not in refused}
        self.say(f"  {self.terminal.typing or 'Type an action.'}")
        for word, about in words.items():
            self.say(f"  {word:<14} {about}")

    def _hint(self, spec: str) -> None:
        game = self.session.game
        agent = make_agent(game, spec or find(game.name).opponent)
        prepare(agent, game, agent.name)
        turn = self.session.turn(self.seat, 1.0)
        action, _ = decide(agent, turn)
        self.say(f"  {agent.name} would play {game.write(action)}")

    def _undo(self) -> None:
        """Back to this person's previous decision: one ply between people, a full move else."""
        self.session.undo(1)
        while self.session.moves and self.session.to_move[0] not in self.people:
            self.session.undo(1)
        if self.seat in self.session.to_move:
            self.show(self.seat)

    def _has_secrets(self) -> bool:
        game, state = self.session.game, self.session.state
        together = len(game.to_move(state)) > 1
        return together or not game.undoable

    def _hand_over(self, seat: Seat) -> None:
        """Between two people with secrets: clear the screen and wait for the next one."""
        if not self._hides or not sys.stdin.isatty():
            return
        self.ask("Press Enter to hand the keyboard over. ")
        Console().clear()
        self.ask(f"{self.name(seat)}: your turn. Press Enter when nobody else looks. ")

    def _line(self, prompt: str, end: float | None) -> str:
        sys.stdout.write(prompt)
        sys.stdout.flush()
        if end is not None and sys.stdin.isatty():
            ready, _, _ = select.select([sys.stdin], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeUp
        line = sys.stdin.readline()
        if not line:
            raise QuitGame
        return line
