"""Token buckets, quotas and the fair queue by themselves, with a clock that the tests set."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from trireme.server.limits import Quotas, RateLimiter, ServerLimits, TokenBucket, quota_key
from trireme.server.protocol.codes import Refusal
from trireme.server.workers import fair_queue
from trireme.server.workers.fair_queue import MIN_COST, PLAYER_MOVE, QUERY, SPECTACLE, FairQueue


def test_a_bucket_is_full_at_first_and_fills_up_to_its_burst() -> None:
    bucket = TokenBucket(rate=2, burst=3, now=10)
    assert [bucket.take(10) for _ in range(4)] == [True, True, True, False]
    assert not bucket.take(10.49)
    assert bucket.take(10.5)
    assert [bucket.take(1000) for _ in range(4)] == [True, True, True, False], "no more than 3"


def test_what_is_refused_takes_nothing() -> None:
    bucket = TokenBucket(rate=1, burst=2, now=0)
    assert bucket.take(0)
    assert not any(bucket.take(0, 2) for _ in range(3))
    assert bucket.wait(0, 2) == 1


def test_what_is_larger_than_the_bucket_leaves_a_debt() -> None:
    bucket = TokenBucket(rate=1, burst=2, now=0)
    assert bucket.take(0, 5)
    assert bucket.wait(0, 1) == 4


def test_what_is_spent_comes_from_a_bucket_that_has_filled_up() -> None:
    bucket = TokenBucket(rate=1, burst=2, now=0)
    bucket.spend(10, 1)
    assert bucket.wait(10, 2) == 1, "nothing beyond the burst was saved"


def test_without_a_rate_nothing_ever_comes_back() -> None:
    bucket = TokenBucket(rate=0, burst=1, now=0)
    assert bucket.take(0)
    assert bucket.wait(10**9) == math.inf
    assert bucket.wait(10**9, 0) == 0


def test_only_the_most_recently_used_addresses_have_a_bucket() -> None:
    limiter = RateLimiter(rate=1, burst=1, max_keys=2)
    a, b = limiter.bucket("a", 0), limiter.bucket("b", 0)
    assert limiter.bucket("a", 0) is a
    limiter.bucket("c", 0)
    assert limiter.bucket("a", 0) is a
    assert limiter.bucket("b", 0) is not b


@pytest.mark.parametrize(
    ("rate", "spent", "seconds"),
    [(1, 1.5, 2), (100, 1, 1), (1e-9, 1, 3600), (0, 1, 3600)],
)
def test_a_refusal_says_whole_seconds_from_one_to_an_hour(
    rate: float, spent: float, seconds: int
) -> None:
    limits = ServerLimits(byte_rate=rate, byte_burst=1)
    quotas = Quotas(limits, lambda: 0.0, lambda *_: None, lambda _: None)
    quotas.spend("bytes", "a", 1)
    quotas.require("bytes", "a")
    quotas.spend("bytes", "a", spent)
    with pytest.raises(Refusal, match=f"try again in {seconds} s") as refusal:
        quotas.require("bytes", "a")
    assert refusal.value.retry_after == seconds


def test_each_resource_has_the_rate_and_the_burst_of_its_limits() -> None:
    limits = ServerLimits(
        request_rate=1, request_burst=2, page_rate=9, page_burst=10, room_rate=3, room_burst=4,
        address_message_rate=11, address_message_burst=12,
        cpu_rate=5, cpu_burst=6, byte_rate=7, byte_burst=8,
    )  # fmt: skip
    quotas = Quotas(limits, lambda: 0.0, lambda *_: None, lambda _: None)
    for resource, rate, burst in (
        ("requests", 1, 2),
        ("pages", 9, 10),
        ("messages", 11, 12),
        ("rooms", 3, 4),
        ("cpu", 5, 6),
        ("bytes", 7, 8),
    ):
        bucket = quotas._bucket(resource, "a")  # type: ignore[arg-type]
        assert bucket.wait(0, burst) == 0
        assert bucket.take(0, burst)
        assert bucket.wait(0, rate) == pytest.approx(1)


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
    ],
)
def test_a_network_shares_a_quota(address: str, key: str) -> None:
    assert quota_key(address) == key


# The fair queue


@dataclass(eq=False)
class Job:
    """A task of the queue, with a name to tell it by."""

    address: str
    seconds: float = 1.0
    priority: int = PLAYER_MOVE


def addresses(queue: FairQueue[Job], count: int) -> str:
    """Who is served next, one after another."""
    served = []
    for _ in range(count):
        job = queue.get(timeout=0)
        assert job is not None
        queue.done(job)
        served.append(job.address)
    return "".join(served)


def filled(*jobs: Job, slots: int = 2) -> FairQueue[Job]:
    queue: FairQueue[Job] = FairQueue(slots, short_seconds=2)
    for job in jobs:
        queue.put(job)
    return queue


def test_an_empty_queue_has_nothing_and_counts_nothing() -> None:
    queue = filled()
    assert queue.get(timeout=0) is None
    assert len(queue) == queue.waiting_of("a") == 0


def test_waiting_tasks_are_counted_over_all_priorities() -> None:
    queue = filled(Job("a"), Job("a", priority=QUERY), Job("b", priority=SPECTACLE), Job("a"))
    assert (len(queue), queue.waiting_of("a"), queue.waiting_of("b")) == (4, 3, 1)
    assert addresses(queue, 4) == "aaab"
    assert len(queue) == 0


def test_addresses_take_turns_in_the_order_in_which_they_came() -> None:
    assert addresses(filled(*map(Job, "aaabbc")), 6) == "abcaba"


def test_whoever_paused_has_saved_nothing() -> None:
    queue = filled(*map(Job, "aaaa"))
    assert addresses(queue, 4) == "aaaa"
    for name in "bbbbaaaa":
        queue.put(Job(name))
    # b comes in at a's last start, 3, and a's next is 4: from then on they take turns
    assert addresses(queue, 8) == "bbababaa"


def test_tasks_of_no_time_still_count() -> None:
    queue = filled(*(Job("a", seconds=0) for _ in range(60)), *(Job("b") for _ in range(2)))
    served = addresses(queue, 62)
    first, second = (i for i, name in enumerate(served) if name == "b")
    assert first == 1
    assert second - first == pytest.approx(1 / MIN_COST, abs=2)


def test_a_single_worker_takes_long_tasks_one_at_a_time() -> None:
    queue = filled(Job("a", 9), Job("b", 9), slots=1)
    first = queue.get(0)
    assert first is not None
    assert queue.get(0) is None
    queue.done(first)
    assert queue.get(0) is not None


def test_long_tasks_occupy_all_workers_but_one() -> None:
    queue = filled(*(Job(name, 9) for name in "abcd"), slots=4)
    assert [job is not None for job in (queue.get(0) for _ in range(4))] == [True] * 3 + [False]


def test_a_waiting_worker_is_woken_by_each_change(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, woken = filled(), []
    monkeypatch.setattr(queue._changed, "notify", lambda: woken.append(len(queue)))
    queue.put(Job("a"))
    job = queue.get(0)
    assert job is not None
    queue.done(job)
    assert woken == [1, 0]


def test_a_task_as_long_as_a_short_one_is_short() -> None:
    queue = filled(Job("a", 2), Job("b", 2), Job("c", 2.01), Job("d", 2.01), slots=2)
    taken = [queue.get(0) for _ in range(4)]
    assert [job and job.address for job in taken] == ["a", "b", "c", None]


def test_the_place_counts_better_tasks_turns_of_others_and_own_ones() -> None:
    own = [Job("a") for _ in range(3)]
    queue = filled(*own, *map(Job, "bbbbb"), Job("c"), Job("d", priority=QUERY))
    # a's n-th task waits for n tasks of each other address, as far as there are any
    assert [queue.place(job) for job in own] == [3, 5, 7]
    watched = Job("a", priority=SPECTACLE)
    queue.put(watched)
    assert queue.place(watched) == 11
    assert queue.place(Job("z")) == 0


def test_the_times_of_so_many_addresses_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "MAX_ADDRESSES", 2)
    queue = filled()
    for name in "abac":
        queue.put(Job(name))
        assert addresses(queue, 1) == name
    assert set(queue._tags) == {"a", "c"}, "b was served least recently"
