"""How many games a worker gets at once."""

from trireme.arena.executors.chunk_size import CHUNK_SECONDS, ChunkSizer
from trireme.arena.outcome import Outcome, Played

MANY = 10**6


def games(count: int, seconds: float) -> list[Played]:
    outcome = Outcome(0, (1.0, -1.0), 9, "", (0.0, 0.0), (5, 4))
    return [Played(outcome, "", duration=seconds)] * count


def test_the_first_chunks_are_single_games() -> None:
    sizer = ChunkSizer()
    assert sizer.next_size(MANY, 2) == 1
    sizer.add([])
    assert sizer.next_size(MANY, 2) == 1


def test_chunks_take_their_time_whatever_games_take() -> None:
    for seconds in (1 / 256, 1 / 16, 0.25):
        sizer = ChunkSizer()
        sizer.add(games(10, seconds))
        assert sizer.next_size(MANY, 2) == int(CHUNK_SECONDS / seconds)
    sizer.add(games(10, 9.0))
    assert sizer.next_size(MANY, 2) == 1
    quick = ChunkSizer()
    quick.add(games(10, 0.0))
    assert quick.next_size(MANY, 2) == 500


def test_a_first_game_that_compiles_is_soon_forgotten() -> None:
    sizer = ChunkSizer()
    sizer.add(games(1, 30.0))
    assert sizer.next_size(MANY, 2) == 1
    for _ in range(10):
        sizer.add(games(8, 0.005))
    assert sizer.next_size(MANY, 2) > 60


def test_chunks_shrink_towards_the_end() -> None:
    sizer = ChunkSizer()
    sizer.add(games(10, 1 / 256))
    assert [sizer.next_size(left, 4) for left in (800, 400, 80, 8, 7, 1)] == [100, 50, 10, 1, 1, 1]
