"""The engine: what it must never miss, and that the same question gets the same answer."""

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme.core.errors import BadSpec
from trireme.core.play import play
from trireme.core.registry import make_agent
from trireme.gomoku.agents.search import LEVELS, Search
from trireme.gomoku.engine import helper_threads
from trireme.gomoku.engine import memory_kernels as mem
from trireme.gomoku.engine.alphabeta_kernels import alphabeta
from trireme.gomoku.engine.analysis import PROVEN_WIN, EngineAnalysis, SearchLimits, scaled_value
from trireme.gomoku.engine.engine import Engine, _continues
from trireme.gomoku.engine.proof_number_kernels import search_proof
from trireme.gomoku.engine.table_network import shipped_network
from trireme.gomoku.engine.threat_search_kernels import vcf
from trireme.gomoku.engine.transposition_kernels import probe, store
from trireme.gomoku.openings import balanced, first_stone
from trireme.gomoku.rules import Gomoku, GomokuState, Point, read_points

GAME = Gomoku()
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "gomoku_search.json").read_text())
QUICK = SearchLimits(nodes=4000)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(rows=1 << 16)


def analyse(
    engine: Engine, stones: str, limits: SearchLimits = QUICK, top: int = 1
) -> EngineAnalysis:
    state = GomokuState(tuple(read_points(GAME, stones)))
    engine.set_position(state.board().items(), state.colour)
    return engine.analyse(limits, top=top)


def at_(text: str) -> Point:
    (point,) = read_points(GAME, text)
    return point


def test_it_takes_a_five(engine: Engine) -> None:
    found = analyse(engine, "h8a1i8b5j8c9k8d13")
    assert found.best in (at_("g8"), at_("l8"))
    assert (found.proven, found.moves[0].plies) == (True, 1)


def test_a_wall_is_no_point_to_win_on(engine: Engine) -> None:
    state = GomokuState(tuple(read_points(GAME, "h8a1i8b5j8c9k8d13")))
    for wall, best in (("g8", "l8"), ("l8", "g8")):
        engine.set_position(state.board().items(), state.colour, [at_(wall)])
        assert engine.analyse(QUICK).best == at_(best)


def test_it_blocks_a_four(engine: Engine) -> None:
    assert analyse(engine, "g8h8a1i8b6j8c11k8").best == at_("l8")


def test_without_a_search_of_fours_it_takes_its_five_before_it_blocks_one(engine: Engine) -> None:
    both_have_a_four = "h8g8i8l1j8l2k8l3a1l4"  # black makes five at l8, white at l5
    found = analyse(engine, both_have_a_four, SearchLimits(depth=2, fours=False, threats=False))
    assert (found.best, found.proven) == (at_("l8"), True)


def test_it_does_not_take_six_for_five(engine: Engine) -> None:
    six = "g8a1h8c5i8e11k8g14l8i2"  # j8 would make six
    assert analyse(engine, six).best != at_("j8") or not analyse(engine, six).proven
    freestyle = Engine(exact=False, rows=1 << 12)
    assert analyse(freestyle, six).best == at_("j8")
    assert analyse(freestyle, six).proven


def test_it_lets_a_four_stand_that_could_only_become_six(engine: Engine) -> None:
    harmless = "g8a1h8b4i8c7k8m15l8"  # black to come to j8 makes six: white is free
    found = analyse(engine, harmless)
    assert found.best != at_("j8")


def test_a_proven_loss_is_reported_and_still_defended(engine: Engine) -> None:
    found = analyse(engine, "h8a1i8a15j8o1k8")  # an open four can't be stopped
    assert found.value <= -20_000
    assert found.best in (at_("g8"), at_("l8"))


def test_a_loss_of_the_moves_that_were_searched_is_not_called_proven(engine: Engine) -> None:
    two_open_threes = "d4a1e4c15f4o1k9o7k10m15k11"
    found = analyse(engine, two_open_threes, SearchLimits(depth=3, fours=False, threats=False))
    assert found.value <= -20_000
    assert not found.proven


