"""The Ray executor on a real cluster of two nodes, one of which is lost in mid-match."""

from pathlib import Path
from typing import Any

import pytest

from trireme import make_game
from trireme.arena import Match, entrants, results_hash, run_match, start
from trireme.arena.executors import ArenaError
from trireme.arena.executors.ray import RayCluster
from trireme.arena.job import Job
from trireme.arena.schedule import schedule

from .test_live import check_running_board

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
pytest.importorskip("ray", reason="Ray is not installed (pip install 'trireme-lab[ray]')")

AGENTS = Path(__file__).with_name("broken_agents.py")
GAME = make_game("gomoku", size=7)


def make_match(*agents: str, **conditions: Any) -> Match:
    return Match(GAME, entrants(GAME, agents), **conditions)


def test_a_cluster_gives_the_results_of_one_process_even_when_a_node_is_lost(
    two_nodes: Any, tmp_path: Path
) -> None:
    """One test, because a cluster takes long to start: boards, forfeits, then equal results."""
    check_running_board(tmp_path / "boards", "ray")
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
    (other,) = [n for n in two_nodes.list_all_nodes() if n is not two_nodes.head_node]
    with RayCluster(Job.of(made), workers=4, address=None) as crew:
        for played in crew.run(list(schedule(made))):
            found.append(played.outcome)
            if len(found) == 3:
                two_nodes.remove_node(other, allow_graceful=False)
    assert sorted(o.number for o in found) == list(range(40))
    assert results_hash(found) == expected


def test_no_cluster_at_an_address_is_an_error_that_says_so() -> None:
    with pytest.raises(ArenaError, match="no Ray cluster answers"):
        RayCluster(Job.of(make_match("random", "random")), None, "127.0.0.1:1")
