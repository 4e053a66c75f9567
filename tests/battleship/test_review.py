"""Costs of shots: brute force agrees where it can be computed; accuracy rises with strength."""

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import trireme
from trireme.battleship.belief.constraints import explains
from trireme.battleship.fleets import Fleet, ship_at
from trireme.battleship.review import BattleshipReviewer, _best_salvo
from trireme.battleship.rules import Battleship, BattleshipView
from trireme.core.record import Record
from trireme.core.review import Decision, decisions_of, review

Cells = frozenset[tuple[int, int]]


class OptimalPlay:
    """The fewest expected misses by plain dynamic programming over equally likely fleets."""

    def __init__(self, game: Battleship, view: BattleshipView) -> None:
        board = game.boards[0]
        fleets = [Fleet((place.ends,)) for place in board.placements(board.sizes[0])]
        if len(board.sizes) == 2:
            fleets = [
                Fleet((first.ends, second.ends))
                for first in board.placements(board.sizes[0])
                for second in board.placements(board.sizes[1])
                if not board.closed(first) & second.mask
            ]
        self.fleets = [f for f in fleets if explains(board, f, view.target.shots)]
        self.owners = [ship_at(fleet) for fleet in self.fleets]
        self.fired: Cells = frozenset(shot.cell for shot in view.target.shots)
        self.open = [cell for cell in board.cells() if cell not in self.fired]
        self._least = cache(self.least)

    def answer(self, fleet: int, cell: tuple[int, int], fired: Cells) -> tuple[str, int]:
        ship = self.owners[fleet].get(cell)
        if ship is None:
            return "miss", -1
        whole = all(c in fired for c, owner in self.owners[fleet].items() if owner == ship)
        return ("sunk", ship) if whole else ("hit", -1)

    def misses(self, cell: tuple[int, int], fleets: tuple[int, ...], fired: Cells) -> float:
        """Expected misses, times the number of fleets, of a shot and optimal play after it."""
        fired |= {cell}
        parts: dict[tuple[str, int], list[int]] = {}
        for fleet in fleets:
            parts.setdefault(self.answer(fleet, cell, fired), []).append(fleet)
        missed = len(parts.get(("miss", -1), []))
        return missed + sum(self.rest(tuple(part), fired) for part in parts.values())

    def rest(self, fleets: tuple[int, ...], fired: Cells) -> float:
        """The least misses; shots outside all of these fleets make no difference."""
        return self._least(fleets, fired & {cell for f in fleets for cell in self.owners[f]})

    def least(self, fleets: tuple[int, ...], fired: Cells) -> float:
        covered = {c for f in fleets for c in self.owners[f] if c not in fired}
        if len(fleets) == 1 or not covered:
            return 0.0
        return min(self.misses(cell, fleets, fired) for cell in sorted(covered))

    def cost(self, cell: tuple[int, int]) -> float:
        everything = tuple(range(len(self.fleets)))
        best = self.rest(everything, self.fired)
        return (self.misses(cell, everything, self.fired) - best) / len(everything)


def judged(record: Record, most: int) -> list[tuple[Decision, float, str]]:
    """Decisions with at most so many fleets left, the exact cost and the best cell of each."""
    game = record.game
    assert isinstance(game, Battleship)
    reviewer = BattleshipReviewer(game)
    found = []
    for _, decision in decisions_of(record):
        play = OptimalPlay(game, decision.view)
        if len(play.fleets) <= most:
            verdict = reviewer.judge(decision, np.random.default_rng(0))
            assert verdict is not None
            assert verdict.exact
            assert play.cost(verdict.best.cells[0]) == pytest.approx(0.0, abs=1e-9)
            cost = play.cost(decision.action.cells[0])
            assert verdict.cost == pytest.approx(cost, abs=1e-9)
            assert verdict.best == decision.action or cost > 1e-9, "none is better"
            found.append((decision, cost, game.write(verdict.best)))
    return found


def test_one_ship_on_a_small_board_is_judged_exactly_from_the_first_shot() -> None:
    game = Battleship(5, 5, fleet=(5,), placement="uniform")
    record = trireme.play(game, ["random"], seed=3).record
    found = judged(record, most=10)
    assert len(found) == len(record.moves) - 1  # all but the fleet, which chance places
    assert any(cost > 0.5 for _, cost, _ in found)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_endgames_of_two_ships_agree_with_brute_force(seed: int) -> None:
    game = Battleship(5, 5, fleet=(3, 2), placement="uniform")
    found = judged(trireme.play(game, ["random"], seed=seed).record, most=9)
    assert any(cost > 0 for _, cost, _ in found)


def test_a_sure_hit_costs_nothing_and_a_sure_miss_costs_at_least_a_shot() -> None:
    game = Battleship(5, 5, fleet=(2,), placement="manual")
    moves = ["A1-A2", "A1", "E5", "B1", "A2"]
    session = trireme.Session(game, ["x"], seed=0, opening=moves)
    found = review(session.record)
    costs = {move.played: move for move in found.moves}
    assert costs["E5"].cost >= 1.0
    assert costs["E5"].exact
    assert costs["A2"].cost == 0.0
    assert costs["A2"].accuracy == 100.0
    assert costs["A2"].luck == 0.0
    assert costs["A1"].luck == pytest.approx(1 - 2 / 40, abs=0.03)


