"""Hybrid: density, parity, Monte Carlo and a network blended, with exact search at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.belief.constraints import sunk_cells
from trireme.battleship.belief.posterior import LIMIT
from trireme.battleship.board import Board, Cell, ShipPlacement
from trireme.core.options import option

from . import heatmap
from .belief_agent import BeliefAgent
from .density import placement_density
from .shooting_agent import Floats, TargetView, top_cells

TRIES = 20
"""Random placements that a sample tries for one ship before it is rejected."""


@dataclass(frozen=True)
class HuntTargetState:
    """Hunt or target mode, and the facts behind it that the hybrid agent fires by."""

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
class Hybrid(BeliefAgent):
    """Blends density, parity, rejection samples and a network; exact posterior in the endgame."""

    name: ClassVar[str] = "hybrid"

    samples: int = option(
        40,
        "random fleets of the Monte-Carlo part, three times as many late; more: better, but slower",
    )
    network: bool = option(
        False, "blend in the heatmap network where it is installed; slower, and no gain was shown"
    )

    def aim(self, target: TargetView, rng: Generator) -> Sequence[int]:
        return top_cells(self.scores(target, rng), target, rng)

    def warm_up(self, target: TargetView) -> None:
        rng = np.random.default_rng(0)
        self.aim(target, rng)
        self.inference(target).posterior(target.shots, rng, limit=1_000, samples=16)

    def scores(self, target: TargetView, rng: Generator) -> Floats:
        """float64[rows × cols]: the higher, the better the shot; -inf where one was fired."""
        seen = hunt_target_state(target)
        left = sum(seen.afloat) - len(seen.open_hits)
        heat = self._heat(target)
        if left <= 4 or len(seen.afloat) == 1:
            blend = self._endgame(target, rng) + 1e-6 * heat
        else:
            blend = self._blend(target, seen, heat, rng)
        return np.where(target.open_mask, blend, -np.inf)

    def _endgame(self, target: TargetView, rng: Generator) -> Floats:
        """Few ship cells are left: the exact posterior."""
        return self.inference(target).posterior(target.shots, rng, limit=LIMIT).cells

    def _blend(
        self, target: TargetView, seen: HuntTargetState, heat: Floats, rng: Generator
    ) -> Floats:
        board = target.board
        weights = 100.0 ** np.arange(1 + max(board.sizes), dtype=np.float64)
        density = placement_density(target, weights, exclude_impossible=True)
        grid = _normal(np.where(target.open_mask, density, 0.0))
        hunting = not seen.open_hits
        if hunting:
            grid *= _parity(target, seen)
        grid += (0.6 if hunting else 0.2) * grid.max() * heat
        count = self.samples * (3 if len(seen.afloat) <= 2 else 1)
        chance = monte_carlo(target, seen, count, rng)
        grid += (0.3 if hunting else 0.5) * grid.max() * chance
        bonus = 2 * grid.max()
        for row, col in seen.ends:
            cell = row * board.cols + col
            grid[cell] += bonus * (grid[cell] > 0)
        return grid

    def _heat(self, target: TargetView) -> Floats:
        nothing = np.zeros(target.board.rows * target.board.cols)
        if not self.network or not heatmap.available():
            return nothing
        return _normal(heatmap.probabilities(target.board, target.shots).reshape(-1))


def hunt_target_state(target: TargetView) -> HuntTargetState:
    """The mode of hunt and target, with the line of hits that target mode follows."""
    board = target.board
    grid = np.zeros((board.rows, board.cols), np.int8)
    for shot in target.shots:
        grid[shot.cell] = 1 if shot.result in ("hit", "sunk") else -1
    sunk = sunk_cells(board, target.shots)
    hits = tuple(
        shot.cell for shot in target.shots if grid[shot.cell] == 1 and shot.cell not in sunk
    )
    ships = zip(board.names, board.sizes, strict=True)
    line = _line(hits)
    return HuntTargetState(
        grid,
        hits,
        tuple((name, size) for name, size in ships if name not in target.afloat),
        tuple(target.afloat.values()),
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


def _parity(target: TargetView, seen: HuntTargetState) -> Floats:
    """1 on diagonals that every ship afloat must cross; the offset with the fewest open cells."""
    stride = min(seen.afloat)
    cells = np.arange(target.board.rows * target.board.cols)
    diagonal = (cells // target.board.cols + cells % target.board.cols) % stride
    left = np.bincount(diagonal[target.open_mask], minlength=stride)
    left[left == 0] = len(cells)
    return np.where(diagonal == left.argmin(), 1.0, 0.0)


def monte_carlo(target: TargetView, seen: HuntTargetState, count: int, rng: Generator) -> Floats:
    """Rejection sampling: how often each cell held a ship in random fleets, 0 to 1.

    Ships are placed largest first, each with up to 20 tries; a sample that can't place one, or
    leaves an open hit uncovered, is rejected.
    """
    board = target.board
    hits = sum(map(board.bit, seen.open_hits))
    water = 0
    for shot in target.shots:
        if shot.cell not in seen.open_hits:
            water |= board.bit(shot.cell)
    options = [
        [p for p in board.placements(size) if not p.mask & water and p.mask & ~hits]
        for size in seen.afloat
    ]
    total = np.zeros(board.rows * board.cols)
    kept = 0
    for _ in range(count):
        ships = _lay(board, options, hits, rng)
        if ships:
            kept += 1
            total += np.array([ships >> cell & 1 for cell in range(len(total))], np.float64)
    return np.where(target.open_mask, total / max(kept, 1), 0.0)


def _lay(board: Board, options: list[list[ShipPlacement]], hits: int, rng: Generator) -> int:
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