def test_the_pv_begins_with_the_best_move_and_can_be_played(engine: Engine) -> None:
    found = analyse(engine, "h8i9h9h10g8", SearchLimits(nodes=60_000))
    assert found.line[0] == found.best
    state = GomokuState(tuple(read_points(GAME, "h8i9h9h10g8")))
    for point in found.line:
        assert point not in state.stones
        state = GomokuState((*state.stones, point))


def test_top_moves_come_best_first(engine: Engine) -> None:
    found = analyse(engine, "h8i9h9", SearchLimits(nodes=30_000), top=5)
    values = [c.value for c in found.moves]
    assert len(found.moves) == 5
    assert values == sorted(values, reverse=True)
    assert len({c.move for c in found.moves}) == 5


def test_what_was_searched_in_another_game_does_not_matter() -> None:
    first, second = Engine(rows=1 << 14), Engine(rows=1 << 14)
    limits = SearchLimits(nodes=20_000)
    one = analyse(first, "h8i9h9h10g8", limits)
    for before in ("h8i9h9h10g8j8g9", "h8i9h9h10g8"):  # neither is continued by what follows
        analyse(second, before, limits)
    second.set_position([((7, 7), 1)], -1)  # set, but not analysed
    two = analyse(second, "h8i9h9h10g8", limits)
    assert replace(one, seconds=0) == replace(two, seconds=0)


def test_another_game_finds_nothing_of_the_last_one(engine: Engine) -> None:
    analyse(engine, "h8i9h9h10g8", SearchLimits(nodes=20_000))
    memory = engine.memory
    kept = (memory.history, engine.proofs, engine.tables.no_win)
    assert all(array.any() for array in kept)
    engine.set_position([((0, 0), 1)], -1)
    assert not any(array.any() for array in kept)
    assert memory.kept_generations == 0


def test_a_position_goes_on_by_stones_alone() -> None:
    black, white, wall = (5, mem.BLACK), (6, mem.WHITE), (7, mem.WALL)
    assert _continues([black, white], [black])
    assert _continues([black, white, wall], [black, wall])
    assert not _continues([black], [black])
    assert not _continues([white], [black])
    assert not _continues([black, white, wall], [black])


def test_within_a_game_what_was_found_out_is_kept(engine: Engine) -> None:
    analyse(engine, "h8i9h9h10g8", SearchLimits(nodes=20_000))
    limits = SearchLimits(depth=4, fours=False, threats=False)
    fresh = analyse(Engine(rows=1 << 16), "h8i9h9h10g8j8i8", limits)
    assert analyse(engine, "h8i9h9h10g8j8i8", limits).nodes < fresh.nodes
    assert engine.memory.kept_generations == 2


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["stones"])
def test_a_search_visits_the_nodes_that_its_golden_file_has(case: dict[str, Any]) -> None:
    """What is only meant to be faster or to read better must not change the search."""
    game = Gomoku(size=case["size"], rule=case["rule"])
    state = GomokuState(tuple(read_points(game, case["stones"])))
    engine = Engine(game.size, game.rule == "standard", rows=1 << 14)
    engine.set_position(state.board().items(), state.colour)
    found = engine.analyse(SearchLimits(nodes=20_000), top=3)
    for field in ("depth", "nodes", "value", "proven"):
        assert getattr(found, field) == case[field]
    assert "".join(game.write(point) for point in found.line) == case["line"]
    assert {game.write(c.move): c.value for c in found.moves} == case["moves"]


def test_an_analysis_without_end_can_be_stopped_from_outside(engine: Engine) -> None:
    state = GomokuState(tuple(read_points(GAME, "h8i9h9")))
    engine.set_position(state.board().items(), state.colour)
    reported = threading.Event()
    found: list[EngineAnalysis] = []
    worker = threading.Thread(
        target=lambda: found.append(engine.analyse(SearchLimits(), report=lambda _: reported.set()))
    )
    worker.start()
    assert reported.wait(60)
    engine.stop()
    worker.join(60)
    assert not worker.is_alive()
    assert found[0].depth >= 2


