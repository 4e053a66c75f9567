"""Protocol 2 of programs: negotiation, simulations, notes, kept processes, and hostile programs."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme import Result, make_agent, make_game, parse_record, play
from trireme.arena import Match, entrants, run_match, start
from trireme.core.forfeit import AgentFault, Forfeit
from trireme.core.game import AnyGame
from trireme.core.line_process import ProcessTimeout
from trireme.core.move_report import MOST_NOTE
from trireme.core.play import GRACE
from trireme.core.process_agent import ProcessAgent, _short, announcement
from trireme.core.record import load_record
from trireme.core.registry import GAMES
from trireme.core.session import Session

LOOP = """
import json, os, sys, time
def say(**message): print(json.dumps(message), flush=True)
def hear(): return json.loads(sys.stdin.readline())
def simulate(*asked): say(simulate=list(asked)); return hear()["outcomes"]
games = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] in ("hello", "game"):
        games += 1
        say(ready=True, protocol=2)
    elif message["type"] == "turn":
        BODY
"""
PLAIN = "say(action=message['example'])"


@pytest.fixture
def program(tmp_path: Path) -> Any:
    """Writes a program that does something at every turn, and gives the agent that runs it."""
    made: list[Any] = []

    def write(body: str, *, whole: bool = False, **options: Any) -> Any:
        path = tmp_path / f"bot{len(made)}.py"
        path.write_text(body if whole else LOOP.replace("BODY", body.replace("\n", "\n        ")))
        made.append(ProcessAgent(f"{sys.executable} {path}", **options))
        return made[-1]

    yield write
    for agent in made:
        agent.close()


def play_six(agent: Any, seconds: float | None = 30.0) -> Result:
    return play(make_game("gomoku", size=6), [agent, "random"], seed=1, seconds=seconds)


# Negotiation


def test_hello_offers_both_protocols_and_an_old_program_goes_on_with_the_first() -> None:
    hello = announcement("hello", make_game("gomoku"))
    assert (hello["protocol"], hello["protocols"]) == (1, (1, 2))


@pytest.mark.parametrize("ready", ['{"ready": true}', '{"ready": true, "protocol": 1}'])
def test_a_program_of_protocol_1_gets_no_simulations_and_leaves_no_notes(
    program: Any, ready: str
) -> None:
    body = LOOP.replace("say(ready=True, protocol=2)", f"print('{ready}', flush=True)")
    turn = "say(action=message['example'], note='hm', simulate=[])"
    agent = program(body.replace("BODY", turn), whole=True)
    result = play_six(agent)
    assert result.forfeits == ()
    assert not any(result.record.notes)
    assert "notes" not in result.record.text
    assert not agent.reusable
    before = agent._process
    agent.prepare(make_game("gomoku", size=6))
    assert agent._process is not before


@pytest.mark.parametrize("asked", ["3", "0", '"2"', "true", "null", "2.5", "[2]"])
def test_an_unknown_protocol_is_refused(program: Any, asked: str) -> None:
    line = f'{{"ready": true, "protocol": {asked}}}'
    (forfeit,) = play_six(program(f"print('{line}', flush=True); input()", whole=True)).forfeits
    assert forfeit.reason == "process"
    assert "expected protocol 1 or 2 after hello" in forfeit.detail


# What is announced


def test_the_scene_of_navigation_spells_out_map_and_ships() -> None:
    told = announcement("hello", make_game("navigation", ships=("sloop", "war_frigate")))
    scene = told["scene"]
    assert told["settings"]["map"] == "default"
    assert (scene["map"]["width"], scene["map"]["height"]) == (24, 24)
    assert {"x", "y", "size"} == set(scene["map"]["rocks"][0])
    assert {hazard["kind"] for hazard in scene["map"]["hazards"]} == {"wind", "whirlpool"}
    sloop, frigate = scene["ships"]
    assert (sloop["hp"], sloop["range"], sloop["shots"], sloop["damage"]) == (10, 2, 1, 1)
    assert (frigate["hp"], frigate["range"], frigate["shots"], frigate["damage"]) == (30, 4, 2, 4)


def test_the_scene_of_gomoku_says_what_wins_and_what_lies_there() -> None:
    game = make_game("gomoku", rule="freestyle", position="h8i9")
    assert json.loads(json.dumps(announcement("game", game)["scene"])) == {
        "size": 15,
        "line": 5,
        "overline_wins": True,
        "stones": [[7, 7], [8, 8]],
    }
    assert announcement("game", make_game("gomoku"))["scene"]["overline_wins"] is False


def test_the_scene_of_battleship_names_the_ships_of_every_board() -> None:
    boards = announcement("hello", make_game("battleship", duel=True))["scene"]["boards"]
    assert [board["sizes"] for board in boards] == [[5, 4, 3, 3, 2]] * 2


# Simulations


@pytest.mark.parametrize("name", list(GAMES))
def test_a_program_without_rules_plays_what_simulation_likes_best(program: Any, name: str) -> None:
    body = """
