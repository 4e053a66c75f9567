"""A game on this machine: the client in one seat, agents in the others."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from trireme.core.errors import IllegalAction
from trireme.core.forfeit import Forfeit
from trireme.core.game import AnyAgent, AnyGame, Seat, close
from trireme.core.options import settings
from trireme.core.play import decide, prepare_agent
from trireme.core.prose import view_text
from trireme.core.registry import find, make_agent
from trireme.core.session import HUMAN, Session
from trireme.server.workers.tasks import CheckAgent, WorkerCache

from .position import HeldGame, ShownPosition, listed, outcome


def checked_agent(game: AnyGame, spec: str) -> AnyAgent:
    """The agent of a spec that a client sent: as in the web app, none that starts programs, costs
    money or reads files, and no option that names one."""
    CheckAgent(game.name, settings(game), spec).prepare(WorkerCache())
    return make_agent(game, spec)


class LocalGame(HeldGame):
    """One game in this process. Calls from several threads take turns."""

    def __init__(
        self, game_id: str, game: AnyGame, seat: Seat, opponent: str | None, seconds: float
    ) -> None:
        if not 0 <= seat < game.seats:
            raise IllegalAction(f"seat must be from 0 to {game.seats - 1}, not {seat}")
        self.game_id, self.game, self.seat, self._seconds = game_id, game, seat, seconds
        spec = opponent or find(game.name).opponent
        self._agents: dict[Seat, AnyAgent] = {}
        for other in range(game.seats):
            if other != seat:
                self._agents[other] = checked_agent(game, spec)
                prepare_agent(self._agents[other], game, spec)
        names = [HUMAN if s == seat else spec for s in range(game.seats)]
        self._session = Session(game, names)
        self._decided: list[int] = []
        self._lock = threading.Lock()
        with self._lock:
            self._let_agents_play()

    def close(self) -> None:
        close(self._agents.values())

    def position(self) -> ShownPosition:
        with self._lock:
            return self._position()

    def act(self, action: str) -> ShownPosition:
        with self._lock:
            session = self._session
            self._require_turn()
            chosen = self.game.read(action)
            self.game.check(session.state, self.seat, chosen)
            self._decided.append(session.moves)
            self._move({self.seat: chosen})
            self._let_agents_play()
            return self._position()

    def hint(self, agent: str | None, seconds: float) -> tuple[str, str]:
        with self._lock:
            self._require_turn()
            spec = agent or find(self.game.name).opponent
            helper = checked_agent(self.game, spec)
            try:
                prepare_agent(helper, self.game, spec)
                action, _ = decide(helper, self._session.turn(self.seat, seconds))
            finally:
                close([helper])
            return spec, self.game.write(action)

    def undo(self) -> ShownPosition:
        with self._lock:
            if not self._decided:
                raise IllegalAction("there is no decision of yours to take back")
            self._session.undo(self._session.moves - self._decided[-1])
            self._decided.pop()
            return self._position()

    def record(self) -> str:
        with self._lock:
            if not self._session.over:
                raise IllegalAction("the record can be read when the game is over")
            return self._session.record.text

    def _require_turn(self) -> None:
        if self._session.over:
            raise IllegalAction("the game is over")
        if self.seat not in self._session.to_move:
            raise IllegalAction("it is not your turn")

    def _let_agents_play(self) -> None:
        while not self._session.over and self.seat not in self._session.to_move:
            self._move({})

    def _move(self, own: Mapping[Seat, Any]) -> None:
        """One move: the client's action, if it is to move, and those of the agents to move."""
        session = self._session
        actions = dict(own)
        try:
            for other in session.to_move:
                if other not in actions:
                    turn = session.turn(other, self._seconds)
                    actions[other], _ = decide(self._agents[other], turn)
            session.move(actions)
        except Forfeit as fault:
            session.forfeit(fault)

    def _position(self) -> ShownPosition:
        session, game = self._session, self.game
        mine = self.seat in session.to_move
        faults = [f"Seat {f.seat} forfeited ({f.reason})." for f in session.forfeits]
        return ShownPosition(
            self.game_id,
            game.name,
            self.seat,
            "over" if session.over else "your turn" if mine else "their turn",
            view_text(game, game.view(session.state, self.seat)),
            listed(game, game.legal(session.state, self.seat)) if mine else None,
            session.moves,
            outcome(session.returns, self.seat, faults) if session.over else None,
        )
