"""A view of Battleship in plain words, for language models and screen readers."""

from __future__ import annotations

from trireme.battleship.board import Board, write_cell
from trireme.battleship.fleets import write_ends
from trireme.battleship.rules import Battleship, BattleshipView, Sea

from .draw import HIT, MISS, STRUCK, SUNK, UNKNOWN, answer, marks

LETTERS = {UNKNOWN: ".", MISS: "o", STRUCK: "*", HIT: "X", SUNK: "#"}


def prose(game: Battleship, view: BattleshipView) -> str:
    """The same with the history: the shots in their order, and in a duel the own fleet."""
    lines = [describe(game, view)]
    if view.stage != "placing":
        lines.append(f"Your shots in order: {_shots(view.target)}.")
    if game.duel and view.seat is not None:
        lines.append(_own_sea(game, view, view.seat))
    return "\n".join(lines)


def _own_sea(game: Battleship, view: BattleshipView, seat: int) -> str:
    board, sea = game.boards[seat], view.seas[seat]
    if sea.fleet is None:
        ships = ", ".join(f"{n} {s}" for n, s in zip(board.names, board.sizes, strict=True))
        return f"You place on {board.rows} rows and {board.cols} columns: {ships}."
    fleet = " ".join(map(write_ends, sea.fleet.ships))
    afloat = _ships(board, sea, afloat=True)
    return f"Your fleet: {fleet}. Afloat: {afloat}. Shots against you: {_shots(sea)}."


def _shots(sea: Sea) -> str:
    return ", ".join(answer(shot) for shot in sea.shots) or "none"


def describe(game: Battleship, view: BattleshipView) -> str:
    """All that the seat knows about the board it fires at, and what it may do."""
    board, sea = game.target(view.seat), view.target
    if view.stage == "placing":
        sizes = ", ".join(f"{n} {s}" for n, s in zip(board.names, board.sizes, strict=True))
        touch = "may touch" if game.touching else "must not touch, not even diagonally"
        return (
            f"Battleship on {board.rows} rows (A to {_row(board.rows - 1)}) and {board.cols} "
            f"columns. Fleets are being placed: {sizes}. Ships {touch}."
        )
    lines = [
        f"Battleship, {board.rows} rows (A to {_row(board.rows - 1)}), columns 1 to {board.cols}. "
        + ("Ships may touch." if game.touching else "Ships never touch, not even diagonally."),
        f"Shots fired: {len(sea.shots)}.",
        f"Ships afloat: {_ships(board, sea, afloat=True)}. "
        f"Sunk: {_ships(board, sea, afloat=False)}.",
        *_answers(board, sea),
        "Board (. unknown, o miss, X hit, # sunk):",
        _grid(board, sea),
    ]
    if view.stage == "over":
        return "\n".join([*lines, "The game is over."])
    shots = game.salvo_size(view)
    wanted = "one unknown cell, such as B7" if shots == 1 else f"{shots} unknown cells: B7+C4"
    return "\n".join([*lines, f"To move: name {wanted}."])


def _answers(board: Board, sea: Sea) -> list[str]:
    shown = marks(board, Sea(None, sea.shots, sea.afloat))
    groups = {"Misses": (MISS, STRUCK), "Hits on ships afloat": (HIT,), "Sunk cells": (SUNK,)}
    lines = []
    for title, kinds in groups.items():
        cells = [write_cell(cell) for cell, mark in shown.items() if mark in kinds]
        lines.append(f"{title}: {', '.join(cells) or 'none'}.")
    return lines


def _ships(board: Board, sea: Sea, *, afloat: bool) -> str:
    pairs = zip(board.names, board.sizes, strict=True)
    named = [f"{name} ({size} cells)" for name, size in pairs if (name in sea.afloat) is afloat]
    return ", ".join(named) or "none"


def _grid(board: Board, sea: Sea) -> str:
    shown = marks(board, Sea(None, sea.shots, sea.afloat))
    head = "  " + " ".join(str((col + 1) % 10) for col in range(board.cols))
    rows = (
        f"{_row(row)} " + " ".join(LETTERS[shown[row, col]] for col in range(board.cols))
        for row in range(board.rows)
    )
    return "\n".join([head, *rows])


def _row(row: int) -> str:
    return chr(ord("A") + row)
