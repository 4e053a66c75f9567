"""An advisor for a game played elsewhere: you enter the answers, it names the next shot."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from trireme.battleship.agents.shooting_agent import ShootingAgent, TargetView
from trireme.battleship.belief.posterior import Belief, FleetInference
from trireme.battleship.shots import Shot
from trireme.battleship.show.draw import percents
from trireme.battleship.show.pictures import Picture, heatmap
from trireme.core.errors import BadText, IllegalAction, unknown
from trireme.core.registry import make_agent

from .board import Cell, read_cell, write_cell
from .rules import Battleship, BattleshipState, Sea

EXACT_STEPS = 50_000_000
"""Steps of exact enumeration that a person waits for: a second or two."""
_ANSWERS = {"m": "miss", "miss": "miss", "o": "miss", "h": "hit", "hit": "hit", "x": "hit"}
_LINE = re.compile(r"(?:(?P<cell>[a-l]\s*\d{1,2})\s+)?(?P<answer>[a-z]+)\s*(?P<ship>.*)", re.I)


@dataclass
class Advisor:
    """Keeps the answers of a real game on one hidden board, and advises.

    >>> from trireme.battleship.rules import Battleship
    >>> advisor = Advisor(Battleship(5, 5))
    >>> advisor.tell("C3 hit")
    >>> print(f"{advisor.belief().cells[7]:.2f}")
    0.32
    """

    game: Battleship
    agent: ShootingAgent | None = None
    shots: list[Shot] = field(default_factory=list)
    rng: Generator = field(default_factory=lambda: np.random.default_rng(0))

    def __post_init__(self) -> None:
        board = self.game.boards[0]
        self._inference = FleetInference(board, uniform=self.game.placement == "uniform")
        if self.agent is None:
            agent = make_agent(self.game, "posterior")
            assert isinstance(agent, ShootingAgent)
            self.agent = agent

    @property
    def afloat(self) -> tuple[str, ...]:
        sunk = {shot.ship for shot in self.shots}
        return tuple(name for name in self.game.boards[0].names if name not in sunk)

    @property
    def over(self) -> bool:
        return not self.afloat

    def belief(self) -> Belief:
        """What the answers so far say of every cell."""
        return self._inference.posterior(
            tuple(self.shots), self.rng, entropy=True, limit=EXACT_STEPS
        )

    def shot(self) -> Cell:
        """The cell to fire at next."""
        assert self.agent is not None
        board = self.game.boards[0]
        uniform = self.game.placement == "uniform"
        target = TargetView(board, tuple(self.shots), uniform)
        return divmod(int(self.agent.aim(target, self.rng)[0]), board.cols)

    def tell(self, line: str, fired: Cell | None = None) -> None:
        """Enter an answer: `B7 miss`, `b7 h`, `B7 sunk destroyer`; `fired` is meant without a cell.

        An answer that no fleet could give is refused and changes nothing.
        """
        shot = self._read(line, fired)
        if not self.game.boards[0].holds(shot.cell):
            raise IllegalAction(f"{write_cell(shot.cell)} is not on the board")
        if any(shot.cell == old.cell for old in self.shots):
            raise IllegalAction(f"{write_cell(shot.cell)} has been shot at already")
        try:
            self._inference.posterior((*self.shots, shot), self.rng, limit=100_000, samples=2_000)
        except IllegalAction:
            raise IllegalAction(
                f"no fleet could answer {line.strip()!r} after all before"
            ) from None
        self.shots.append(shot)

    def _read(self, line: str, fired: Cell | None) -> Shot:
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise BadText(
                f"expected an answer such as 'B7 miss' or 'B7 sunk cruiser', not {line!r}"
            )
        cell = read_cell(match["cell"]) if match["cell"] else fired
        if cell is None:
            raise BadText(f"expected a cell before the answer, as in 'B7 miss', not {line!r}")
        answer, ship = match["answer"].lower(), match["ship"].strip().lower()
        if answer in ("s", "sunk", "sink", "sank"):
            return Shot(cell, "sunk", self._ship(ship))
        if answer not in _ANSWERS:
            raise unknown("answer", answer, ["miss", "hit", "sunk"])
        if ship:
            raise BadText(f"only a sinking names a ship; expected 'B7 {answer}', not {line!r}")
        return Shot(cell, "miss" if _ANSWERS[answer] == "miss" else "hit")

    def _ship(self, name: str) -> str:
        starts = [ship for ship in self.afloat if ship.startswith(name.removeprefix("the "))]
        if name in self.afloat:
            return name
        if len(starts) == 1:
            return starts[0]
        sizes = dict(zip(self.game.boards[0].names, self.game.boards[0].sizes, strict=True))
        sized = [ship for ship in self.afloat if str(sizes[ship]) == name]
        if sized:
            return sized[0]
        raise unknown("ship afloat", name, self.afloat)

    def undo(self) -> None:
        """Take the last answer back."""
        if not self.shots:
            raise IllegalAction("there is no answer to take back")
        self.shots.pop()

    def text(self, shot: Cell, belief: Belief) -> str:
        """The board of probabilities in percent, the next shot in brackets."""
        board = self.game.boards[0]
        heat = belief.cells.reshape(board.rows, board.cols).tolist()
        lines = percents(board, Sea(None, tuple(self.shots), self.afloat), heat, shot)
        bits = "" if belief.entropy is None else f"{belief.entropy:.1f} bits unknown"
        if belief.exact:
            bits += f", {belief.fleets:,.0f} fleets possible"
        return "\n".join([*lines, "", f"afloat: {', '.join(self.afloat)}", bits])

    def picture(self) -> Picture:
        """The same as a heatmap for notebooks."""
        sea = Sea(None, tuple(self.shots), self.afloat)
        view = self.game.view(BattleshipState((sea,)), 0)
        return heatmap(self.game, view, self.belief().cells, None if self.over else self.shot())
