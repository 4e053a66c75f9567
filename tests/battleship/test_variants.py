"""Duels, salvos and mines."""

import numpy as np
import pytest

from trireme import BadText, IllegalAction
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import LegalSalvos, Salvo

from .positions import dueling, fired

FLEETS = ("A1-A3 C1-C2", "E3-E5 A4-A5")
MINED = ("A1-A3 C1-C2 *E5 *E4", "E3-E5 A4-A5 *A1 *C1")
DUEL = Battleship(5, 5, duel=True)


def test_both_seats_place_at_once_and_then_fire_in_turn() -> None:
    assert DUEL.to_move(DUEL.start()) == (0, 1)
    state = dueling(DUEL, FLEETS)
    assert DUEL.to_move(state) == (0,)
    state = dueling(DUEL, FLEETS, "E3", "E3")
    assert [shot.result for sea in state.seas for shot in sea.shots] == ["miss", "hit"]
    assert DUEL.to_move(state) == (0,)


def test_whose_fleet_is_sunk_has_lost() -> None:
    turns = ["E3", "B1", "E4", "B2", "E5", "B3", "A4", "B4", "A5"]
    state = dueling(DUEL, FLEETS, *turns)
    assert DUEL.to_move(state) == ()
    assert DUEL.returns(state) == (1.0, -1.0)
    assert DUEL.returns(dueling(DUEL, FLEETS, *turns[:-1])) == (0.0, 0.0)


def test_a_seat_sees_its_own_fleet_and_not_the_rivals() -> None:
    state = dueling(DUEL, FLEETS, "E3")
    own, rival = DUEL.view(state, 0).seas
    assert own.fleet is not None
    assert rival.fleet is None
    assert all(sea.fleet is None for sea in DUEL.view(state, None).seas)
    aims = [DUEL.view(state, seat).target.shots for seat in (0, 1, None)]
    assert aims == [state.seas[sea].shots for sea in (1, 0, 1)]
    assert aims[0] != aims[1]
    fleet = DUEL.read(FLEETS[0])
    assert [DUEL.hides(0, fleet, viewer) for viewer in (0, 1, None)] == [False, True, True]


def test_fleets_that_go_down_together_are_a_draw() -> None:
    game = Battleship(5, 5, duel=True, simultaneous=True)
    shots = [("E3", "A1"), ("E4", "A2"), ("E5", "A3"), ("A4", "C1"), ("A5", "C2")]
    running = dueling(game, FLEETS, *shots[:-1])
    assert (game.to_move(running), running.turn) == ((0, 1), 0)
    state = dueling(game, FLEETS, *shots)
    assert game.to_move(state) == ()
    assert game.returns(state) == (0.0, 0.0)


def test_boards_of_a_duel_may_differ_and_so_do_their_fleets() -> None:
    game = Battleship(5, 6, duel=True, rival_rows=10, rival_cols=11)
    assert game.boards[0].sizes == (3, 2)
    assert game.boards[1].sizes == (5, 4, 3, 3, 2)
    state = dueling(game, ("A1-A3 C1-C2", "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2"))
    assert len(list(game.legal(state, 0))) == 110
    game.check(state, 0, game.read("J11"))
    state = game.apply(state, {0: game.read("J11")})
    with pytest.raises(IllegalAction, match="not on the board of 5×6"):
        game.check(state, 1, game.read("J11"))


def test_a_salvo_fires_a_shot_for_every_ship_the_shooter_has_afloat() -> None:
    game = Battleship(5, 5, duel=True, salvo=True)
    state = dueling(game, FLEETS, "E3+E4", "A1+A2")
    assert [s.result for s in state.seas[1].shots] == ["hit", "hit"]
    for few in ("E5", "A1+A2+A3"):
        with pytest.raises(IllegalAction, match="2 different cells"):
            game.check(state, 0, game.read(few))
    state = dueling(game, FLEETS, "E3+E4", "A1+A2", "D1+D2", "A3+B1")
    assert state.seas[0].afloat == ("destroyer",)
    assert game.to_move(state) == (0,)
    game.check(state, 0, game.read("E5"))
    with pytest.raises(IllegalAction, match="one cell"):
        game.check(state, 0, game.read("E5+A4"))


def test_alone_a_salvo_goes_by_the_hunted_ships_and_every_shot_counts() -> None:
    game = Battleship(5, 5, salvo=True)
    state = fired(game, "A1-A3 C1-C2", "A1+A2 A3+C1")
    assert game.salvo_size(game.view(state, 0)) == 1
    state = game.apply(state, {0: game.read("C2")})
    assert game.returns(state) == (-5.0,)


