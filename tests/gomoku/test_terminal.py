"""What Gomoku adds to the prompt."""

from pathlib import Path

import numpy as np
import pytest

from trireme.core.errors import BadSpec, TriremeError
from trireme.core.registry import find, load
from trireme.core.session import Session
from trireme.gomoku.agents import dqn, zero
from trireme.gomoku.agents.search import Search
from trireme.gomoku.engine.analysis import scaled_value
from trireme.gomoku.rules import Gomoku
from trireme.gomoku.show import terminal
from trireme.gomoku.show.insight import by_network, insight
from trireme.gomoku.show.terminal import GomokuTerminal


class Paper:
    """A screen that keeps its output, with answers prepared."""

    def __init__(self, session: Session, *answers: str) -> None:
        self.session, self.seat, self.colour = session, 0, False
        self.said: list[str] = []
        self.answers = list(answers)

    def say(self, text: str) -> None:
        self.said.append(text)

    def ask(self, question: str) -> str:
        return self.answers.pop(0)

    def run(self, word: str, text: str = "") -> str:
        self.said.clear()
        GomokuTerminal.commands[word].run(self, text)
        return "\n".join(self.said)


def paper(*moves: str, game: Gomoku | None = None) -> Paper:
    return Paper(Session(game or Gomoku(), ["human", "human"], seed=1, opening=moves))


FOUR = ("h8", "a1", "i8", "b5", "j8", "c9", "k8", "d13")


def test_a_hint_names_the_winning_move() -> None:
    said = paper(*FOUR).run("hint", "0.2")
    assert "g8 wins in 1" in said or "l8 wins in 1" in said


@pytest.fixture
def by_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine searches as deep on a slow machine as on a fast one."""
    engine = Search(nodes=30_000)
    monkeypatch.setattr(terminal, "_engine", lambda: engine)


@pytest.mark.usefixtures("by_nodes")
def test_hints_give_several_moves_with_values() -> None:
    assert paper("h8", "i9").run("hint", "60").count("·") == 4


@pytest.mark.usefixtures("by_nodes")
def test_analysis_shows_depths_values_and_the_line() -> None:
    lines = paper("h8", "i9", "h9").run("analyse", "60").splitlines()
    assert lines[0].split() == ["depth", "nodes", "value", "line"]
    assert len(lines) > 4
    assert int(lines[1].split()[0]) == 2


def test_a_position_is_set_up_in_the_same_record() -> None:
    screen = paper("h8", "h9")
    drawn = screen.run("setup", "a1 b2 c3")
    assert "(X)" in drawn
    assert screen.session.state.stones == ((0, 0), (1, 1), (2, 2))
    assert screen.session.to_move == (1,)
    record = screen.session.record
    assert [list(m.values()) for m in record.moves] == [["a1"], ["b2"], ["c3"]]
    record.verify()


def test_the_stones_are_asked_for_where_none_are_given() -> None:
    screen = paper()
    screen.answers.append("h8")
    screen.run("setup")
    assert screen.session.state.stones == ((7, 7),)


@pytest.mark.parametrize(
    ("word", "text"),
    [("setup", "h8 h8"), ("setup", "x"), ("hint", "soon"), ("hint", "-1"), ("analyse", "1e9")],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(word: str, text: str) -> None:
    screen = paper("h8", "h9")
    with pytest.raises(TriremeError):
        screen.run(word, text)
    assert len(screen.session.state.stones) == 2


def test_seats_are_called_by_their_colours_once_these_are_settled() -> None:
    name = load(find("gomoku").terminal)().seat_name
    plain, swap2 = Gomoku(), Gomoku(opening="swap2")
    assert [name(plain, plain.start(), s) for s in (0, 1)] == ["black", "white"]
    assert name(swap2, swap2.start(), 0) == "first player"
    swapped = paper("h8", "h9", "i9", "black", game=swap2).session.state
    assert [name(swap2, swapped, s) for s in (0, 1)] == ["white", "black"]


def test_insight_is_plain_and_knows_what_is_won() -> None:
    session = paper(*FOUR).session
    found = insight(session.game, session.state, 0, 0.2, np.random.default_rng(1))
    assert found["value"] == 1.0
    assert found["moves"][0]["action"] in ("g8", "l8")
    assert found["moves"][0]["plies"] == 1
    assert scaled_value(0) == 0.0
    assert -1 < scaled_value(-5000) < scaled_value(100) < 1
    with pytest.raises(TriremeError):
        insight(session.game, session.state, 1, 0.2, np.random.default_rng(1))


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dqn network that ships; for zero one without opinions, which is quicker."""
    pytest.importorskip("onnxruntime", reason="networks need onnxruntime")
    no_opinion = lambda board, _: (np.zeros(len(board)), 0.0)  # noqa: E731
    monkeypatch.setattr(zero, "evaluator", lambda _: no_opinion)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(dqn, "MODEL", tmp_path / "network.onnx")
    monkeypatch.setattr(dqn, "evaluator", dqn.evaluator.__wrapped__)
    monkeypatch.setattr(zero, "MODEL", tmp_path / "network.onnx")
    monkeypatch.setattr(zero, "evaluator", zero.evaluator.__wrapped__)


@pytest.mark.usefixtures("network")
def test_the_network_gives_hints_by_name() -> None:
    screen = paper(*FOUR)
    said = screen.run("hint", "dqn").strip()
    best, value = said.split(" · ")[0].split()
    assert best in ("g8", "l8")
    assert float(value) > 0.5
    assert len(said.split(" · ")) == 5


@pytest.mark.usefixtures("network")
def test_zero_gives_hints_by_name() -> None:
    assert paper("h8", "i9").run("hint", "zero").count("·") == 4
    best, value = paper(*FOUR).run("hint", "zero").split()
    assert best in ("g8", "l8")
    assert value == "+1.00"


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize("size", [9, 15, 19])
def test_the_networks_hints_are_its_highest_values_on_free_points(size: int) -> None:
    game = Gomoku(size)
    state = paper("e5", "f6", "e6", game=game).session.state
    value = dqn.values(game, state)
    found = by_network(game, state)
    points = [game.read(move["action"]) for move in found["moves"]]
    assert not set(points) & set(state.stones)
    assert [value[p] for p in points] == sorted(value.ravel(), reverse=True)[:5]
    assert all(-1 <= move["value"] <= 1 for move in found["moves"])
    assert found["value"] == found["moves"][0]["value"]


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize("stones", [(), ("h8", "i9")])
def test_insight_holds_the_networks_opinion_beside_the_engines(stones: tuple[str, ...]) -> None:
    session = paper(*stones).session
    found = insight(session.game, session.state, len(stones) % 2, 0.2, np.random.default_rng(1))
    for name in ("dqn", "zero"):
        assert found["opinions"][name]["moves"]
    assert found["unavailable"] == {}


@pytest.mark.usefixtures("no_network")
def test_without_its_network_the_engine_still_speaks_and_the_reason_is_told() -> None:
    screen = paper("h8", "i9")
    session = screen.session
    found = insight(session.game, session.state, 0, 0.2, np.random.default_rng(1))
    assert len(found["moves"]) == 5
    assert found["opinions"] == {}
    for name in ("dqn", "zero"):
        why = found["unavailable"][name]
        assert "no network" in why or "onnxruntime" in why
        with pytest.raises(BadSpec):
            screen.run("hint", name)
