"""What holds for every game and variant of the registry, without exceptions."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme import CHANCE, TriremeError, draw_text, make_game, parse_record, play
from trireme import settings as settings_of
from trireme.core.game import AnyGame, Seat
from trireme.core.registry import GAMES, find
from trireme.core.seeding import streams

VARIANTS = [(name, variant) for name in GAMES for variant in (None, *find(name).variants)]
every_game = pytest.mark.parametrize(
    ("name", "variant"), VARIANTS, ids=[f"{n}-{v or 'default'}" for n, v in VARIANTS]
)
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@cache
def random_game(name: str, variant: str | None, seed: int = 7) -> tuple[AnyGame, list[Any]]:
    """A game of random agents, and all its positions."""
    game = make_game(name, variant)
    record = play(game, ["random"] * game.seats, seed=seed).record
    return game, list(record.states())


def positions(name: str, variant: str | None, at_most: int = 12) -> Iterator[tuple[AnyGame, Any]]:
    """The first and last positions and some of those between."""
    game, states = random_game(name, variant)
    step = max(1, len(states) // at_most)
    for state in [*states[::step], states[-1]]:
        yield game, state


def onlookers(game: AnyGame) -> list[Seat | None]:
    return [None, *range(game.seats)]


@every_game
def test_a_record_replays_to_the_same_state_and_result(name: str, variant: str | None) -> None:
    game = make_game(name, variant)
    result = play(game, ["random"] * game.seats, seed=3)
    again = parse_record(result.record.text)
    assert again.verify() == result.state
    assert again.returns == result.returns == game.returns(result.state)
    assert again.fingerprint() == result.record.fingerprint()


@every_game
def test_the_same_seed_gives_the_same_game(name: str, variant: str | None) -> None:
    game = make_game(name, variant)
    agents = ["random"] * game.seats
    first, second = (play(game, agents, seed=11).record.fingerprint() for _ in range(2))
    other = play(game, agents, seed=12).record.fingerprint()
    assert first == second != other


@every_game
def test_actions_survive_being_written_and_read(name: str, variant: str | None) -> None:
    rng = np.random.default_rng(0)
    for game, state in positions(name, variant):
        for seat in game.to_move(state):
            for _ in range(5):
                action = game.legal(state, seat).sample(rng)
                assert game.read(game.write(action)) == action


@every_game
def test_check_allows_exactly_what_is_legal(name: str, variant: str | None) -> None:
    """Actions of many positions are tried in every position: most are illegal in most."""
    rng = np.random.default_rng(1)
    pool = [
        game.legal(state, seat).sample(rng)
        for game, state in positions(name, variant)
        for seat in game.to_move(state)
    ]
    for game, state in positions(name, variant):
        for seat in game.to_move(state):
            legal = game.legal(state, seat)
            for action in [*pool, *(legal.sample(rng) for _ in range(5))]:
                assert (action in legal) == _passes(game, state, seat, action)


def _passes(game: AnyGame, state: Any, seat: Seat, action: Any) -> bool:
    try:
        game.check(state, seat, action)
    except TriremeError:
        return False
    return True


@every_game
def test_nobody_may_act_out_of_turn_or_after_the_end(name: str, variant: str | None) -> None:
    rng = np.random.default_rng(2)
    game, states = random_game(name, variant)
    for state in states[:: max(1, len(states) // 12)]:
        movers = game.to_move(state)
        for mover in movers:
            action = game.legal(state, mover).sample(rng)
            for seat in {CHANCE, *range(game.seats)} - set(movers):
                assert not _passes(game, state, seat, action)
            assert not _passes(game, states[-1], mover, action)


@every_game
def test_an_imagined_state_gives_the_same_view(name: str, variant: str | None) -> None:
    """`imagine` is handed the view alone, so equality shows that hidden parts leave no trace."""
    rng = np.random.default_rng(3)
    for game, state in positions(name, variant):
        for seat in onlookers(game):
            view = game.view(state, seat)
            assert game.view(game.imagine(view, rng), seat) == view


@every_game
def test_a_hidden_action_can_be_exchanged_unseen(name: str, variant: str | None) -> None:
    rng = np.random.default_rng(4)
    game, states = random_game(name, variant)
    generators = streams(5, game.seats)
    for state in states[:4]:
        movers = game.to_move(state)
        legal = {seat: game.legal(state, seat) for seat in movers}
        one = {seat: legal[seat].sample(generators[seat]) for seat in movers}
        for hidden in movers:
            two = {**one, hidden: legal[hidden].sample(rng)}
            for viewer in onlookers(game):
                if game.hides(hidden, one[hidden], viewer):
                    views = [game.view(game.apply(state, acts), viewer) for acts in (one, two)]
                    assert views[0] == views[1]


@every_game
def test_a_turn_tells_a_seat_no_more_than_its_view(name: str, variant: str | None) -> None:
    """What is legal is the same in every state that the seat can't tell apart."""
    rng = np.random.default_rng(6)
    for game, state in positions(name, variant):
        for seat in set(game.to_move(state)) - {CHANCE}:
            imagined = game.imagine(game.view(state, seat), rng)
            assert seat in game.to_move(imagined)
            action = game.legal(state, seat).sample(rng)
            assert action in game.legal(imagined, seat)
            assert game.legal(imagined, seat).sample(rng) in game.legal(state, seat)


