"""Schedules: fair by construction, and known from their place alone."""

import sys
from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest
from numpy.random import Generator

from trireme import BadSpec, UnknownName, make_game
from trireme.arena import Entrant, Match, Sprt, entrants, schedule, schedule_hash
from trireme.arena.match import from_plain, to_plain
from trireme.arena.outcome import Outcome
from trireme.arena.schedule import Fixture, _stage_points, final_places, next_fixtures
from trireme.core.agents import Random
from trireme.core.game import AnyGame

GOMOKU = make_game("gomoku")
BATTLESHIP = make_game("battleship")
SEEDS = [7274442658590397, 1297343548419186, 4998215651583119]
"""The seeds of the first rounds of a match with seed 0."""


def match(game: AnyGame = GOMOKU, count: int = 3, **conditions: object) -> Match:
    agents = entrants(game, [f"{name}=random" for name in "abcdefgh"[:count]])
    return Match(game, agents, **conditions)  # type: ignore[arg-type]


def test_every_pairing_plays_every_start_from_both_seats() -> None:
    made = match(games=10)
    fixtures = list(schedule(made))
    assert len(fixtures) == 3 * 10
    assert [f.number for f in fixtures] == list(range(30))
    for first, second in zip(fixtures[::2], fixtures[1::2], strict=True):
        assert first.seats == second.seats[::-1]
        assert (first.seed, first.opening, first.game) == (second.seed, second.opening, second.game)
    meetings = Counter(f.seats for f in fixtures)
    assert set(meetings.values()) == {5}
    assert len(meetings) == 6


def test_all_pairings_of_a_round_share_its_start_and_rounds_differ() -> None:
    fixtures = list(schedule(match(games=20)))
    seeds = {f.round: {g.seed for g in fixtures if g.round == f.round} for f in fixtures}
    assert all(len(found) == 1 for found in seeds.values())
    assert len({seed for found in seeds.values() for seed in found}) == 10


def test_alone_all_agents_meet_the_same_fleets() -> None:
    fixtures = list(schedule(match(BATTLESHIP, games=7)))
    assert len(fixtures) == 3 * 7
    by_agent = {i: [f.seed for f in fixtures if f.seats == (i,)] for i in range(3)}
    assert by_agent[0] == by_agent[1] == by_agent[2]
    assert len(set(by_agent[0])) == 7


def test_odd_numbers_of_games_are_rounded_up_to_pairs() -> None:
    assert len(list(schedule(match(count=2, games=3)))) == 4


def test_in_a_gauntlet_only_the_first_meets_the_others() -> None:
    fixtures = list(schedule(match(count=4, games=4, gauntlet=True)))
    assert len(fixtures) == 3 * 4
    assert all(0 in f.seats for f in fixtures)


def test_more_games_leave_the_earlier_ones_as_they_were() -> None:
    short, long = list(schedule(match(games=6))), schedule(match(games=60))
    assert list(islice(long, len(short))) == short


def test_the_seed_decides_the_starts() -> None:
    one, two = (list(schedule(match(games=6, seed=s))) for s in (1, 2))
    assert not {f.seed for f in one} & {f.seed for f in two}
    assert one == list(schedule(match(games=6, seed=1)))


def test_a_match_of_an_earlier_version_has_the_same_seeds() -> None:
    assert [f.seed for f in schedule(match(BATTLESHIP, count=1, games=3))] == SEEDS
    assert [f.seed for f in schedule(match(count=2, games=6))][::2] == SEEDS


