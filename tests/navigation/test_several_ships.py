"""Several ships a side: who fights whom, what is in whose way, how it ends, and who plays it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme import make_agent, make_game, play
from trireme.arena.match import Match, entrants
from trireme.core.errors import BadSettings, BadSpec
from trireme.core.game import Turn
from trireme.core.registry import find
from trireme.core.review import Decision
from trireme.core.seeding import stream
from trireme.navigation.agents.attacker import attack
from trireme.navigation.batch import NavigationBatch
from trireme.navigation.duel import duel_of, nearest_duel, nearest_enemy
from trireme.navigation.encode import encoder
from trireme.navigation.map_generator import chart_map
from trireme.navigation.maps import Spawn
from trireme.navigation.phase_log import describe
from trireme.navigation.plans import Order, Plan, read_plan
from trireme.navigation.review import NavigationReviewer
from trireme.navigation.rules import Navigation, NavigationState, starting_spawns
from trireme.navigation.search.double_oracle import TurnSolver
from trireme.navigation.show.draw import ship_names, text
from trireme.navigation.show.rulebook import rulebook
from trireme.navigation.show.terminal import path_text

from .positions import OPEN, games, open_water, with_ships

FOUR = ("cutter", "cutter", "war_brig", "war_brig")
CAPTAINS = ("random", "moored", "greedy", "planner", "nash-quick")
OUT = "g7 N 0"


def four(**settings: Any) -> Navigation:
    return Navigation(**{"ships": FOUR, "map": open_water(OPEN), "phases": 1, **settings})


def position(game: Navigation, *ships: str, turn: int = 0) -> NavigationState:
    """As `with_ships`; a ship without hit points is out of the game."""
    state = with_ships(game, *ships, turn=turn)
    return replace(state, ships=tuple(replace(s, alive=s.hp > 0) for s in state.ships))


def turn_of(game: Navigation, state: NavigationState, *plans: str) -> NavigationState:
    """The position after a turn of these plans, by seat; `""` for a ship that is out."""
    return game.apply(state, {s: read_plan(p, game.phases) for s, p in enumerate(plans) if p})


def test_even_seats_fight_odd_ones_and_win_together() -> None:
    game = make_game("navigation", **find("navigation").variants["2v2"])
    assert isinstance(game, Navigation)
    assert (game.seats, game.to_move(game.start())) == (4, (0, 1, 2, 3))
    game = four()
    state = position(game, "a1 N", "a7 N 1", "c1 E", "c2 N 0")
    assert turn_of(game, state, "--", "--", "--", "").verdict is None
    near = position(game, "a1 N", "d1 N 1", "c1 N", OUT)
    after = turn_of(game, near, "--", "--", "-s", "")
    assert after.verdict is not None
    assert (after.verdict.winner, after.verdict.reason) == (0, "sunk")
    assert game.returns(after) == (1, -1, 1, -1)
    assert game.returns(state) == (0, 0, 0, 0)


@pytest.mark.parametrize("ships", [("cutter",), ("cutter",) * 3, ("cutter",) * 8, ()])
def test_other_numbers_of_ships_are_refused(ships: tuple[str, ...]) -> None:
    with pytest.raises(BadSettings, match="2, 4 or 6 ships"):
        Navigation(ships=ships)


@pytest.mark.parametrize("name", ["default", *(f"procedural:{seed}" for seed in range(40))])
def test_ships_begin_apart_in_clear_water_and_alike_for_both_sides(name: str) -> None:
    game = Navigation(ships=("sloop",) * 6, map=name)
    spawns, chart = starting_spawns(game.chart, 6), game.chart
    tiles = [(s.x, s.y) for s in spawns]
    assert spawns[:2] == chart.spawns[:2]
    assert len(set(tiles)) == 6
    for first, second in zip(spawns[0::2], spawns[1::2], strict=True):
        assert (chart.width - 1 - first.x, chart.height - 1 - first.y) == (second.x, second.y)
        assert first.facing == spawns[0].facing
        assert second.facing == spawns[1].facing
    for tile in tiles:
        assert game.sea.obstacle(tile) is None
        assert tile not in game.sea.winds
        assert tile not in game.sea.whirlpools


def test_further_ships_take_the_next_free_place_or_the_map_is_refused() -> None:
    rows = ("..o.......", "..........", "..........", "..........")
    chart = chart_map("\n".join(rows), (Spawn(0, 0, "N"), Spawn(9, 3, "S")))
    assert [(s.x, s.y) for s in starting_spawns(chart, 4)] == [(0, 0), (9, 3), (2, 2), (7, 3)]
    small = chart_map("...\n.o.\n...", (Spawn(0, 0, "S"), Spawn(2, 2, "N")))
    assert len({(s.x, s.y) for s in starting_spawns(small, 4)}) == 4
    tight = chart_map("..O\nOOO\nOO.", (Spawn(0, 0, "S"), Spawn(2, 2, "N")))
    with pytest.raises(BadSettings, match="no room for 2 ships a side"):
        Navigation(ships=FOUR, map=tight)


def test_ships_in_line_follow_each_other_and_fail_together() -> None:
    game = four()
    line = position(game, "d4 N", "a7 N", "d5 N", "d6 N")
    sailed = turn_of(game, line, "F-", "--", "F-", "F-")
    assert [(s.x, s.y) for s in sailed.ships] == [(3, 2), (0, 6), (3, 3), (3, 4)]
    blocked = turn_of(game, line, "--", "--", "F-", "F-")
    assert blocked.log[0].blocked == (None, None, "ship", "ship")
    assert [s.pose for s in blocked.ships] == [s.pose for s in line.ships]
    others = position(game, "d4 E", "f4 W", "e6 N", "a7 N")
    meeting = turn_of(game, others, "F-", "F-", "F-", "--")
    assert meeting.log[0].blocked == ("ship", "ship", None, None), "e4 is nobody's; e5 is free"
    ring = position(game, "c3 E", "d3 S", "d4 W", "c4 N")
    round_ = turn_of(game, ring, "F-", "F-", "F-", "F-")
    assert [(s.x, s.y) for s in round_.ships] == [(3, 2), (3, 3), (2, 3), (2, 2)]


def test_only_ships_that_meet_are_damaged_by_ramming() -> None:
    game = four(ram_damage=3)
    state = position(game, "c3 E", "d3 N", "a7 N", "g7 N")
    after = turn_of(game, state, "F-", "--", "--", "--")
    assert [s.max_hp - s.hp for s in after.ships] == [3, 3, 0, 0]


def test_own_ships_stop_shots_and_take_no_harm() -> None:
    game = four()
    state = position(game, "c3 N", "e3 N", "d3 N", "g7 N")
    after = turn_of(game, state, "-s", "--", "--", "--")
    (event,) = after.log[0].events
    assert (event.target, event.damage, event.x, event.y) == (None, 0, 3, 2)
    assert [s.hp for s in after.ships] == [s.hp for s in state.ships]
    hooked = turn_of(game, state, "-h", "--", "--", "--")
    assert hooked.log[0].events[0].target is None
    assert all(s.alive for s in hooked.ships)


def test_the_enemys_ships_are_hit_whoever_they_are() -> None:
    game = four()
    state = position(game, "c3 N", "g7 N", "a7 N", "e3 N")
    after = turn_of(game, state, "-s", "--", "--", "--")
    assert after.log[0].events[0].target == 3
    assert [s.max_hp - s.hp for s in after.ships] == [0, 0, 0, 2]


def test_a_grappled_ship_is_out_and_the_fight_goes_on() -> None:
    game = four()
    state = position(game, "c3 N", "d3 N", "a7 N", "g7 N")
    after = turn_of(game, state, "-h", "--", "--", "--")
    assert after.verdict is None
    assert [s.alive for s in after.ships] == [True, False, True, True]
    assert game.to_move(after) == (0, 2, 3)
    both = turn_of(game, state, "-h", "-g", "--", "--")
    assert [s.alive for s in both.ships] == [False, False, True, True]
    assert both.verdict is None


def test_who_grapples_the_last_enemy_wins_even_if_sunk() -> None:
    game = four()
    state = position(game, "c3 N 1", "d3 N", OUT, "g1 N 0")
    after = turn_of(game, state, "-h", "-p", "", "")
    assert after.log[0].hp[0] == 0
    assert after.verdict is not None
    assert (after.verdict.winner, after.verdict.reason) == (0, "grapple")
    drawn = turn_of(game, state, "-h", "-g", "", "")
    assert drawn.verdict is not None
    assert (drawn.verdict.winner, drawn.verdict.reason) == (None, "grapple")


def test_a_side_that_loses_its_ships_in_two_ways_has_lost() -> None:
    game = four()
    state = position(game, "c3 N", "d3 N", "c6 N", "d6 N 1")
    after = turn_of(game, state, "-h", "--", "-s", "--")
    assert after.verdict is not None
    assert (after.verdict.winner, after.verdict.reason) == (0, "sunk")


def test_a_sunk_ship_acts_no_more_and_is_in_nobodys_way() -> None:
    game = four(phases=2)
    state = position(game, "c3 N", "d3 N 1", "d5 N", "g7 N")
    after = turn_of(game, state, "-s--", "---p", "F-F-", "----")
    assert [event.seat for entry in after.log for event in entry.events] == [0]
    assert after.log[1].orders[1] == Order()
    assert (after.ships[2].x, after.ships[2].y) == (3, 2), "over where it sank"
    again = turn_of(game, after, "-s--", "", "R---", "----")
    assert again.log[0].events[0].target is None


def test_the_turn_limit_compares_the_hit_points_of_sides() -> None:
    game = four(turn_limit=1)
    for hits, winner in ((("20", "20"), None), (("20", "19"), 0), (("19", "20"), 1)):
        state = position(game, "a1 N 10", "c1 N 10", f"a7 N {hits[0]}", f"g7 N {hits[1]}")
        after = turn_of(game, state, "--", "--", "--", "--")
        assert after.verdict is not None
        assert (after.verdict.winner, after.verdict.reason) == (winner, "turn limit")
    uneven = replace(game, ships=("cutter", "war_brig", "cutter", "war_brig"))
    state = position(uneven, "a1 N 16", "c1 N 20", "a7 N 8", "g7 N 10")
    drawn = turn_of(uneven, state, "--", "--", "--", "--")
    assert drawn.verdict is not None
    assert drawn.verdict.winner is None, "24 of 32 and 30 of 40 are equal shares"


def test_whoever_forfeits_loses_for_the_side() -> None:
    game = four()
    state = game.start()
    assert game.forfeit(state, {2}) == (-1, 1, -1, 1)
    assert game.forfeit(state, {1, 3}) == (1, -1, 1, -1)
    assert game.forfeit(state, {0, 3}) == (0, 0, 0, 0)


@given(games(), st.integers(0, 2**32))
def test_two_of_four_ships_fight_as_two_alone(game: Navigation, seed: int) -> None:
    """With the others out of the game, log and outcome are those of the duel."""
    rng = np.random.default_rng(seed)
    kinds = game.ships[0], game.ships[1], "sloop", "dhow"
    try:
        large = replace(game, ships=kinds)
    except BadSettings:
        return
    duel, all_ = game.start(), large.start()
    gone = tuple(replace(ship, hp=0, alive=False) for ship in all_.ships[2:])
    all_ = replace(all_, ships=(*all_.ships[:2], *gone))
    while duel.verdict is None:
        plans = {seat: game.plans[seat].sample(rng) for seat in (0, 1)}
        duel, all_ = game.apply(duel, plans), large.apply(all_, plans)
        assert all_.ships[:2] == duel.ships
        for one, other in zip(duel.log, all_.log, strict=True):
            assert (one.moved, one.blocked) == (other.moved[:2], other.blocked[:2])
            assert (one.hazards, one.drifted) == (other.hazards[:2], other.drifted[:2])
            assert (one.events, one.hp) == (other.events, other.hp[:2])
        if duel.verdict is None or duel.verdict.reason != "turn limit":
            assert all_.verdict == duel.verdict
        assert all_.ships[2:] == gone


def exchanged(state: NavigationState, order: tuple[int, ...]) -> list[tuple[Any, ...]]:
    """Where the ships are, by another numbering of the seats."""
    return [(state.ships[s].pose, state.ships[s].hp, state.ships[s].alive) for s in order]


@given(games(), st.integers(0, 2**32), st.sampled_from([(2, 1, 0, 3), (0, 3, 2, 1), (1, 0, 3, 2)]))
def test_seats_may_be_exchanged_and_no_two_ships_share_a_tile(
    game: Navigation, seed: int, order: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(seed)
    kinds = "sloop", "cutter", "dhow", "war_frigate"
    try:
        one = replace(game, ships=kinds)
        other = replace(game, ships=tuple(kinds[s] for s in order))
    except BadSettings:
        return
    state = one.start()
    twin = replace(
        other.start(),
        ships=tuple(replace(state.ships[s], id=place) for place, s in enumerate(order)),
    )
    while state.verdict is None:
        plans = {seat: one.plans[seat].sample(rng) for seat in one.to_move(state)}
        state = one.apply(state, plans)
        twin = other.apply(twin, {order.index(seat): plan for seat, plan in plans.items()})
        assert exchanged(state, order) == exchanged(twin, (0, 1, 2, 3))
        afloat = [ship.pose.tile for ship in state.ships if ship.alive]
        assert len(set(afloat)) == len(afloat)
    assert twin.verdict is not None
    sides = {None: None, 0: order[0] % 2, 1: 1 - order[0] % 2}
    assert twin.verdict.winner == sides[state.verdict.winner]


@pytest.mark.parametrize("captain", CAPTAINS)
@pytest.mark.parametrize("variant", ["2v2", "3v3"])
def test_every_captain_plays(captain: str, variant: str) -> None:
    settings = {**find("navigation").variants[variant], "turn_limit": 3}
    game = make_game("navigation", **settings)
    result = play(game, [captain] * game.seats, seed=4)
    assert result.forfeits == ()
    assert result.state.verdict is not None


@pytest.mark.parametrize("captain", ["greedy", "planner", "nash-quick"])
@pytest.mark.parametrize("seat", [1, 2])
def test_a_captain_plans_the_duel_with_the_nearest_enemy(captain: str, seat: int) -> None:
    game = Navigation(ships=("cutter", "sloop", "war_brig", "dhow"))
    state = position(game, "a1 E", "l12 W", "j12 E", "x24 W")
    far = position(game, "a3 E", "l12 W", "j12 E", "x22 W")
    assert [nearest_enemy(state, s).id for s in (0, 1, 2, 3)] == [1, 2, 1, 2]
    duel = Navigation(ships=("war_brig", "sloop"))
    alone = position(duel, "j12 E", "l12 W")
    agent = make_agent(game, captain)

    def plan(rules: Navigation, view: NavigationState, own: int) -> Plan:
        turn = Turn(rules, own, view, rules.legal(view, own), stream(1, 0))
        return agent.act(turn)  # type: ignore[no-any-return]

    expected = plan(duel, alone, seat % 2)
    assert plan(game, state, seat) == expected
    assert plan(game, far, seat) == expected, "who is far away does not matter"


def test_the_nearest_enemy_is_afloat_and_of_equals_the_weaker() -> None:
    game = four()
    assert nearest_enemy(position(game, "c3 N", "d3 N 0", "a1 N", "g7 N"), 0).id == 3
    assert nearest_enemy(position(game, "c3 N", "d3 N 5", "a1 N", "b3 N 4"), 0).id == 3
    assert nearest_enemy(position(game, "c3 N", "d3 N 4", "a1 N", "b3 N 4"), 0).id == 1
    assert nearest_enemy(position(game, "c3 N", "d3 N 0", "a1 N", "b3 N 0"), 0).id == 1
    duel = duel_of(game, position(game, "c3 N", "d3 N", "a1 N", "b1 N"), 2)
    assert (duel.pair, duel.seat, duel.game.ships) == ((2, 3), 0, ("war_brig", "war_brig"))
    two = Navigation()
    turn = Turn(two, 1, two.start(), two.legal(two.start(), 1), stream(1, 0))
    assert nearest_duel(turn) is turn


def test_what_knows_two_ships_only_says_so() -> None:
    game = four()
    with pytest.raises(BadSettings, match="batches of games are for two ships, not for 4"):
        NavigationBatch(game, 1)
    with pytest.raises(BadSettings, match="turns are solved for two ships"):
        TurnSolver(game)
    with pytest.raises(BadSettings, match="the attacker is for two ships"):
        attack("greedy", 2, game=game)
    with pytest.raises(BadSpec, match="has more"):
        Match(game, entrants(game, ["greedy", "planner"]), games=2)


def test_plans_are_reviewed_as_those_of_the_duel() -> None:
    game = Navigation(ships=FOUR, phases=1)
    state = position(game, "a1 E", "l12 W", "j12 E", "x24 W")
    actions = {seat: (Order(),) for seat in range(4)}
    rng = np.random.default_rng(1)
    reviewer = NavigationReviewer(game, network=False)
    judged = reviewer.judge(Decision(2, state, (Order(),), actions, state), rng)
    alone = Navigation(ships=("war_brig", "cutter"), phases=1)
    duel = position(alone, "j12 E", "l12 W")
    pair = {0: (Order(),), 1: (Order(),)}
    expected = NavigationReviewer(alone, network=False).judge(
        Decision(0, duel, (Order(),), pair, duel), np.random.default_rng(1)
    )
    assert judged == expected


def test_the_story_names_all_ships_and_says_who_sinks_and_which_side_wins() -> None:
    game = four()
    state = position(game, "c3 N", "d3 N 1", "a7 N", OUT)
    names = ship_names(state)
    assert names == ("First cutter", "Second cutter", "Third war brig", "Fourth war brig")
    (entry,) = turn_of(game, state, "-s", "--", "--", "").log
    told = describe(entry, names)
    assert "Second cutter sinks." in told
    assert told[-1] == "The first side wins with the last ships afloat."
    drawn = turn_of(four(turn_limit=1), game.start(), "--", "--", "--", "--").log[0]
    assert describe(drawn, names)[-1].startswith("The game is drawn")
    mixed = Navigation(ships=("sloop", "cutter", "dhow", "cutter")).start()
    assert ship_names(mixed) == ("Sloop", "Second cutter", "Dhow", "Fourth cutter")


def test_drawings_and_rules_tell_of_sides() -> None:
    game = four()
    state = position(game, "c3 N", "d3 N", "a7 N", OUT)
    drawn = text(game, state)
    assert "even seats against odd ones" in drawn
    assert "2▲" in drawn
    assert "3▲" not in drawn, "a wreck is not drawn"
    assert "1 F-: a6 N" in path_text(game, state, 2, read_plan("F-", 1), colour=False)
    rules = rulebook(game)
    assert "2 ships a side" in rules.goal
    assert len(next(s for s in rules.sections if s.title == "The ships of this game").terms) == 4
    assert "ships a side" not in rulebook(Navigation()).goal


def test_learners_see_friends_and_enemies_apart() -> None:
    game = four()
    state = position(game, "c3 N", "d3 N 8", "a7 N 10", OUT)
    planes = encoder(game).planes(state, 0)
    assert planes[0, 2, 2] == 1
    assert planes[0, 6, 0] == 0.5
    assert planes[4, 2, 3] == 1
    assert planes[:8].sum() == pytest.approx(2.5), "a ship that is out is not shown"
    assert planes[16, 0, 0] == pytest.approx(26 / 36)
    assert planes[17, 0, 0] == pytest.approx(8 / 36)
    theirs = encoder(game).planes(state, 1)
    assert theirs[16, 0, 0] == pytest.approx(8 / 36)
    assert (theirs[0, 2, 3], theirs[4, 2, 2], theirs[4, 6, 0]) == (1, 1, 1)