me = str(message["seat"])
(here,) = simulate({})
error = simulate({"actions": {"0": "nonsense", "1": "nonsense", "chance": "x"}})[0]["error"]
say(action=message["example"], note=f"{here['to_move']} {error}")
"""
    game = make_game(name)
    result = play(game, [program(body), *["random"] * (game.seats - 1)], seed=2, seconds=30.0)
    assert result.forfeits == ()
    (note,) = {texts[0].split("]")[0] for texts in result.record.notes if texts}
    assert "'0'" in note


def test_a_simulation_finds_the_winning_move(program: Any) -> None:
    body = """
asked = [{"actions": {"0": text}} for text in message["legal"]]
best = max(zip(simulate(*asked), message["legal"]), key=lambda pair: pair[0]["returns"][0])
say(action=best[1], note="wins" if best[0]["returns"][0] > 0 else "")
"""
    game = make_game("gomoku", size=6, position="a1a2b1b2c1c2d1d2")
    result = play(game, [program(body), "random"], seed=1, seconds=30.0)
    assert result.returns == (1.0, -1.0)
    assert [list(texts.items()) for texts in result.record.notes] == [[(0, "wins")]]


# Notes


def test_notes_are_in_the_record_by_seat_and_no_part_of_its_fingerprint(program: Any) -> None:
    noted = play_six(program("say(action=message['example'], note='so ' + message['example'])"))
    plain = play_six(program(PLAIN))
    assert noted.record.fingerprint() == plain.record.fingerprint()
    for moves, notes in zip(noted.record.moves, noted.record.notes, strict=True):
        assert notes == ({0: f"so {moves[0]}"} if 0 in moves else {})
    assert parse_record(noted.record.text).notes == noted.record.notes


GOMOKU = make_game("gomoku", size=6)


class ScriptedProcess:
    """Answers with these lines in turn, then not at all; remembers the limits it was given."""

    def __init__(self, *lines: bytes) -> None:
        self.lines, self.limits = list(lines), list[float]()

    def send(self, line: bytes, limit: float = 30.0) -> None:
        self.limits.append(limit)

    def receive(self, limit: float) -> bytes:
        self.limits.append(limit)
        if not self.lines:
            raise ProcessTimeout("silent")
        return self.lines.pop(0)


def scripted(*lines: bytes) -> tuple[ProcessAgent, ScriptedProcess]:
    agent, process = ProcessAgent("program"), ScriptedProcess(*lines)
    agent._protocol, agent._in_step, agent._process = 2, True, process  # type: ignore[assignment]
    return agent, process


def test_a_program_that_does_not_take_the_next_game_is_not_used_again() -> None:
    agent, process = scripted(b'{"ready": true, "protocol": 2}')
    agent._announce(process, "game", GOMOKU)  # type: ignore[arg-type]
    assert agent.reusable
    with pytest.raises(ProcessTimeout):
        agent._announce(process, "game", GOMOKU)  # type: ignore[arg-type]
    assert not agent.reusable


def test_a_program_that_simulates_has_the_rest_of_its_time_for_every_message() -> None:
    agent, process = scripted(b'{"simulate": []}', b'{"action": "a1"}')
    turn = Session(GOMOKU, ["a", "b"]).turn(0, 5.0)
    assert agent._decide(process, turn) == GOMOKU.read("a1")  # type: ignore[arg-type]
    assert len(process.limits) == 4
    assert min(process.limits) > 0
    assert process.limits == sorted(process.limits, reverse=True)


@pytest.mark.parametrize("length", [117, 118, 119])
def test_what_a_program_said_is_quoted_up_to_120_characters(length: int) -> None:
    quoted = f"{'x' * length!r}"
    assert _short("x" * length) == (quoted if length < 119 else quoted[:117] + "…")


def test_a_long_note_is_cut(program: Any) -> None:
    body = "say(action=message['example'], note='x' * 5000)"
    first = play_six(program(body)).record.notes[0][0]
    assert len(first) == MOST_NOTE
    assert first.endswith("x…")


def test_a_note_that_is_no_text_forfeits(program: Any) -> None:
    (forfeit,) = play_six(program("say(action=message['example'], note=5)")).forfeits
    assert "expected a text as the note, not 5" in forfeit.detail


# Processes kept across games


def test_a_program_of_protocol_2_stays_for_the_next_game(program: Any) -> None:
    agent = program("say(action=message['example'], note=f'{games} {os.getpid()}')")
    first, second = (play_six(agent).record.notes[0][0].split() for _ in range(2))
    other = play("navigation", [agent, "random"], seed=1).record.notes[0][0].split()
    assert [first[0], second[0], other[0]] == ["1", "2", "3"]
    assert first[1] == second[1] == other[1]


@pytest.mark.parametrize(
    "body",
    [
        "say(action=message['example'], note=str(games)); sys.exit() if games == 1 and "
        "len(message['legal']) < 9 else 0",
        "say(action=message['example'], note=str(games)); say(action='a1')",
    ],
    ids=["ends", "writes too much"],
)
def test_a_kept_program_that_is_out_of_step_is_started_again(program: Any, body: str) -> None:
    agent = program(body)
    game = make_game("gomoku", size=6, position="a1a2b1b2c1c2d1d2")
    for _ in range(2):
        result = play(game, [agent, "random"], seed=1, seconds=30.0)
        assert result.record.notes[0][0] == "1"


def test_a_failed_program_is_not_kept(program: Any) -> None:
    agent = program("say(action='zz')")
    assert [f.reason for f in play_six(agent).forfeits] == ["illegal"]
    assert not agent.reusable


def test_the_arena_keeps_programs_and_their_notes_and_ends_them(
    program: Any, tmp_path: Path
) -> None:
    agent = program("say(action=message['example'], note=f'{games} {os.getpid()}')")
    game = make_game("gomoku", size=6)
    named = [f'bot=process:cmd="{agent.cmd}"', "random"]
    folder = start(Match(game, entrants(game, named), games=4), tmp_path / "run")
    run_match(folder, executor="serial")
    notes = [
        next(iter(texts.values())).split()
        for path in sorted((folder.path / "records").rglob("*.jsonl"))
        for texts in load_record(path).notes
        if texts
    ]
    assert {number for number, _ in notes} == {"1", "2", "3", "4"}
    (pid,) = {pid for _, pid in notes}
    assert not Path(f"/proc/{pid}").exists()


# Hostile programs: whatever they do, the game ends

HOSTILE = {
    "garbage": ("sys.stdout.buffer.write(os.urandom(64) + b'\\n'); sys.stdout.flush()", "process"),
    "invalid utf-8": ('os.write(1, b\'{"action": "\\xff\\xfe"}\\n\')', "process"),
    "half a character": ("say(action=message['example'], note=chr(0xD800))", "process"),
    "deep nesting": ("print('[' * 100_000, flush=True)", "process"),
    "silence in a simulation": ("simulate({}); time.sleep(600)", "time"),
    "endless simulations": ("while True: simulate({})", "time"),
    "endless unread simulations": ("while True: say(simulate=[{}])", "time"),
    "too many at once": ("simulate(*[{}] * 1001)", "process"),
    "a huge request": ("say(simulate=[{'state': 'x' * (1 << 21)}])", "process"),
    "an endless line": ("while True: os.write(1, b'x' * 65536)", "process"),
    "a trickle": ("while True: os.write(1, b' '); time.sleep(0.01)", "time"),
    "no list": ("say(simulate={'all': True})", "process"),
    "death in a simulation": ("say(simulate=[{}]); sys.exit('enough')", "process"),
}


@pytest.mark.parametrize("how", list(HOSTILE))
def test_a_hostile_program_forfeits_and_the_game_ends(program: Any, how: str) -> None:
    body, reason = HOSTILE[how]
    (forfeit,) = play_six(program(body), seconds=0.5).forfeits
    assert (forfeit.seat, forfeit.reason) == (0, reason)


class Lines:
    """A program that has written these lines, reads everything, and then falls silent."""

    def __init__(self, lines: list[bytes]) -> None:
        self.lines = lines

    def send(self, line: bytes, seconds: float = 0.0) -> None:
        json.loads(line)

    def receive(self, seconds: float) -> bytes:
        if not self.lines:
            raise ProcessTimeout("silence")
        return self.lines.pop(0)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["state", "actions", "0", "stones", "ships"]), inner)
    ),
    max_leaves=6,
)
ANSWERS = st.dictionaries(st.sampled_from(["action", "note", "simulate", "type"]), VALUES)
LINES = st.binary(max_size=30) | ANSWERS.map(lambda answer: json.dumps(answer).encode())


@pytest.mark.parametrize("name", list(GAMES))
@given(lines=st.lists(LINES, max_size=4))
def test_whatever_a_program_writes_is_an_action_or_a_fault(name: str, lines: list[bytes]) -> None:
    game = make_game(name)
    agent: Any = ProcessAgent("program")
    agent._process, agent._game, agent._protocol = Lines(lines), game, 2
    turn = Session(game, ["seat"] * game.seats, seed=1).turn(0, 60.0)
    try:
        action = agent.act(turn)
    except (AgentFault, Forfeit) as fault:
        assert str(fault)
        assert not agent.reusable
    else:
        assert game.read(game.write(action)) == action
        assert agent.reusable


def test_a_program_that_answers_and_never_reads_forfeits(program: Any) -> None:
    """Its answers are all there before they are asked for; its input fills up."""
    body = """
import time
print('{"ready": true}', flush=True)
for row in range(1, 27, 2):
    for col in "acegikmoqsuwy":
        print('{"action": "%s%d"}' % (col, row), flush=True)
time.sleep(600)
"""

    class Scattered:
        """Never puts two stones side by side, nor does the program: the game lasts."""

        name = "scattered"

        def act(self, turn: Any) -> Any:
            return next(point for point in turn.legal if point[0] % 2 and point[1] % 2)

    game: AnyGame = make_game("gomoku", size=26)
    (forfeit,) = play(game, [program(body, whole=True), Scattered()], seed=1, seconds=0.2).forfeits
    assert (forfeit.seat, forfeit.reason) == (0, "time")
    budget = 0.2 * (1 + GRACE) + GRACE
    assert forfeit.detail == f"the program read nothing for {budget:.3g} s"


def test_the_options_of_the_agent_stay() -> None:
    agent = make_agent("gomoku", 'process:cmd="x",limit=5,startup=7')
    assert (agent.limit, agent.startup) == (5.0, 7.0)  # type: ignore[attr-defined]