def test_a_salvo_is_no_larger_than_the_cells_that_are_left() -> None:
    game = Battleship(5, 5, fleet=(1,) * 7, salvo=True, touching=True)
    cells = [f"{row}{col}" for row in "ABCDE" for col in range(1, 6)]
    salvos = ["+".join(cells[i : i + 7]) for i in (0, 7, 14)]
    corner = "E5-E5 E4-E4 E3-E3 E2-E2 D5-D5 D4-D4 D3-D3"
    state = fired(game, corner, " ".join(salvos))
    assert game.salvo_size(game.view(state, 0)) == 4
    assert len(list(game.legal(state, 0))) == 1


def test_in_a_duel_too_a_salvo_is_no_larger_than_the_cells_that_are_left() -> None:
    game = Battleship(5, 5, fleet=(1, 1, 1), duel=True, salvo=True, touching=True)
    fleet = "E5-E5 E4-E4 E3-E3"
    cells = [f"{row}{col}" for row in "ABCDE" for col in range(1, 6)]
    salvos = ["+".join(cells[i : i + 3]) for i in range(0, 24, 3)]
    turns = [salvo for pair in zip(salvos, salvos[:7], strict=False) for salvo in pair]
    state = dueling(game, (fleet, fleet), *turns, salvos[7], "E2")
    assert game.salvo_size(game.view(state, 0)) == 1
    assert [game.write(salvo) for salvo in game.legal(state, 0)] == ["E5"]


def test_salvos_are_sets_of_cells() -> None:
    salvos = LegalSalvos(((0, 0), (0, 1), (0, 2)), 2)
    game = Battleship(5, 5, salvo=True)
    assert [game.write(s) for s in salvos] == ["A1+A2", "A1+A3", "A2+A3"]
    assert game.read("A3+A1") in salvos
    assert game.read("A1+A1") not in salvos
    assert game.read("A1") not in salvos
    assert game.read("A1-A2") not in salvos
    assert all(salvos.sample(np.random.default_rng(i)) in salvos for i in range(20))


def test_a_mine_costs_a_lone_shooter_one_more_shot() -> None:
    game = Battleship(5, 5, mines=1)
    state = fired(game, "A1-A3 C1-C2 *E5", "E5 E4")
    assert [s.result for s in state.seas[0].shots] == ["mine", "miss"]
    assert game.returns(state) == (-3.0,)


def test_in_a_duel_a_mine_costs_a_turn() -> None:
    game = Battleship(5, 5, duel=True, mines=2)
    state = dueling(game, MINED, "A1")
    assert (game.to_move(state), state.owed) == ((1,), (1, 0))
    state = dueling(game, MINED, "A1", "B1")
    assert (game.to_move(state), state.owed) == ((1,), (0, 0))
    state = dueling(game, MINED, "A1", "B1", "B2")
    assert game.to_move(state) == (0,)


def test_turns_that_both_seats_owe_cancel_out() -> None:
    game = Battleship(5, 5, duel=True, mines=2)
    state = dueling(game, MINED, "A1", "E5")
    assert (game.to_move(state), state.owed) == ((0,), (0, 0))


def test_a_seat_that_sits_out_leaves_a_simultaneous_round_to_the_other() -> None:
    game = Battleship(5, 5, duel=True, simultaneous=True, mines=2)
    state = dueling(game, MINED, ("A1", "B1"))
    assert (game.to_move(state), state.owed) == ((1,), (1, 0))
    state = dueling(game, MINED, ("A1", "B1"), "B2")
    assert (game.to_move(state), state.owed) == ((0, 1), (0, 0))
    state = dueling(game, MINED, ("A1", "E5"))
    assert (game.to_move(state), state.owed) == ((0, 1), (0, 0))


def test_every_mine_of_a_salvo_costs_a_turn() -> None:
    game = Battleship(5, 5, duel=True, salvo=True, mines=2)
    state = dueling(game, MINED, "A1+C1", "B1+B2")
    assert (game.to_move(state), state.owed) == ((1,), (1, 0))
    state = dueling(game, MINED, "A1+C1", "B1+B2", "B3+B4")
    assert (game.to_move(state), state.owed) == ((1,), (0, 0))


def test_a_mine_is_read_with_a_star() -> None:
    fleet = DUEL.read("A1-A3 *E5")
    assert DUEL.write(fleet) == "A1-A3 *E5"
    with pytest.raises(BadText, match="mine such as"):
        DUEL.read("A1-A3 E5")


def test_a_salvo_may_take_all_cells_that_are_left() -> None:
    legal = LegalSalvos(((0, 0), (0, 1), (0, 2)), 3)
    assert Salvo(((0, 0), (0, 1), (0, 2))) in legal
    assert Salvo(((0, 0), (0, 1))) not in legal
    assert Salvo(((0, 0), (0, 1), (0, 1))) not in legal
    assert Salvo(((0, 0), (0, 1), (4, 4))) not in legal
    assert "A1 A2 A3" not in legal
