"""The Ray executor on a real cluster of two nodes, one of which is lost in mid-match."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trireme import make_game
from trireme.arena import Match, entrants, results_hash, run_match, start
from trireme.arena.executors import ArenaError
from trireme.arena.executors.ray import RayCluster
from trireme.arena.player import Job
from trireme.arena.schedule import schedule

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
pytest.importorskip("ray", reason="Ray is not installed (pip install 'trireme-lab[ray]')")

AGENTS = Path(__file__).with_name("broken_agents.py")
GAME = make_game("gomoku", size=7)


def add_node(cluster: Any, **options: Any) -> None:
    """Ray gives a node 30 s to start, which a busy machine may miss: then it is asked again."""
    for timeout in (2, 1, 0):
        try:
            cluster.add_node(num_cpus=2, **options)
            return
        except Exception as error:
            if not timeout or "timed out" not in str(error):
                raise


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Two nodes with two cores each; this process is connected to the first."""
    import ray
    from ray.cluster_utils import Cluster

    made = Cluster()
    add_node(made, include_dashboard=False)
    add_node(made)
    made.wait_for_nodes()
    ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
    yield made
    ray.shutdown()
    made.shutdown()


def make_match(*agents: str, **conditions: Any) -> Match:
    return Match(GAME, entrants(GAME, agents), **conditions)


def test_a_cluster_gives_the_results_of_one_process_even_when_a_node_is_lost(
    cluster: Any, tmp_path: Path
) -> None:
    """One test, because a cluster takes long to start: first forfeits, then equal results."""
    made = make_match(f"{AGENTS}:Dies", f"{AGENTS}:Hangs", games=2, limit=1.0)
    outcomes = run_match(start(made, tmp_path / "broken"), executor="ray", workers=2).outcomes
    reasons = sorted(f.reason for outcome in outcomes.values() for f in outcome.forfeits)
    assert reasons == ["process", "time"]
    made = make_match("random", f"{AGENTS}:Careful:pause=0.002", games=40)
    calm = run_match(start(made, tmp_path / "serial"), executor="serial")
    expected = results_hash(calm.outcomes.values())
    whole = run_match(start(made, tmp_path / "ray"), executor="ray", workers=4)
    assert results_hash(whole.outcomes.values()) == expected
    found = []
    (other,) = [n for n in cluster.list_all_nodes() if n is not cluster.head_node]
    with RayCluster(Job.of(made), workers=4, address=None) as crew:
        for played in crew.run(list(schedule(made))):
            found.append(played.outcome)
            if len(found) == 3:
                cluster.remove_node(other, allow_graceful=False)
    assert sorted(o.number for o in found) == list(range(40))
    assert results_hash(found) == expected


def test_no_cluster_at_an_address_is_an_error_that_says_so() -> None:
    with pytest.raises(ArenaError, match="no Ray cluster answers"):
        RayCluster(Job.of(make_match("random", "random")), None, "127.0.0.1:1")
