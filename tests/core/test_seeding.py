"""Random streams: the same for the same seed in every version, and one for each seat."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from trireme import CHANCE
from trireme.core.seeding import (
    HashedSeed,
    OwnGenerators,
    fresh_seed,
    global_generator_state,
    global_seed,
    seed_global_generators,
    set_global_generators,
    stream,
    streams,
)

BOUND = 1 << 30


def test_recorded_games_can_be_played_again() -> None:
    # Other numbers would play other games from the same seeds.
    assert stream(5, CHANCE).integers(BOUND, size=2).tolist() == [236600005, 432845167]
    assert stream(5, 0).integers(BOUND, size=3).tolist() == [55434334, 159194351, 68249255]
    assert stream(5, 1).integers(BOUND, size=2).tolist() == [974958158, 242272747]
    assert [global_seed(5, seat) for seat in (0, 1)] == [9480531742186759876, 4622650469801695047]
    children = stream(5, 0).spawn(3)
    assert [c.integers(BOUND) for c in children] == [570854887, 328759598, 461222650]


def test_every_seat_has_a_stream() -> None:
    made = streams(7, 2)
    assert list(made) == [CHANCE, 0, 1]
    for seat, generator in made.items():
        assert generator.integers(BOUND) == stream(7, seat).integers(BOUND)


def test_children_are_numbered_on() -> None:
    parent, again = HashedSeed(b"digest"), HashedSeed(b"digest")
    together = [child.generate_state(2) for child in parent.spawn(3)]
    one_by_one = [again.spawn(1)[0].generate_state(2) for _ in range(3)]
    np.testing.assert_array_equal(together, one_by_one)
    assert len({state.tobytes() for state in together}) == 3


def test_states_have_the_words_asked_for() -> None:
    seed = HashedSeed(b"digest")
    assert seed.generate_state(5).dtype == np.uint32
    assert seed.generate_state(3, np.uint64).shape == (3,)
    assert (seed.generate_state(5)[:3] == seed.generate_state(3)).all()


def test_fresh_seeds_differ_and_fit_a_json_number() -> None:
    seeds = {fresh_seed() for _ in range(50)}
    assert len(seeds) == 50
    assert 2**45 < max(seeds) < 2**53


def drawn() -> tuple[float, float]:
    return random.random(), float(np.random.random_sample())


@pytest.fixture
def kept_generators() -> Iterator[None]:
    state = global_generator_state()
    yield
    set_global_generators(state)


@pytest.mark.usefixtures("kept_generators")
def test_both_global_generators_follow_their_seed_and_their_state() -> None:
    draws = []
    for seed in (1, 1, 2, 2 + (1 << 32)):  # numpy takes 32 bits of it
        seed_global_generators(seed)
        draws.append(drawn())
    assert draws[0] == draws[1]
    assert draws[0][0] != draws[2][0]
    assert draws[0][1] != draws[2][1] == draws[3][1]
    state = global_generator_state()
    first, _ = drawn(), drawn()
    set_global_generators(state)
    assert drawn() == first


@pytest.mark.usefixtures("kept_generators")
def test_agents_in_one_process_draw_what_they_would_draw_alone() -> None:
    seed_global_generators(5)
    alone = [drawn() for _ in range(4)]
    one, other = OwnGenerators(5), OwnGenerators(6)
    found = []
    for _ in range(4):
        with one.in_use():
            found.append(drawn())
        with other.in_use():
            drawn()
    assert found == alone