def test_fleets_that_seats_place_are_not_judged() -> None:
    game = Battleship(5, 5, fleet=(2,), duel=True)
    record = trireme.play(game, ["random", "random"], seed=1).record
    found = review(record)
    assert min(move.move for move in found.moves) == 2
    assert len(found.moves) == len(record.moves) - 1


def test_salvos_cost_the_expected_hits_that_they_lose() -> None:
    game = Battleship(5, 5, fleet=(3, 2), salvo=True)
    found = review(trireme.play(game, ["random"], seed=1).record)
    first = found.moves[0]
    assert len(first.best.split("+")) == 2
    assert 0 <= first.cost <= 2
    assert not first.exact
    assert found.seats[0].cost > 0


def test_a_salvo_is_held_against_the_likeliest_cells_and_against_chance() -> None:
    target: Any = SimpleNamespace(open_mask=np.array([True, True, True, False]))
    belief: Any = SimpleNamespace(cells=np.array([0.1, 0.5, 0.2, 1.0]))
    best, lost, random_lost = _best_salvo(target, belief, [2, 0])
    assert best == [1, 2]
    assert lost == pytest.approx(0.7 - 0.3)
    assert random_lost == pytest.approx(0.7 - 2 * 0.8 / 3)


def test_a_miss_costs_more_where_mines_lie() -> None:
    costs = []
    for mines in (0, 4):
        game = Battleship(5, 5, fleet=(2,), placement="manual", mines=mines)
        fleet = "A1-A2" + "".join(f" *D{c}" for c in range(1, mines + 1))
        session = trireme.Session(game, ["x"], seed=0, opening=[fleet, "A1", "E5"])
        costs.append(review(session.record, seat=0).moves[1].cost)
    assert costs[1] == pytest.approx(costs[0] * (1 + 4 / 23), abs=1e-3)


@pytest.mark.parametrize(
    ("mines", "misses", "price"),
    [(0, 0, 1 + 4 / 23), (1, 2, 1 + 3 / 20), (3, 19, 1 + 1 / 1), (4, 19, 1.0)],
)
def test_a_miss_costs_the_share_of_mines_in_the_water_left(
    mines: int, misses: int, price: float
) -> None:
    """Of 25 cells 2 have the ship and 4 of the others a mine; `mines` and `misses` are known."""
    game = Battleship(5, 5, fleet=(2,), placement="manual", mines=4)
    results = ["mine"] * mines + ["miss"] * misses + ["hit"]
    shots = tuple(SimpleNamespace(result=result) for result in results)
    view: Any = SimpleNamespace(target=SimpleNamespace(shots=shots))
    found = BattleshipReviewer(game)._miss_price(view, game.boards[0])
    assert found == pytest.approx(price)
    assert BattleshipReviewer(Battleship(5, 5, fleet=(2,)))._miss_price(view, game.boards[0]) == 1


def test_costs_of_rollouts_are_estimates() -> None:
    game = Battleship(6, 6, fleet=(3, 2, 2), placement="manual")
    session = trireme.Session(game, ["x"], seed=0, opening=["A1-A3 C1-C2 E1-E2", "F6"])
    (first,) = review(session.record, seat=0).moves
    assert not first.exact
    assert first.best != "F6"
    assert 0 < first.cost < 1
    assert "with the best shot" in first.note


def test_a_strong_agent_is_more_accurate_than_a_random_one() -> None:
    found = {
        agent: review(trireme.play("battleship:rows=6,cols=6", [agent], seed=4).record).seats[0]
        for agent in ("random", "posterior")
    }
    weak, strong = found["random"].accuracy, found["posterior"].accuracy
    assert weak is not None
    assert strong is not None
    assert weak < 45 < 70 < strong


@pytest.mark.slow
def test_accuracy_rises_with_strength() -> None:
    means = [
        np.mean(
            [
                review(trireme.play("battleship", [agent], seed=seed).record).seats[0].accuracy
                for seed in (1, 2, 3)
            ]
        )
        for agent in ("random", "hunt", "density", "lookahead")
    ]
    assert means == sorted(means)
    assert means[0] < 35
    assert means[-1] > 90


@pytest.mark.slow
def test_the_sum_of_costs_is_the_number_of_shots_lost() -> None:
    """By the performance difference lemma; what luck gave is taken out on the way."""
    extra = []
    for seed in range(6):
        result = trireme.play("battleship", ["random"], seed=seed)
        found = review(result.record).seats[0]
        extra.append((found.cost, -result.returns[0] - 41.5))
    costs, shots = np.mean(extra, axis=0)
    assert costs == pytest.approx(shots, rel=0.25)
