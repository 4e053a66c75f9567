"""Random streams: from one seed, an independent generator for chance and for every seat.

Fleets and openings stay the same whatever agents play, and what one seat draws does not change what
another draws.
"""

from numpy.random import PCG64, Generator, SeedSequence

from .game import CHANCE, Seat


def stream(seed: int, seat: Seat) -> Generator:
    """The generator of one seat (or of `CHANCE`) in the game with this seed."""
    return Generator(PCG64(SeedSequence(seed, spawn_key=(seat - CHANCE,))))


def streams(seed: int, seats: int) -> dict[Seat, Generator]:
    """The generators of chance and of every seat."""
    return {seat: stream(seed, seat) for seat in (CHANCE, *range(seats))}


def fresh_seed() -> int:
    """A seed from the operating system, short enough to type."""
    return int(SeedSequence().generate_state(1)[0])
