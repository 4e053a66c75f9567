"""The batched kernels play by the plain rules."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme import CHANCE
from trireme.battleship import kernels
from trireme.battleship.batch import BattleshipBatch, layouts
from trireme.battleship.board import Cell
from trireme.battleship.fleets import Fleet, check_fleet
from trireme.battleship.rules import Battleship, BattleshipState
from trireme.battleship.shots import Salvo

from .positions import solo_games

games = solo_games()
RESULTS = {"miss": kernels.MISS, "hit": kernels.HIT, "sunk": kernels.SUNK, "mine": kernels.MINE}


def hidden(batch: BattleshipBatch, b: int) -> Fleet:
    """The fleet that board `b` of a batch hides, read off its cells."""
    board = batch.game.boards[0]
    owner = batch.seas.owner[b].reshape(board.rows, board.cols)

    def cells(value: int) -> list[Cell]:
        return [(int(r), int(c)) for r, c in np.argwhere(owner == value)]

    ships = [cells(ship) for ship in range(len(board.sizes))]
    return Fleet(tuple((min(s), max(s)) for s in ships), tuple(cells(kernels.MINED)))


def placed(batch: BattleshipBatch, b: int) -> BattleshipState:
    game = batch.game
    fleet = hidden(batch, b)
    game.check(game.start(), CHANCE, fleet)
    return game.apply(game.start(), {CHANCE: fleet})


def agree(batch: BattleshipBatch, b: int, state: BattleshipState) -> None:
    """Board `b` shows what the plain state says."""
    board, seas, sea = batch.game.boards[0], batch.seas, state.seas[0]
    shown = np.zeros((board.rows, board.cols), np.int8)
    for shot in sea.shots:
        shown[shot.cell] = 2 if shot.result in ("hit", "sunk") else 1
    assert (seas.board[b].reshape(shown.shape) == shown).all()
    sizes = [s if n in sea.afloat else 0 for n, s in zip(board.names, board.sizes, strict=True)]
    assert seas.afloat[b].tolist() == sizes
    assert seas.moves[b] == -batch.game.returns(state)[0]
    assert seas.togo[b] == sum(board.sizes) - (shown == 2).sum()


@settings(max_examples=settings().max_examples * 3 // 5)
@given(games, st.integers(0, 2**32))
def test_a_batch_plays_as_the_plain_rules_do(game: Battleship, seed: int) -> None:
    batch = BattleshipBatch(game, 3, seed)
    board = game.boards[0]
    rng = np.random.default_rng(seed)
    states = [placed(batch, b) for b in range(3)]
    orders = [rng.permutation(board.rows * board.cols) for _ in range(3)]
    turn = 0
    while all(game.to_move(state) for state in states):
        actions = np.array([order[turn] for order in orders])
        batch.step(actions, autoreset=False)
        for b in range(3):
            cell = divmod(int(actions[b]), board.cols)
            states[b] = game.apply(states[b], {0: Salvo((cell,))})
            agree(batch, b, states[b])
            shot = states[b].seas[0].shots[-1]
            won = not game.to_move(states[b])
            assert batch.seas.outcome[b] == (kernels.WON if won else RESULTS[shot.result])
            sunk = int(batch.seas.sunk[b])
            assert (board.names[sunk] if sunk >= 0 else "") == shot.ship
        turn += 1


@given(games, st.integers(0, 2**32))
def test_an_invalid_shot_changes_nothing(game: Battleship, seed: int) -> None:
    batch = BattleshipBatch(game, 4, seed)
    cells = game.rows * game.cols
    batch.step(np.zeros(4, np.int64))
    before = [array.copy() for array in batch.seas]
    batch.step(np.array([0, -1, cells, 2**40]))
    for name, old, new in zip(batch.seas._fields, before, batch.seas, strict=True):
        if name == "outcome":
            assert (new == kernels.INVALID).all()
        elif name == "sunk":
            assert (new == -1).all()
        else:
            assert (old == new).all()


def test_a_won_board_starts_afresh_and_the_others_go_on() -> None:
    game = Battleship(5, 5, mines=2)
    batch = BattleshipBatch(game, 2, seed=1)
    targets = np.flatnonzero(batch.seas.owner[0] >= 0)
    first = hidden(batch, 0)
    for cell in targets[:-1]:
        batch.step(np.array([cell, 0]))
    batch.step(np.array([targets[-1], 1]))
    assert batch.seas.outcome.tolist()[0] == kernels.WON
    assert batch.seas.moves.tolist()[0] == 0
    assert (batch.seas.board[0] == 0).all()
    assert hidden(batch, 0) != first
    game.check(game.start(), CHANCE, hidden(batch, 0))
    assert (batch.seas.board[1] != 0).sum() == 2


def test_only_the_boards_that_are_named_are_reset() -> None:
    batch = BattleshipBatch(Battleship(), 3, seed=4)
    batch.step(np.array([5, 6, 7]))
    kept = batch.seas.owner[[0, 2]].copy()
    batch.reset(np.array([False, True, False]))
    assert (batch.seas.owner[[0, 2]] == kept).all()
    assert (batch.seas.board != 0).sum(axis=1).tolist() == [1, 0, 1]


def test_the_same_seed_gives_the_same_boards() -> None:
    one, same, other = (BattleshipBatch(Battleship(), 8, seed) for seed in (1, 1, 2))
    assert (one.seas.owner == same.seas.owner).all()
    assert (one.seas.owner != other.seas.owner).any()


def test_random_play_fires_every_legal_cell_and_wins_as_expected() -> None:
    batch = BattleshipBatch(Battleship(), 512, seed=3)
    won = batch.random_play(4_000, seed=5)
    assert (batch.seas.outcome != kernels.INVALID).all()
    finished = 512 * 4_000 - batch.seas.moves.sum()
    assert abs(finished / won - 17 * 101 / 18) < 0.2


def test_a_crowded_sea_gets_the_layout_of_the_exact_search() -> None:
    game = Battleship(12, 12, fleet=(1,) * 36)
    layout = layouts(game, 1, seed=0)[0]
    check_fleet(
        game.boards[0], Fleet(tuple(game.boards[0].placements(1)[p].ends for p in layout)), 0
    )
