"""A fair queue of worker tasks: by priority, then by address (start-time fair queueing), then FIFO.

An address that queues many or long tasks delays its own tasks, not those of others.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

PLAYER_MOVE, QUERY, SPECTACLE = 0, 1, 2
"""Priorities: moves of agents that play people; queries (hints, insights, warm-ups, checks); moves
in games that people only watch."""
PRIORITIES = PLAYER_MOVE, QUERY, SPECTACLE
MIN_COST = 0.05
"""Seconds that the shortest task counts for."""
MAX_ADDRESSES = 10_000


class QueuedTask(Protocol):
    """What the queue needs to know of a task."""

    @property
    def priority(self) -> int: ...
    @property
    def address(self) -> str: ...
    @property
    def seconds(self) -> float:
        """How long it may take."""
        ...


J = TypeVar("J", bound=QueuedTask)


class FairQueue(Generic[J]):
    """Queued tasks of `slots` workers.

    Tasks longer than `short_seconds` may occupy all workers but one: a short task finds a worker
    within `short_seconds` plus the tasks before it.
    """

    def __init__(self, slots: int, short_seconds: float) -> None:
        self._most_long = max(1, slots - 1)
        self._short_seconds = short_seconds
        self._changed = threading.Condition()
        self._queues: dict[int, OrderedDict[str, deque[J]]] = {p: OrderedDict() for p in PRIORITIES}
        self._virtual = 0.0
        """The start tag of the last task that was taken (virtual time)."""
        self._tags: OrderedDict[str, float] = OrderedDict()
        """By address: the start tag of its next task."""
        self._long = 0
        """Long tasks that are running."""

    def put(self, job: J) -> None:
        with self._changed:
            queues = self._queues[job.priority]
            queues.setdefault(job.address, deque()).append(job)
            self._changed.notify()

    def get(self, timeout: float | None = None) -> J | None:
        """The next task that may run; None after `timeout` seconds. `done` must follow."""
        with self._changed:
            found = self._changed.wait_for(lambda: self._next() is not None, timeout)
            job = self._next() if found else None
            if job is None:
                return None
            self._remove(job)
            self._long += self._is_long(job)
            tag = max(self._tags.get(job.address, 0.0), self._virtual)
            self._virtual = tag
            self._tags[job.address] = tag + max(MIN_COST, job.seconds)
            self._tags.move_to_end(job.address)
            if len(self._tags) > MAX_ADDRESSES:
                self._tags.popitem(last=False)
            return job

    def done(self, job: J) -> None:
        """The task has ended: its worker is free."""
        with self._changed:
            self._long -= self._is_long(job)
            self._changed.notify()

    def place(self, job: J) -> int:
        """How many tasks are expected to run before this one, counted from 1; 0: it has begun."""
        with self._changed:
            queues = self._queues[job.priority]
            own = queues.get(job.address, ())
            if job not in own:
                return 0
            ahead = list(own).index(job)
            better = sum(
                len(queue)
                for priority in PRIORITIES
                if priority < job.priority
                for queue in self._queues[priority].values()
            )
            others = sum(
                min(len(queue), ahead + 1)
                for address, queue in queues.items()
                if address != job.address
            )
            return better + others + ahead + 1

    def waiting_of(self, address: str) -> int:
        """Queued tasks of one address."""
        with self._changed:
            return sum(len(queues.get(address, ())) for queues in self._queues.values())

    def __len__(self) -> int:
        with self._changed:
            return sum(len(queue) for queue in self._all_queues())

    def _all_queues(self) -> Iterator[deque[J]]:
        for queues in self._queues.values():
            yield from queues.values()

    def _next(self) -> J | None:
        for priority in PRIORITIES:
            able = [
                (max(self._tags.get(address, 0.0), self._virtual), number, queue[0])
                for number, (address, queue) in enumerate(self._queues[priority].items())
                if not self._is_long(queue[0]) or self._long < self._most_long
            ]
            if able:
                return min(able, key=lambda entry: entry[:2])[2]
        return None

    def _remove(self, job: J) -> None:
        queues = self._queues[job.priority]
        queues[job.address].popleft()
        if not queues[job.address]:
            del queues[job.address]

    def _is_long(self, job: J) -> bool:
        return job.seconds > self._short_seconds
