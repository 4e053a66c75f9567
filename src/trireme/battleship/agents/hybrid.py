"""Hybrid: density, parity, Monte Carlo and a network blended, with exact search at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.belief.determinization import sunk_cells
from trireme.battleship.belief.posterior import LIMIT
from trireme.battleship.board import Board, Cell, Place
from trireme.core.options import option

from . import heatmap
from .density import counted
from .gunner import Floats, Sight
from .posterior import Believing

TRIES = 20
"""How often a sample tries to find a place for one ship."""


@dataclass(frozen=True)
class Picture:
    """What the hybrid agent works out before it chooses: its inner state, for looking at."""

    grid: NDArray[np.int8]
    """int8[rows, cols]: -1 miss, 0 unknown, 1 hit."""
    open_hits: tuple[Cell, ...]
    """Hits on ships that are still afloat, the latest last."""
    sunk: tuple[tuple[str, int], ...]
    """Ships sunk, by name and size."""
    afloat: tuple[int, ...]
    """Sizes afloat, largest first."""
    line: tuple[Cell, ...]
    """The line of hits that target mode follows; one hit or none where there is no line."""
    ends: tuple[Cell, ...]
    """Where the line may go on: ends that are not blocked."""

    @property
    def mode(self) -> str:
        return "target" if self.open_hits else "hunt"

    def __str__(self) -> str:
        marks = {-1: "○", 0: "·", 1: "✕"}
        lines = [" ".join(marks[int(v)] for v in row) for row in self.grid]
        sunk = ", ".join(f"{name} ({size})" for name, size in self.sunk) or "none"
        lines += [f"mode {self.mode}", f"afloat {self.afloat}", f"sunk {sunk}"]
        return "\n".join([*lines, f"line {self.line}", f"open ends {self.ends}"])


@dataclass
class Hybrid(Believing):
    """Blends density, parity, samples and a network; enumerates when little is left."""

    name: ClassVar[str] = "hybrid"

    samples: int = option(40, "random fleets for the Monte-Carlo part; three times as many late")
    network: bool = option(True, "use the heatmap network, where its weights are here")

    def aim(self, sight: Sight, rng: Generator) -> Sequence[int]:
        chosen: list[int] = []
        scores = self.scores(sight, rng)
        for _ in range(sight.salvo):
            top = np.flatnonzero(scores >= scores.max() - 1e-12)
            chosen.append(int(top[rng.integers(len(top))]))
            scores[chosen[-1]] = -np.inf
        return chosen

    def rehearse(self, sight: Sight) -> None:
        rng = np.random.default_rng(0)
        self.aim(sight, rng)
        self.believer(sight).believe(sight.shots, rng, limit=1_000, samples=16)

    def scores(self, sight: Sight, rng: Generator) -> Floats:
        """float64[rows × cols]: the higher, the better the shot; -inf where one was fired."""
        seen = picture(sight)
        left = sum(seen.afloat) - len(seen.open_hits)
        heat = self._heat(sight)
        if left <= 4 or len(seen.afloat) == 1:
            blend = self._endgame(sight, rng) + 1e-6 * heat
        else:
            blend = self._blend(sight, seen, heat, rng)
        return np.where(sight.open, blend, -np.inf)

    def _endgame(self, sight: Sight, rng: Generator) -> Floats:
        """Few ship cells are left: all fleets that agree, counted."""
        return self.believer(sight).believe(sight.shots, rng, limit=LIMIT).cells

    def _blend(self, sight: Sight, seen: Picture, heat: Floats, rng: Generator) -> Floats:
        board = sight.board
        worth = 100.0 ** np.arange(1 + max(board.sizes), dtype=np.float64)
        grid = _normal(np.where(sight.open, counted(sight, worth, apart=True), 0.0))
        hunting = not seen.open_hits
        if hunting:
            grid *= _parity(sight, seen)
        grid += (0.6 if hunting else 0.2) * grid.max() * heat
        count = self.samples * (3 if len(seen.afloat) <= 2 else 1)
        chance = monte_carlo(sight, seen, count, rng)
        grid += (0.3 if hunting else 0.5) * grid.max() * chance
        bonus = 2 * grid.max()
        for row, col in seen.ends:
            cell = row * board.cols + col
            grid[cell] += bonus * (grid[cell] > 0)
        return grid

    def _heat(self, sight: Sight) -> Floats:
        nothing = np.zeros(sight.board.rows * sight.board.cols)
        if not self.network:
            return nothing
        found = heatmap.probabilities(sight.board, sight.shots)
        return nothing if found is None else _normal(found.reshape(-1))


def picture(sight: Sight) -> Picture:
    """The grid, the ships and the line that target mode would follow."""
    board = sight.board
    grid = np.zeros((board.rows, board.cols), np.int8)
    for shot in sight.shots:
        grid[shot.cell] = 1 if shot.result in ("hit", "sunk") else -1
    sunk = sunk_cells(board, sight.shots)
    hits = tuple(
        shot.cell for shot in sight.shots if grid[shot.cell] == 1 and shot.cell not in sunk
    )
    gone = {shot.ship for shot in sight.shots}
    ships = list(zip(board.names, board.sizes, strict=True))
    line = _line(hits)
    return Picture(
        grid,
        hits,
        tuple((name, size) for name, size in ships if name in gone),
        tuple(size for name, size in ships if name not in gone),
        line,
        _ends(board, grid, line),
    )


def _line(hits: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The hits in line with the latest one, or it alone."""
    if not hits:
        return ()
    row, col = hits[-1]
    lines = []
    for down, right in ((0, 1), (1, 0)):
        line = [(row, col)]
        for sign in (1, -1):
            step = 1
            while (row + sign * step * down, col + sign * step * right) in hits:
                line.append((row + sign * step * down, col + sign * step * right))
                step += 1
        lines.append(tuple(sorted(line)))
    return max(lines, key=len)