def test_a_later_stage_goes_on_where_the_last_one_ended() -> None:
    made = match(count=4, games=4, format="swiss", swiss_rounds=2)

    def results(fixtures: list[Fixture]) -> dict[int, Outcome]:
        """The higher seed wins every game."""
        wins = {f.number: 1.0 if f.seats[0] < f.seats[1] else -1.0 for f in fixtures}
        return {n: Outcome(n, (w, -w), 1, "", (0.0, 0.0), (1, 1)) for n, w in wins.items()}

    first = list(schedule(made))
    assert [(f.number, f.round) for f in first] == [(n, n // 4) for n in range(8)]
    outcomes = results(first)
    second = list(next_fixtures(made, first, outcomes))
    assert [(f.number, f.round) for f in second] == [(n, n // 4) for n in range(8, 16)]
    assert {frozenset(f.seats) for f in second} == {frozenset({0, 1}), frozenset({2, 3})}
    assert second[0].seed == SEEDS[2]
    assert final_places(made, first, outcomes) == []
    for played in range(8):
        known = {n: o for n, o in outcomes.items() if n != played}
        assert list(next_fixtures(made, first, known)) == [], "a game is missing"
    both = [*first, *second]
    assert list(next_fixtures(made, both, outcomes)) == []
    assert final_places(made, both, outcomes) == []
    outcomes |= results(second)
    assert list(next_fixtures(made, both, outcomes)) == []
    assert [place.agent for place in final_places(made, both, outcomes)] == [0, 1, 2, 3]


def test_games_won_and_drawn_from_either_seat_count_in_a_stage() -> None:
    """0 wins by 1½ : ½ of two starts, and 1 wins by 2½ : 1½."""
    made = match(count=4, games=4, format="knockout")
    fixtures = list(schedule(made))
    ours = {(0, 3): 0.0, (3, 0): -1.0, (1, 2): -1.0, (2, 1): 0.0}
    outcomes = {}
    for f in fixtures:
        lead = ours[f.seats] if f.round == 0 else 0.0
        if f.round == 1 and f.seats in ((1, 2), (2, 1)):
            lead = 1.0 if f.seats == (1, 2) else -1.0
        outcomes[f.number] = Outcome(f.number, (lead, -lead), 1, "", (0.0, 0.0), (1, 1))
    assert {frozenset(f.seats) for f in next_fixtures(made, fixtures, outcomes)} == {
        frozenset({0, 1})
    }


def test_both_agents_get_their_points_of_every_game() -> None:
    made = match(count=2, games=2)
    stage = next(made.stages())
    won, drawn = schedule(made)
    outcomes = {
        f.number: Outcome(f.number, returns, 1, "", (0.0, 0.0), (1, 1))
        for f, returns in ((won, (1.0, -1.0)), (drawn, (0.0, 0.0)))
    }
    assert _stage_points(stage, [won, drawn], outcomes) == [(1.5, 0.5)]


def test_a_tournament_says_how_many_games_it_will_have() -> None:
    assert match(count=4, games=4).expected_games is None
    assert match(count=4, games=4, format="knockout").expected_games == 3 * 4


def test_more_than_two_seats_are_refused() -> None:
    class Three(type(GOMOKU)):  # type: ignore[misc]
        seats = 3

    with pytest.raises(BadSpec, match="the arena pairs one or two seats; gomoku has more"):
        Match(Three(), entrants(GOMOKU, ["random", "random"]))


def test_agents_that_play_alone_have_one_stage_without_places() -> None:
    made = match(BATTLESHIP, count=2, games=2)
    fixtures = list(schedule(made))
    outcomes = {f.number: Outcome(f.number, (-30.0,), 1, "", (0.0,), (1,)) for f in fixtures}
    assert list(next_fixtures(made, fixtures, outcomes)) == []
    assert final_places(made, fixtures, outcomes) == []


def test_the_start_of_a_round_tells_nothing_of_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start and seed come from two streams: were they one, the seed of the game, from which nature
    and agents draw, would repeat the numbers that drew the start."""
    drawn: list[Generator] = []

    def start(game: AnyGame, rng: Generator) -> tuple[AnyGame, tuple[str, ...]]:
        drawn.append(rng)
        return game, ()

    module = sys.modules["trireme.arena.schedule"]  # the package's attribute is the function
    monkeypatch.setattr(module, "load", lambda _: start)
    fixtures = list(schedule(match(count=2, games=8)))
    assert len(drawn) == 4
    for rng, fixture in zip(drawn, fixtures[::2], strict=True):
        state = rng.bit_generator.seed_seq.generate_state(8, "uint64")  # type: ignore[attr-defined]
        assert fixture.seed not in [int(word) >> 11 for word in state]


def test_the_hash_covers_every_fixture() -> None:
    made = match(games=6)
    fixtures = list(schedule(made))
    base = schedule_hash(made, fixtures)
    assert base == schedule_hash(made)
    assert len(base) == 16
    other = replace(fixtures[-1], game=make_game("gomoku", size=9))
    assert schedule_hash(made, [*fixtures[:-1], other]) != base
    assert schedule_hash(made, [*fixtures[:-1], replace(other, game=GOMOKU, seed=1)]) != base
    assert schedule_hash(made, [*fixtures[:-1], replace(other, game=GOMOKU, opening=())]) != base


def test_the_hash_tells_schedules_apart() -> None:
    base = schedule_hash(match(games=6))
    assert base == schedule_hash(match(games=6))
    others = [
        match(games=8),
        match(games=6, seed=1),
        match(games=6, seconds=1.0),
        match(games=6, gauntlet=True),
        match(make_game("gomoku", size=13), games=6),
        match(games=6, count=2),
        match(games=6, count=2, sprt=Sprt(0, 10)),
    ]
    assert len({base, *map(schedule_hash, others)}) == 8


def test_agents_get_names_that_differ() -> None:
    made = entrants(GOMOKU, ["random", "random", "mine=random", Random(), Entrant("x", "random")])
    assert [e.name for e in made] == ["random", "random#2", "mine", "random#3", "x"]


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        (["random"], "at least 2 agents"),
        (["random", "rondom"], "Did you mean 'random'"),
        (["random", "no_such_module:Bot"], "can't be imported"),
        (["random", 7], "expected an agent"),
        (["random", "search:level=nonsense"], "nonsense"),
    ],
)
def test_an_agent_that_can_not_be_made_is_an_error_and_no_lost_game(
    agents: list[object], message: str
) -> None:
    with pytest.raises((BadSpec, UnknownName), match=message):
        Match(GOMOKU, entrants(GOMOKU, agents))


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ({"games": 0}, "at least one game"),
        ({"seed": -1}, "must not be negative"),
        ({"seconds": 0.0}, "more than 0 seconds"),
        ({"limit": -1.0}, "more than 0 seconds"),
        ({"sprt": Sprt(0, 10)}, "between two agents"),
        ({"memory": 1}, "memory must be at least"),
    ],
)
def test_senseless_conditions_are_refused(conditions: dict[str, object], message: str) -> None:
    with pytest.raises(BadSpec, match=message):
        match(**conditions)


def test_a_match_comes_back_from_its_folder() -> None:
    made = match(count=2, games=6, seed=3, seconds=0.5, limit=9.0, sprt=Sprt(0, 10, 0.1, 0.2))
    assert from_plain(to_plain(made)) == made
    alone = match(gauntlet=True)
    assert from_plain(to_plain(alone)) == alone


def test_a_python_agent_is_handed_in_again() -> None:
    agent = Random()
    made = Match(GOMOKU, entrants(GOMOKU, ["a=random", Entrant("mine", agent)]))
    plain = to_plain(made)
    assert [a["spec"] for a in plain["agents"]] == ["random", None]
    with pytest.raises(BadSpec, match="'mine' is a Python object: resume"):
        from_plain(plain)
    assert from_plain(plain, [Entrant("mine", agent)]).entrants[1].agent is agent
    assert from_plain(plain, [Entrant("mine", agent)]).entrants[0] == Entrant("a", "random")


def test_an_agent_that_fails_when_it_is_made_is_named() -> None:
    class Fragile(Random):
        def __deepcopy__(self, memo: object) -> "Fragile":
            raise RuntimeError("can't be copied")

    with pytest.raises(BadSpec, match="'mine' can't be made: RuntimeError: can't be copied"):
        entrants(GOMOKU, ["random", Entrant("mine", Fragile())])


def test_only_shipped_agents_say_that_a_clock_limits_them() -> None:
    class Clocked(Random):
        timed = True

    assert Entrant("a", "search:seconds=1").timed(GOMOKU)
    assert not Entrant("a", "search:depth=2").timed(GOMOKU)
    assert not Entrant("a", "no_such_module:Bot").timed(GOMOKU), "it is not even looked for"
    assert Entrant("a", Clocked()).timed(GOMOKU)


def test_an_object_that_plays_another_game_is_refused() -> None:
    class Sailor(Random):
        game = "navigation"

    with pytest.raises(BadSpec, match="plays navigation, not gomoku"):
        entrants(GOMOKU, ["random", Sailor()])


@pytest.mark.parametrize("agent", ["c\udcff=random", "c=random:x=\ud800"])
def test_text_that_no_file_could_hold_is_refused(agent: str) -> None:
    with pytest.raises(BadSpec, match="is not valid text"):
        entrants(GOMOKU, [agent])


@pytest.mark.parametrize(("isolate", "place"), [(True, "isolated"), (False, "in-process")])
def test_agents_of_others_are_isolated_unless_that_is_refused(isolate: bool, place: str) -> None:
    assert Entrant("a", "bots.py:Bot").place(GOMOKU, isolate) == place
    assert Entrant("a", "search").place(GOMOKU, isolate) == "shipped"


def test_a_match_keeps_secrets_where_agents_of_others_play() -> None:
    assert not match().secretive
    foreign = Entrant("mine", Random())
    assert replace(match(), entrants=(*match().entrants, foreign)).secretive
