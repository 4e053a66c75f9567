"""What every game's encoder promises to environments, in every variant of the registry."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from trireme import CHANCE, TriremeError, make_game
from trireme.core.game import AnyGame, Game, Listed, Seat
from trireme.core.registry import GAMES, find
from trireme.envs.encoding import encoder_of

VARIANTS = [(name, variant) for name in GAMES for variant in (None, *find(name).variants)]
every_game = pytest.mark.parametrize(
    ("name", "variant"), VARIANTS, ids=[f"{n}-{v or 'default'}" for n, v in VARIANTS]
)


def chosen_game(game: AnyGame, seed: int) -> Iterator[tuple[Any, Seat, list[int], Any]]:
    """Play by allowed numbers drawn at random: (state, seat, numbers, action) of every turn."""
    encoder, rng = encoder_of(game), np.random.default_rng(seed)
    state = game.start()
    while game.to_move(state):
        actions: dict[Seat, Any] = {}
        for seat in game.to_move(state):
            legal = game.legal(state, seat)
            view = game.view(state, max(seat, 0))
            numbers: list[int] = []
            if seat == CHANCE or not encoder.choices(view, seat):
                actions[seat] = legal.sample(rng)
                continue
            for _ in range(encoder.choices(view, seat)):
                allowed = encoder.allowed(view, seat, numbers)
                numbers.append(int(rng.choice(np.flatnonzero(allowed))))
            actions[seat] = encoder.decide(view, seat, numbers)
            yield state, seat, numbers, actions[seat]
        state = game.apply(state, actions)


@every_game
def test_allowed_numbers_make_legal_actions(name: str, variant: str | None) -> None:
    game = make_game(name, variant)
    for turn, (state, seat, numbers, action) in enumerate(chosen_game(game, 5)):
        game.check(state, seat, action)
        assert all(0 <= n < encoder_of(game).num_actions for n in numbers)
        if turn > 150:
            break


@every_game
def test_every_legal_action_that_is_one_number_is_allowed(name: str, variant: str | None) -> None:
    game = make_game(name, variant)
    encoder = encoder_of(game)
    for turn, (state, seat, numbers, _) in enumerate(chosen_game(game, 6)):
        view, legal = game.view(state, seat), game.legal(state, seat)
        if len(numbers) == 1 and isinstance(legal, Listed):
            allowed = encoder.allowed(view, seat, ())
            made = {encoder.decide(view, seat, [int(n)]) for n in np.flatnonzero(allowed)}
            assert made == set(legal)
        if turn > 20:
            break


@every_game
def test_observations_have_one_shape_and_lie_within_bounds(name: str, variant: str | None) -> None:
    game = make_game(name, variant)
    encoder = encoder_of(game)
    forms = set()
    for turn, (state, seat, numbers, _) in enumerate(chosen_game(game, 7)):
        for chosen in (numbers[:k] for k in range(len(numbers))):
            seen = encoder.observe(game.view(state, seat), seat, chosen)
            forms.add((seen.shape, seen.dtype))
            assert seen.min() >= 0
            assert 0 < seen.max() <= 1
        if turn > 60:
            break
    assert len(forms) == 1


@every_game
def test_observations_show_nothing_that_a_seat_may_not_know(name: str, variant: str | None) -> None:
    game = make_game(name, variant)
    encoder, rng = encoder_of(game), np.random.default_rng(8)
    for turn, (state, seat, numbers, _) in enumerate(chosen_game(game, 9)):
        view = game.view(state, seat)
        again = game.view(game.determinize(view, rng), seat)
        for chosen in ((), numbers[:1]):
            one, other = (encoder.observe(v, seat, chosen) for v in (view, again))
            np.testing.assert_array_equal(one, other)
            one, other = (encoder.allowed(v, seat, chosen) for v in (view, again))
            np.testing.assert_array_equal(one, other)
        if turn > 20:
            break


def test_a_seat_sees_its_own_stones_first_whoever_moves() -> None:
    game = make_game("gomoku")
    encoder = encoder_of(game)
    state = game.apply(game.start(), {0: (3, 4)})
    black, white = (encoder.observe(state, seat, ()) for seat in (0, 1))
    assert black[0, 3, 4] == white[1, 3, 4] == 1
    assert black[1].sum() == white[0].sum() == 0


def test_choices_so_far_are_seen() -> None:
    game = make_game("navigation")
    encoder, view = encoder_of(game), game.view(game.start(), 0)
    fresh, chosen = encoder.observe(view, 0, ()), encoder.observe(view, 0, (27, 3))
    assert (fresh[-4:] == 0).all()
    assert [plane.max() for plane in chosen[-4:]] == pytest.approx([1, 4 / 28, 0, 0])


def test_a_game_without_an_encoder_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from trireme import gomoku

    monkeypatch.setattr(gomoku, "SLICE", replace(gomoku.SLICE, encoder=None))
    game: Game[Any, Any, Any] = make_game("gomoku")
    with pytest.raises(TriremeError, match="neither an encoder nor a board"):
        encoder_of(game)