def test_recursive_kernels_are_compiled_once() -> None:
    """A second signature would make numba's cache unusable for them."""
    for kernel in (vcf, search_proof, alphabeta):
        assert len(kernel.signatures) <= 1


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_plays_whole_games(level: str) -> None:
    agent = Search(level=level, nodes=300)  # type: ignore[arg-type]
    result = play(Gomoku(size=9), [agent, "random"], seed=3)
    assert result.returns == (1.0, -1.0)
    assert not result.forfeits


@pytest.mark.slow
def test_every_other_level_beats_the_easy_one() -> None:
    for weak, strong in (("easy", "medium"), ("easy", "full")):
        balance = 0.0
        for number in range(8):
            agents = [Search(level=weak, nodes=20_000), Search(level=strong, nodes=20_000)]  # type: ignore[arg-type]
            order = agents if number % 2 else agents[::-1]
            opening = [GAME.write(p) for p in balanced(15)[number // 2]]
            ended = play(GAME, order, seed=number, opening=opening)
            balance += ended.returns[order.index(agents[1])]
        assert balance > 0


def test_equal_seeds_give_equal_games_and_others_vary() -> None:
    def moves(seed: int) -> tuple[Point, ...]:
        agents = [Search(nodes=100), Search(nodes=100)]
        stones: tuple[Point, ...] = play(Gomoku(size=11), agents, seed=seed).state.stones
        return stones

    assert moves(1) == moves(1)
    assert len({moves(seed)[:6] for seed in range(3)}) > 1


@pytest.mark.parametrize("size", [5, 6, 26])
def test_it_plays_on_boards_of_every_size(size: int) -> None:
    result = play(Gomoku(size=size), [Search(nodes=300, depth=3), "heuristic"], seed=1)
    assert not result.forfeits


@pytest.mark.parametrize("agent", ["heuristic", "search:nodes=300", "random"])
def test_agents_play_swap2_and_choose(agent: str) -> None:
    result = play(Gomoku(opening="swap2"), [agent, agent], seed=2)
    assert not result.forfeits
    assert result.state.choices


@pytest.mark.parametrize(
    "spec", ["search:level=godlike", "search:seconds=0", "search:nodes=-1", "search:variety=-3"]
)
def test_wrong_options_are_refused(spec: str) -> None:
    with pytest.raises(BadSpec):
        make_agent("gomoku", spec)


@pytest.mark.parametrize("size", [5, 15, 26])
@given(data=st.data())
def test_the_first_stones_lie_in_the_middle_and_beside_each_other(
    size: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    middle = size // 2
    row, col = first_stone(size, size, (), rng)
    assert max(abs(row - middle), abs(col - middle)) <= 1
    stone = data.draw(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)))
    answer = first_stone(size, size, (stone,), rng)
    assert all(0 <= i < size for i in answer)
    assert max(abs(answer[0] - stone[0]), abs(answer[1] - stone[1])) == 1
    off = max(abs(stone[0] - middle), abs(stone[1] - middle))
    assert max(abs(answer[0] - middle), abs(answer[1] - middle)) == abs(off - 1)


def set_load(monkeypatch: pytest.MonkeyPatch, load: float, cores: int = 2) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: cores)


def test_on_a_busy_machine_the_first_moves_are_planned_shorter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planned = []
    for load in (0.0, 2.0, 8.0):
        set_load(monkeypatch, load)
        planned.append(Search(seconds=0.1)._planned(0.1))
    assert planned == pytest.approx([0.094, 0.094, 0.058])
    monkeypatch.delattr("os.getloadavg")
    assert Search(seconds=0.1)._planned(0.1) == pytest.approx(0.094)


def test_after_an_overrun_less_time_is_planned_and_then_gradually_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_load(monkeypatch, 0.0)
    agent = Search(seconds=0.1)
    calm = agent._planned(0.1)
    agent.record_overrun(0.02)
    busy = agent._planned(0.1)
    assert busy == pytest.approx(calm - 0.02)
    agent.record_overrun(-0.05)
    assert busy < agent._planned(0.1) < calm
    agent.record_overrun(1.0)
    assert agent._planned(0.1) == pytest.approx(0.03)


