"""Conformance tests: what holds for every game and every agent, in every variant."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, ClassVar

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trireme import CHANCE, TriremeError, draw_text, make_agent, make_game, parse_record, play
from trireme import settings as settings_of
from trireme.core.board import draw_board
from trireme.core.game import AnyGame, Seat
from trireme.core.options import options_of
from trireme.core.registry import COMMON_AGENTS, GAMES, agent_class, agents_of, find, load
from trireme.core.seeding import streams
from trireme.core.terminal import Terminal

ANSI = re.compile(r"\x1b\[[0-9;]*m")
SHARED = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
)
"""Several classes may inherit one test, a kernel's first call compiles, and a red test stays red
until its cause is mended."""


def parametrize(metafunc: pytest.Metafunc, games: Sequence[str]) -> None:
    """Give a test every game, variant or agent of the games that it asks for."""
    wanted = set(metafunc.fixturenames)
    if {"name", "variant"} <= wanted:
        pairs = [(name, variant) for name in games for variant in (None, *find(name).variants)]
        ids = [f"{name}-{variant or 'default'}" for name, variant in pairs]
        metafunc.parametrize(("name", "variant"), pairs, ids=ids)
    elif {"name", "agent"} <= wanted:
        agents = [(name, agent) for name in games for agent in agents_of(name)]
        metafunc.parametrize(("name", "agent"), agents, ids=[f"{n}-{a}" for n, a in agents])
    elif "name" in wanted:
        metafunc.parametrize("name", games)


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


def viewers_of(game: AnyGame) -> list[Seat | None]:
    """All who may look at a position: a spectator and every seat."""
    return [None, *range(game.seats)]


def _passes(game: AnyGame, state: Any, seat: Seat, action: Any) -> bool:
    try:
        game.check(state, seat, action)
    except TriremeError:
        return False
    return True


class GameConformance:
    """Tests of games: subclass it in a test file and name the games."""

    games: ClassVar[Sequence[str]] = ()
    """Names of the games to test; all that are installed where none is named."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        parametrize(metafunc, self.games or tuple(GAMES))

    def test_a_game_says_what_it_is(self, name: str) -> None:
        """Its names agree, and everything that its SLICE names can be loaded."""
        found = find(name)
        assert load(found.game).name == name
        assert found.summary
        assert isinstance(load(found.terminal)(), Terminal)
        for place in ("encoder", "starts", "scene", "insight", "preview", "board"):
            assert getattr(found, place) is None or callable(load(getattr(found, place)))
        for option in options_of(load(found.game)).values():
            assert option.help, f"{option.name} has no help"
        make_agent(name, found.opponent)
        if found.versus is not None:
            assert make_game(name, found.versus).seats > 1

    def test_a_record_replays_to_the_same_state_and_result(
        self, name: str, variant: str | None
    ) -> None:
        game = make_game(name, variant)
        result = play(game, ["random"] * game.seats, seed=3)
        again = parse_record(result.record.text)
        assert again.verify() == result.state
        assert again.returns == result.returns == game.returns(result.state)
        assert again.fingerprint() == result.record.fingerprint()

    def test_the_same_seed_gives_the_same_game(self, name: str, variant: str | None) -> None:
        game = make_game(name, variant)
        agents = ["random"] * game.seats
        first, second = (play(game, agents, seed=11).record.fingerprint() for _ in range(2))
        other = play(game, agents, seed=12).record.fingerprint()
        assert first == second != other

    def test_actions_survive_being_written_and_read(self, name: str, variant: str | None) -> None:
        rng = np.random.default_rng(0)
        for game, state in positions(name, variant):
            for seat in game.to_move(state):
                for _ in range(5):
                    action = game.legal(state, seat).sample(rng)
                    assert game.read(game.write(action)) == action

    def test_check_allows_exactly_what_is_legal(self, name: str, variant: str | None) -> None:
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

    def test_nobody_may_act_out_of_turn_or_after_the_end(
        self, name: str, variant: str | None
    ) -> None:
        rng = np.random.default_rng(2)
        game, states = random_game(name, variant)
        for state in states[:: max(1, len(states) // 12)]:
            movers = game.to_move(state)
            for mover in movers:
                action = game.legal(state, mover).sample(rng)
                for seat in {CHANCE, *range(game.seats)} - set(movers):
                    assert not _passes(game, state, seat, action)
                assert not _passes(game, states[-1], mover, action)

    def test_a_determinized_state_gives_the_same_view(self, name: str, variant: str | None) -> None:
        """`determinize` is given the view alone: equality shows that nothing hidden leaks."""
        rng = np.random.default_rng(3)
        for game, state in positions(name, variant):
            for seat in viewers_of(game):
                view = game.view(state, seat)
                assert game.view(game.determinize(view, rng), seat) == view

    def test_a_hidden_action_can_be_exchanged_unseen(self, name: str, variant: str | None) -> None:
        rng = np.random.default_rng(4)
        game, states = random_game(name, variant)
        generators = streams(5, game.seats)
        for state in states[:4]:
            movers = game.to_move(state)
            legal = {seat: game.legal(state, seat) for seat in movers}
            one = {seat: legal[seat].sample(generators[seat]) for seat in movers}
            for hidden in movers:
                two = {**one, hidden: legal[hidden].sample(rng)}
                for viewer in viewers_of(game):
                    if game.hides(hidden, one[hidden], viewer):
                        views = [game.view(game.apply(state, acts), viewer) for acts in (one, two)]
                        assert views[0] == views[1]

    def test_a_turn_tells_a_seat_no_more_than_its_view(
        self, name: str, variant: str | None
    ) -> None:
        """What is legal is the same in every state that the seat can't tell apart."""
        rng = np.random.default_rng(6)
        for game, state in positions(name, variant):
            for seat in set(game.to_move(state)) - {CHANCE}:
                sampled = game.determinize(game.view(state, seat), rng)
                assert seat in game.to_move(sampled)
                action = game.legal(state, seat).sample(rng)
                assert action in game.legal(sampled, seat)
                assert game.legal(sampled, seat).sample(rng) in game.legal(state, seat)

    def test_states_and_views_are_plain_values(self, name: str, variant: str | None) -> None:
        for game, state in positions(name, variant):
            before = hash(state)
            for seat in viewers_of(game):
                view = game.view(state, seat)
                assert hash(view) == hash(game.view(state, seat))
                assert json.loads(msgspec.json.encode(view)) is not None
            for seat in game.to_move(state):
                game.legal(state, seat).sample(np.random.default_rng(8))
            assert hash(state) == before

    def test_returns_are_in_range(self, name: str, variant: str | None) -> None:
        game, states = random_game(name, variant)
        returns = game.returns(states[-1])
        assert len(returns) == game.seats
        if game.seats == 2:
            assert sum(returns) == 0
        if game.seats > 1:
            assert set(returns) <= {-1.0, 0.0, 1.0}
        for seat in range(game.seats):
            assert game.forfeit(states[-2], (seat,))[seat] <= returns[seat]
            assert len(game.forfeit(states[-2], (seat,))) == game.seats

    def test_settings_survive_json(self, name: str, variant: str | None) -> None:
        game = make_game(name, variant)
        written = msgspec.json.encode(settings_of(game))
        assert make_game(name, **msgspec.json.decode(written)) == game

    def test_drawings_say_the_same_with_and_without_colour(
        self, name: str, variant: str | None
    ) -> None:
        for game, state in positions(name, variant):
            for seat in viewers_of(game):
                plain = draw_text(game, state, seat)
                assert plain.strip()
                assert not ANSI.search(plain)
                assert ANSI.sub("", draw_text(game, state, seat, colour=True)) == plain

    def test_an_unfinished_record_keeps_its_secrets(self, name: str, variant: str | None) -> None:
        game = make_game(name, variant)
        result = play(game, ["random"] * game.seats, seed=9)
        running = parse_record(result.record.text.rsplit("\n", 2)[0] + "\n")
        assert running.end is None
        for viewer in viewers_of(game):
            for shown, played in zip(running.shown_to(viewer), running.moves, strict=True):
                for seat, text in played.items():
                    hidden = game.hides(seat, game.read(text), viewer)
                    assert shown[seat] == (None if hidden else text)
            assert parse_record(result.record.text).shown_to(viewer) == result.record.moves

    @settings(SHARED, max_examples=100)
    @given(text=st.text(max_size=30) | st.from_regex(r"[A-Oa-o0-9 +,;:\-]{1,12}", fullmatch=True))
    def test_any_text_is_an_action_or_a_clear_error(self, name: str, text: str) -> None:
        game = make_game(name)
        try:
            action = game.read(text)
        except TriremeError as error:
            assert str(error)
        else:
            assert game.read(game.write(action)) == action

    @settings(SHARED, max_examples=50)
    @given(
        data=st.data(),
        value=st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers()),
    )
    def test_any_setting_is_taken_or_refused_clearly(
        self, name: str, data: Any, value: Any
    ) -> None:
        setting = data.draw(st.sampled_from([*settings_of(make_game(name)), "nonsense"]))
        try:
            game = make_game(name, **{setting: value})
        except TriremeError as error:
            assert str(error)
        else:
            assert make_game(name, **settings_of(game)) == game

    def test_a_board_shows_every_position_and_its_actions(
        self, name: str, variant: str | None
    ) -> None:
        """Where the game has a board: of one size, with the actions of every position in one
        order, each of which reads as an action, and the same for views that are equal."""
        rng = np.random.default_rng(10)
        forms = set()
        for game, state in positions(name, variant):
            for seat in viewers_of(game):
                view = game.view(state, seat)
                board = draw_board(game, view)
                if board is None:
                    return
                assert draw_board(game, game.view(game.determinize(view, rng), seat)) == board
                forms.add((board.rows, board.cols, tuple(board.actions)))
                assert all(game.write(game.read(action)) == action for action in board.actions)
        assert len(forms) == 1


class AgentConformance:
    """Tests of agents: subclass it in a test file and name the games that they play."""

    games: ClassVar[Sequence[str]] = ()
    """Games whose agents are tested; all that are installed where none is named."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        parametrize(metafunc, self.games or tuple(GAMES))

    def test_an_agent_has_a_name_and_says_what_it_is(self, name: str, agent: str) -> None:
        cls = agent_class(name, agent)
        assert cls.name
        assert (inspect.getdoc(cls) or "").split("\n")[0].strip()
        assert all(option.help for option in options_of(cls).values())

    @pytest.mark.slow
    def test_an_agent_plays_every_variant_to_the_end(self, name: str, agent: str) -> None:
        if needs_options(name, agent):
            with pytest.raises(ValueError, match="needs a value"):
                make_agent(name, agent)
            return
        # Agents that play any game are tested for their rules here, not for their strength.
        seconds = 0.005 if agent in COMMON_AGENTS else 0.2
        for variant in (None, *find(name).variants):
            game = make_game(name, variant)
            seats = [agent, *["random"] * (game.seats - 1)]
            result = play(game, seats, seed=5, seconds=seconds)
            blamed = [f for f in result.forfeits if f.reason != "time"]
            assert not blamed, f"{variant}: {blamed}"


@cache
def needs_options(game: str, agent: str) -> bool:
    """Whether it can't be made by its name alone, as an agent that runs a foreign program."""
    options = options_of(agent_class(game, agent)).values()
    return any(option.default is inspect.Parameter.empty for option in options)