def _ends(board: Board, grid: NDArray[np.int8], line: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The open cells next to the line: its two ends, or four neighbours of a lone hit."""
    if not line:
        return ()
    (row, col), (last_row, last_col) = line[0], line[-1]
    near = [(row, col - 1), (last_row, last_col + 1)] if row == last_row else []
    near += [(row - 1, col), (last_row + 1, last_col)] if col == last_col else []
    return tuple(cell for cell in near if board.holds(cell) and grid[cell] == 0)


def _parity(sight: Sight, seen: Picture) -> Floats:
    """1 on diagonals that every ship afloat must cross: of all offsets the one soonest shot out."""
    stride = min(seen.afloat)
    cells = np.arange(sight.board.rows * sight.board.cols)
    diagonal = (cells // sight.board.cols + cells % sight.board.cols) % stride
    left = np.bincount(diagonal[sight.open], minlength=stride)
    left[left == 0] = len(cells)
    return np.where(diagonal == left.argmin(), 1.0, 0.0)


def monte_carlo(sight: Sight, seen: Picture, count: int, rng: Generator) -> Floats:
    """How often each cell held a ship in random fleets that cover all open hits, 0 to 1.

    Ships are laid largest first, each with up to 20 tries; a sample that can't lay one, or leaves
    a hit uncovered, is thrown away.
    """
    board = sight.board
    hits = sum(map(board.bit, seen.open_hits))
    water = 0
    for shot in sight.shots:
        if shot.cell not in seen.open_hits:
            water |= board.bit(shot.cell)
    options = [
        [p for p in board.places(size) if not p.mask & water and p.mask & ~hits]
        for size in seen.afloat
    ]
    total = np.zeros(board.rows * board.cols)
    kept = 0
    for _ in range(count):
        ships = _lay(board, options, hits, rng)
        if ships:
            kept += 1
            total += np.array([ships >> cell & 1 for cell in range(len(total))], np.float64)
    return np.where(sight.open, total / max(kept, 1), 0.0)


def _lay(board: Board, options: list[list[Place]], hits: int, rng: Generator) -> int:
    """One sample as a mask of cells, 0 when it failed."""
    ships, closed = 0, 0
    for places in options:
        wanted = [p for p in places if p.mask & hits & ~ships] if rng.random() < 0.5 else places
        for _ in range(TRIES if wanted else 0):
            place = wanted[int(rng.integers(len(wanted)))]
            if not place.mask & closed and not board.closed(place) & hits & ~place.mask & ~ships:
                ships |= place.mask
                closed |= board.closed(place)
                break
        else:
            return 0
    return ships if not hits & ~ships else 0


def _normal(scores: Floats) -> Floats:
    most = scores.max()
    return scores / most if most > 0 else scores
