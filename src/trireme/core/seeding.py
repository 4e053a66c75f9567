"""Random streams: from one seed, an independent generator for chance and for every seat.

Fleets and openings stay the same whatever agents play, and what one seat draws does not change what
another draws. A seat's stream comes from the seed by a keyed hash, which can't be inverted: nothing
that an agent can reach in its generator tells the seed, from which it could compute chance moves.
"""

from __future__ import annotations

import hashlib
import random
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence
from numpy.random.bit_generator import ISpawnableSeedSequence
from numpy.typing import NDArray

from .game import CHANCE, Seat

_KEY = b"trireme: streams of seats"


class HashedSeed(ISpawnableSeedSequence):
    """A seed sequence (as numpy calls what feeds its generators) made from a BLAKE2b digest."""

    def __init__(self, digest: bytes) -> None:
        self._digest = digest
        self._children = 0

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        size = n_words * np.dtype(dtype).itemsize
        stream = hashlib.shake_256(b"state" + self._digest).digest(size)
        return np.frombuffer(stream, dtype).copy()

    def spawn(self, n_children: int) -> list[HashedSeed]:
        first, self._children = self._children, self._children + n_children
        return [self._child(number) for number in range(first, self._children)]

    def _child(self, number: int) -> HashedSeed:
        return HashedSeed(hashlib.blake2b(b"child %d" % number, key=self._digest).digest())


def seat_digest(seed: int, seat: Seat, *place: int) -> bytes:
    """What a seat's generator is made from: 64 bytes that do not tell the seed.

    `place` is a decision's place in the game, where each decision has a generator of its own.
    """
    return hashlib.blake2b(b" ".join(b"%d" % n for n in (seed, seat, *place)), key=_KEY).digest()


def global_seed(seed: int, seat: Seat) -> int:
    """A 64-bit seed for the generators of `random` and numpy that the agent of a seat may use."""
    digest = hashlib.blake2b(b"global", key=seat_digest(seed, seat), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def seed_global_generators(seed: int) -> None:
    """Seed the global generators of `random` and numpy."""
    random.seed(seed)
    np.random.seed(seed % (1 << 32))


def global_generator_state() -> tuple[Any, Any]:
    """The state of the global generators of `random` and numpy."""
    return random.getstate(), np.random.get_state()


def set_global_generators(state: tuple[Any, Any]) -> None:
    """Put the global generators into a state that `global_generator_state` gave."""
    random.setstate(state[0])
    np.random.set_state(state[1])


class OwnGenerators:
    """States of the global generators for one agent among others in the same process.

    What it draws from `random` and `numpy.random` depends on nobody else, as in a process of its
    own. The state that was there before is not restored.
    """

    def __init__(self, seed: int) -> None:
        """`seed`: as `global_seed` gives it."""
        self._seed = seed
        self._state: tuple[Any, Any] | None = None

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """In this block, `random` and `numpy.random` go on where the last such block ended."""
        if self._state is None:
            seed_global_generators(self._seed)
        else:
            set_global_generators(self._state)
        try:
            yield
        finally:
            self._state = global_generator_state()


def seat_generator(digest: bytes) -> Generator:
    """The generator of a seat, also in a process that must not know the game's seed."""
    return Generator(PCG64(HashedSeed(digest)))  # type: ignore[arg-type]


def stream(seed: int, seat: Seat) -> Generator:
    """The generator of one seat (or of `CHANCE`) in the game with this seed."""
    if seat == CHANCE:
        return Generator(PCG64(SeedSequence(seed, spawn_key=(0,))))
    return seat_generator(seat_digest(seed, seat))


def streams(seed: int, seats: int) -> dict[Seat, Generator]:
    """The generators of chance and of every seat."""
    return {seat: stream(seed, seat) for seat in (CHANCE, *range(seats))}


def fresh_seed() -> int:
    """A seed from the operating system: too long to be found by trying, exact as a JSON number."""
    return secrets.randbits(53)