@every_game
def test_states_and_views_are_plain_values(name: str, variant: str | None) -> None:
    for game, state in positions(name, variant):
        before = hash(state)
        for seat in onlookers(game):
            view = game.view(state, seat)
            assert hash(view) == hash(game.view(state, seat))
            assert json.loads(msgspec.json.encode(view)) is not None
        for seat in game.to_move(state):
            game.legal(state, seat).sample(np.random.default_rng(8))
        assert hash(state) == before


@every_game
def test_results_are_honest_numbers(name: str, variant: str | None) -> None:
    game, states = random_game(name, variant)
    returns = game.returns(states[-1])
    assert len(returns) == game.seats
    if game.seats > 1:
        assert sum(returns) == 0
        assert set(returns) <= {-1.0, 0.0, 1.0}
    for seat in range(game.seats):
        assert game.forfeit(states[-2], (seat,))[seat] <= returns[seat]
        assert len(game.forfeit(states[-2], (seat,))) == game.seats


@every_game
def test_settings_survive_json(name: str, variant: str | None) -> None:
    game = make_game(name, variant)
    written = msgspec.json.encode(settings_of(game))
    assert make_game(name, **msgspec.json.decode(written)) == game


@every_game
def test_drawings_say_the_same_with_and_without_colour(name: str, variant: str | None) -> None:
    for game, state in positions(name, variant):
        for seat in onlookers(game):
            plain = draw_text(game, state, seat)
            assert plain.strip()
            assert not ANSI.search(plain)
            assert ANSI.sub("", draw_text(game, state, seat, colour=True)) == plain


@every_game
def test_an_unfinished_record_keeps_its_secrets(name: str, variant: str | None) -> None:
    game = make_game(name, variant)
    result = play(game, ["random"] * game.seats, seed=9)
    running = parse_record(result.record.text.rsplit("\n", 2)[0] + "\n")
    assert running.end is None
    for viewer in onlookers(game):
        for shown, played in zip(running.shown_to(viewer), running.moves, strict=True):
            for seat, text in played.items():
                hidden = game.hides(seat, game.read(text), viewer)
                assert shown[seat] == (None if hidden else text)
        assert parse_record(result.record.text).shown_to(viewer) == result.record.moves


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=200)
@given(text=st.text(max_size=30) | st.from_regex(r"[A-Oa-o0-9 +,;:\-]{1,12}", fullmatch=True))
def test_any_text_is_an_action_or_a_clear_error(name: str, text: str) -> None:
    game = make_game(name)
    try:
        action = game.read(text)
    except TriremeError as error:
        assert str(error)
    else:
        assert game.read(game.write(action)) == action


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=100)
@given(
    data=st.data(),
    value=st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers()),
)
def test_any_setting_is_taken_or_refused_clearly(name: str, data: Any, value: Any) -> None:
    setting = data.draw(st.sampled_from([*settings_of(make_game(name)), "nonsense"]))
    try:
        game = make_game(name, **{setting: value})
    except TriremeError as error:
        assert str(error)
    else:
        assert make_game(name, **settings_of(game)) == game
