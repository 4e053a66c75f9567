"""A network proposes, a language model chooses: rl+llm, dqn+llm and zero+llm."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import trireme
from trireme.battleship.agents.rl import RLPolicy
from trireme.core.errors import BadSpec
from trireme.core.game import Turn
from trireme.core.registry import make_agent, make_game
from trireme.core.session import Session
from trireme.gomoku.agents.dqn import values
from trireme.llm import candidates
from trireme.llm.scripted import Asked, Misbehaviour, ScriptedEndpoint

from .scripts import say, spec

pytest.importorskip("onnxruntime")


def proposed(asked: Asked) -> list[tuple[str, float]]:
    """The candidates of a prompt, with their values."""
    (block,) = re.findall(r"<candidates>\n(.*?)\n</candidates>", asked.messages[0][1], re.S)
    pairs = (line.rsplit(": ", 1) for line in str(block).split("\n"))
    return [(action, float(value)) for action, value in pairs]


def choosing(rank: int, seen: list[Asked] | None = None) -> Any:
    """A script that takes the candidate of this rank."""

    def script(asked: Asked) -> str:
        if seen is not None:
            seen.append(asked)
        found = proposed(asked)
        return say(found[min(rank, len(found) - 1)][0])

    return script


@pytest.mark.slow
def test_choosing_the_first_proposal_always_is_the_network_itself() -> None:
    with ScriptedEndpoint(choosing(0)) as endpoint:
        for game, hybrid, parent in (
            ("battleship", "rl+llm", "rl"),
            ("gomoku:size=9", "dqn+llm", "dqn"),
            ("gomoku:size=9", "zero+llm", "zero:simulations=8"),
        ):
            options = [parent.partition(":")[2]] if ":" in parent else []
            rivals = ["random"] * (make_game(game).seats - 1)
            both = [
                trireme.play(game, [agent, *rivals], seed=3).record.moves
                for agent in (spec(endpoint, *options, agent=hybrid), parent)
            ]
            assert both[0] == both[1]


def test_proposals_are_the_networks_best_with_falling_values() -> None:
    seen: list[Asked] = []
    game = make_game("gomoku:size=9,position=e5d4")
    turn = Session(game, ["a", "b"], seed=0).turn(0)
    with ScriptedEndpoint(choosing(2, seen)) as endpoint:
        agent = make_agent(game, spec(endpoint, "k=3", agent="dqn+llm"))
        action = agent.act(turn)
        agent.close()  # type: ignore[attr-defined]
    found = proposed(seen[0])
    q = values(game, turn.view)  # type: ignore[arg-type]
    order = np.argsort(-q.ravel(), kind="stable")[:3]
    assert [name for name, _ in found] == [game.write(divmod(int(p), 9)) for p in order]
    assert [value for _, value in found] == sorted((v for _, v in found), reverse=True)
    assert game.write(action) == found[2][0]


def test_what_was_not_proposed_is_refused_and_the_best_proposal_stands_in() -> None:
    game = make_game("battleship")
    turn = Session(game, ["a"], seed=5).turn(0)
    best = RLPolicy().act(turn)
    seen: list[Asked] = []

    def stubborn(asked: Asked) -> str:
        seen.append(asked)
        other = next(a for a in turn.legal if game.write(a) not in dict(proposed(asked)))
        return say(game.write(other))

    with ScriptedEndpoint(stubborn) as endpoint:
        agent: Any = make_agent(game, spec(endpoint, agent="rl+llm"))
        assert agent.act(turn) == best
        assert agent._own == [game.write(best)], "the next prompt tells of it"
        assert [e.kind for e in agent.take_exchanges()] == ["illegal"] * 3
        agent.close()
    assert "Choose one of the candidates: " in seen[1].prompt
    with ScriptedEndpoint(lambda _: Misbehaviour(401)) as endpoint:
        result = trireme.play(game, [spec(endpoint, "fallback=forfeit", agent="rl+llm")], seed=5)
    assert result.forfeits[0].reason == "process"


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        ("battleship:duel=true", "rl+llm"),
        ("battleship:duel=true,salvo=true", "rl+llm"),
        ("gomoku:size=9,opening=swap2", "dqn+llm"),
        ("gomoku:size=9,opening=swap2", "zero+llm"),
    ],
)
def test_hybrids_play_every_variant(game: str, agent: str) -> None:
    with ScriptedEndpoint(choosing(1)) as endpoint:
        result = trireme.play(game, [spec(endpoint, agent=agent), "random"], seed=2)
    assert result.forfeits == ()


def test_a_salvo_of_candidates_is_legal() -> None:
    game = make_game("battleship:salvo=true")
    turn: Turn[Any, Any] = Session(game, ["a"], seed=5).turn(0)
    agent: Any = make_agent(game, "rl+llm:model=m,url=http://127.0.0.1:9,k=4")
    found = agent.candidates(turn)
    assert len(found) == 4
    assert all(c.action in turn.legal for c in found)
    assert len({c.action for c in found}) == 4


def test_zero_proposes_the_moves_of_its_search_with_their_values() -> None:
    seen: list[Asked] = []
    game = make_game("gomoku:size=9,position=e5d4")
    turn = Session(game, ["a", "b"], seed=0).turn(0)
    with ScriptedEndpoint(choosing(2, seen)) as endpoint:
        agent: Any = make_agent(game, spec(endpoint, "k=3,simulations=16", agent="zero+llm"))
        action = agent.act(turn)
        agent.close()
    search = make_agent(game, "zero:simulations=16")
    moves = search.analyse(game, turn.view, top=3).moves  # type: ignore[attr-defined]
    assert proposed(seen[0]) == [(game.write(m.move), round(m.value, 3)) for m in moves]
    assert game.write(action) == proposed(seen[0])[2][0]


def test_a_win_that_zero_has_proven_is_played_without_asking() -> None:
    game = make_game("gomoku:size=9,position=c5a1d5a3e5b9")
    turn = Session(game, ["a", "b"], seed=0).turn(0)
    with ScriptedEndpoint(lambda _: Misbehaviour(500)) as endpoint:
        agent: Any = make_agent(game, spec(endpoint, agent="zero+llm"))
        action = agent.act(turn)
        assert agent.take_exchanges() == []
        agent.close()
    assert game.write(action) in ("b5", "f5")


@pytest.mark.parametrize("agent", ["rl+llm", "dqn+llm", "zero+llm"])
def test_a_network_must_propose_something(agent: str) -> None:
    game = "battleship" if agent == "rl+llm" else "gomoku"
    with pytest.raises(BadSpec, match="k must be at least 1, not 0"):
        make_agent(game, f"{agent}:model=m,k=0")
    make_agent(game, f"{agent}:model=m,k=1")


def test_zero_needs_a_simulation() -> None:
    with pytest.raises(BadSpec, match="more than"):
        make_agent("gomoku", "zero+llm:model=m,simulations=0")


def test_the_model_has_the_time_that_the_network_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("gomoku:size=9,position=e5d4")
    turn = Session(game, ["a", "b"], seed=0).turn(0, 10.0)
    agent: Any = make_agent(game, "dqn+llm:model=m,url=http://127.0.0.1:9")
    given: list[float | None] = []
    monkeypatch.setattr(agent, "converse", lambda turn, *_: given.append(turn.seconds))
    ticks = iter((100.0, 103.0))
    monkeypatch.setattr(candidates, "time", type("Clock", (), {"monotonic": lambda: next(ticks)}))
    agent.act(turn)
    assert given == [7.0]