def test_an_overrun_is_measured_from_the_call_on(monkeypatch: pytest.MonkeyPatch) -> None:
    set_load(monkeypatch, 0.0)
    agent = Search(seconds=5.0)
    clock = iter([10.0, 11.0, 15.5])
    given: list[SearchLimits] = []

    class Recorder:
        def set_position(self, *_: object) -> None: ...

        def analyse(self, limits: SearchLimits, **_: object) -> None:
            given.append(limits)

    monkeypatch.setattr(agent, "engine", lambda _: Recorder())
    monkeypatch.setattr("trireme.gomoku.agents.search.time.perf_counter", lambda: next(clock))
    agent.analyse(GAME, GomokuState())
    planned = 5.0 * 0.97 - 0.003
    assert given[0].seconds == pytest.approx(planned - 1)
    assert agent._overrun == pytest.approx(5.5 - planned)


def test_two_threads_prove_the_same_win() -> None:
    stones = "h8a1i8a15j8o1"
    one = analyse(Engine(rows=1 << 12), stones)
    two = analyse(Engine(rows=1 << 12, threads=2), stones)
    assert one.proven
    assert two.proven
    assert (one.value, one.best) == (two.value, two.best)


class _Eager(threading.Thread):
    """A thread that has done its work before `start` returns, on however busy a machine."""

    def start(self) -> None:
        super().start()
        self.join()


def test_two_threads_give_a_legal_move_and_count_the_nodes_of_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(helper_threads.threading, "Thread", _Eager)
    engine = Engine(rows=1 << 12, threads=2)
    found = analyse(engine, "h8i9h9h10g8", SearchLimits(depth=3, threats=False))
    state = GomokuState(tuple(read_points(GAME, "h8i9h9h10g8")))
    assert found.best not in state.stones
    assert found.nodes == engine.board.nodes + engine.helpers.nodes
    assert engine.helpers.nodes > 0
    assert all(memory.stop for memory in engine.helpers.memories)


def test_every_thread_has_accumulators_of_its_own_for_the_network() -> None:
    engine = Engine(rows=1 << 12, threads=2, network=shipped_network("standard"))
    found = analyse(engine, "h8i9h9h10g8", SearchLimits(depth=5, threats=False))
    (own,) = engine.helpers.networks
    assert own is not engine.network
    assert own.loaded
    assert np.array_equal(own.value2, engine.network.value2)
    assert found.nodes == engine.board.nodes + engine.helpers.nodes


def test_threads_make_results_depend_on_timing() -> None:
    assert Search(nodes=1000, threads=2).timed
    assert not Search(nodes=1000).timed
    assert Search(nodes=1000, threads=2)._limits(None, LEVELS["full"]).seconds is None
    with pytest.raises(BadSpec, match="threads must be 1 or more"):
        Search(threads=0)


def test_an_entry_whose_halves_two_threads_wrote_is_rejected() -> None:
    table = np.zeros((2, 2), np.int64)
    store(table, 1, 0x1234, 5, 0, 100, 400, 0)
    whole = probe(table, 1, 1, 0x1234)
    assert whole >= 0
    other = np.zeros((2, 2), np.int64)
    store(other, 1, 0x1234, 9, 0, -100, 401, 0)
    table[0, 1] = other[0, 1]
    assert probe(table, 1, 1, 0x1234) == -1


def test_values_are_scaled_from_a_proven_loss_to_a_proven_win() -> None:
    for sign in (1, -1):
        assert scaled_value(sign * PROVEN_WIN) == sign
        assert scaled_value(sign * (PROVEN_WIN - 1)) == sign * 0.99
        assert scaled_value(sign * 800) == sign * 0.754, "0.99 tanh 1, to three digits"
        assert scaled_value(sign * 100) == sign * 0.123
    assert scaled_value(0) == 0
