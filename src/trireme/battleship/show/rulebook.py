"""The rules of Battleship for players, by the settings of a game."""

from __future__ import annotations

from trireme.battleship.rules import Battleship
from trireme.core.game import AnyGame
from trireme.core.rulebook import Figure, Rulebook, RuleSection


def rulebook(game: AnyGame) -> Rulebook:
    """The rules, short enough for one page."""
    assert isinstance(game, Battleship)
    sections = [_placing(game), _firing(game)]
    if game.salvo:
        sections.append(_salvo(game))
    if game.mines:
        sections.append(_mines(game))
    sections.append(_hunting())
    if game.duel:
        goal = "Sink the enemy's whole fleet before yours is sunk. Neither side sees the other's."
    else:
        goal = "Sink the hidden fleet with as few shots as you can."
    return Rulebook("Battleship", goal, tuple(sections))


def _placing(game: Battleship) -> RuleSection:
    board = game.boards[0]
    size = f"{board.rows} rows (letters) and {board.cols} columns (numbers)"
    if game.duel:
        first = f"Each side places its fleet in secret on a board of {size}."
    else:
        first = f"A fleet lies hidden on a board of {size}, placed by chance."
    if len(game.boards) > 1 and (board.rows, board.cols) != (
        game.boards[1].rows,
        game.boards[1].cols,
    ):
        first += f" The second side's board has {game.boards[1].rows} by {game.boards[1].cols}."
    apart = (
        "Ships may touch each other."
        if game.touching
        else "Ships never touch, not even at a corner: around every ship there is water."
    )
    terms = tuple(
        (name.capitalize(), f"{length} cells")
        for name, length in zip(board.names, board.sizes, strict=True)
    )
    drawn = Figure(
        ("..........", ".####.....", "..........", "...#...##.", "...#......", "...#......"),
        "Ships lie straight, in a row or in a column.",
    )
    return RuleSection("The fleet", (first, f"{apart} They never overlap."), terms, (drawn,))


def _firing(game: Battleship) -> RuleSection:
    if game.duel and game.simultaneous:
        order = "Both sides fire at the same time. Fleets that go down together are a draw."
    elif game.duel:
        order = "The sides fire in turn. Whose fleet is sunk first has lost."
    else:
        order = "The game is over when all ships are sunk. Your score is the number of shots."
    return RuleSection(
        "Firing",
        (order, "A shot names a cell that was not shot at before. The answer is one of three:"),
        (
            ("Miss", "water"),
            ("Hit", "a part of a ship; which ship, you are not told"),
            ("Sunk", "the last part of a ship, with its name: you now know all its cells"),
        ),
        (Figure(("o....", "..xx.", ".o..o"), "Two hits (x) and three misses (o)."),),
    )


def _salvo(game: Battleship) -> RuleSection:
    whose = "you have ships afloat" if game.duel else "the hidden fleet has ships afloat"
    return RuleSection(
        "Salvo",
        (f"A turn fires as many shots as {whose}, at different cells, answered together.",),
    )


def _mines(game: Battleship) -> RuleSection:
    cost = "you sit out your next turn" if game.duel else "it counts as one more shot"
    return RuleSection(
        "Mines",
        (f"Each board hides {game.mines} mines in its water. A shot that strikes one is a miss, "
         f"and {cost}.",),
    )  # fmt: skip


def _hunting() -> RuleSection:
    return RuleSection(
        "How to hunt",
        (
            "Until something is hit, fire where the largest ship still fits in many ways, and skip "
            "cells next to water that you know. After a hit, try its neighbours, and once two hits "
            "lie in a line, its ends. The heatmap shows how likely a ship is in every cell.",
        ),
    )
