"""Scores: what one played item is worth, as one number."""

from __future__ import annotations

from trireme.core.record import Record
from trireme.gomoku.agents.search import Search
from trireme.gomoku.engine.analysis import PROVEN_WIN
from trireme.gomoku.rules import Gomoku

from .tasks import BenchItem

PROOF_NODES = 400_000
"""Nodes in which the engine must prove that a move still wins; enough for every win of the set."""


def score(item: BenchItem, record: Record) -> float:
    """Shots fired, 1 or 0 for a puzzle, the regret of a plan, or the points of a game."""
    if item.task == "shots":
        assert record.returns is not None
        return -record.returns[0]
    if item.task == "regret":
        return regret(item, record)
    if item.task.startswith("puzzle"):
        return float(solved(item, record))
    assert record.returns is not None
    return (record.returns[item.seat] + 1) / 2


def own_action(item: BenchItem, record: Record) -> str | None:
    """The agent's first action; None where it forfeited."""
    return next((move[item.seat] for move in record.moves if item.seat in move), None)


def solved(item: BenchItem, record: Record) -> bool:
    """Whether the move solves the puzzle. A forced win has many first moves: one counts if it wins
    at once, or if the engine proves that the other side has lost after it."""
    action = own_action(item, record)
    if action is None:
        return False
    solutions = item.reference["solutions"]
    if solutions is not None:
        return action in solutions
    game = record.game
    assert isinstance(game, Gomoku)
    start = game.start()
    after = game.apply(start, {item.seat: game.read(action)})
    if after.winner:
        return after.winner == start.colour
    return Search(nodes=PROOF_NODES).analyse(game, after).value <= -PROVEN_WIN


def regret(item: BenchItem, record: Record) -> float:
    """The best expected return against the equilibrium's answers, less that of the plan; a forfeit
    earns -1."""
    best = float(item.reference["best"])
    action = own_action(item, record)
    if action is None:
        return best + 1
    game = record.game
    start, plan = game.start(), game.read(action)
    earned: float = sum(
        weight * game.returns(game.apply(start, {0: plan, 1: game.read(answer)}))[0]
        for answer, weight in item.reference["answers"]
    )
    return max(0.0, best - earned)
