"""Random streams: the same for the same seed in every version, and one for each seat."""

import numpy as np

from trireme import CHANCE
from trireme.core.seeding import HashedSeed, fresh_seed, global_seed, stream, streams

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
