"""Records: written move by move, replayed exactly, and never trusted blindly."""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme import (
    CHANCE,
    Forfeit,
    IllegalAction,
    RecordError,
    Session,
    load_record,
    make_game,
    parse_record,
    play,
)
from trireme.core.record import append_to

GAME = make_game("gomoku", size=7)


def gomoku_session(*moves: str, path: Path | None = None) -> Session:
    sink = None if path is None else append_to(path)
    session = Session(GAME, ["ann", "bob"], seed=1, sink=sink)
    for move in moves:
        session.move({session.to_move[0]: GAME.read(move)})
    return session


TEXT = play(GAME, ["random", "random"], seed=4).record.text
LINES = TEXT.splitlines()


def resummed(*lines: str) -> str:
    """The lines with fresh checksums, as a careful forger would write them."""
    from trireme.core.record import _chain

    done: list[str] = []
    previous = ""
    for line in lines:
        body = line.rpartition(',"sum":"')[0] + "}"
        previous = _chain(previous, body)
        done.append(f'{body[:-1]},"sum":"{previous}"}}')
    return "\n".join(done) + "\n"


def test_a_gomoku_line_has_what_other_programs_look_for() -> None:
    line = json.loads(gomoku_session("d4").record.text.splitlines()[1])
    assert {"game_id", "move_no", "player", "row", "col", "ts"} <= set(line)
    assert (line["move_no"], line["player"], line["row"], line["col"]) == (1, "black", 3, 3)


def test_the_file_grows_with_every_move(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "game.jsonl"
    session = gomoku_session("d4", path=path)
    assert load_record(path).moves == ({0: "d4"},)
    session.move({1: GAME.read("e5")})
    assert load_record(path).moves == ({0: "d4"}, {1: "e5"})
    assert load_record(path).end is None


def test_undone_moves_are_kept_in_the_file_but_do_not_stand() -> None:
    session = gomoku_session("d4", "e5")
    session.undo(2)
    session.move({0: GAME.read("c3")})
    record = session.record
    assert record.moves == ({0: "c3"},)
    assert record.text.count('"d4"') == 1
    assert record.verify() == session.state


@pytest.mark.parametrize("count", [0, -1, 3])
def test_more_than_was_played_can_not_be_undone(count: int) -> None:
    with pytest.raises(IllegalAction, match="can't take back"):
        gomoku_session("d4", "e5").undo(count)


def test_saving_and_loading_gives_the_same_record(tmp_path: Path) -> None:
    record = parse_record(TEXT)
    record.save(tmp_path / "x" / "a.jsonl")
    assert load_record(tmp_path / "x" / "a.jsonl") == record


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "empty"),
        ("\n\n", 1, "empty"),
        ("hello\n", 1, "not the header"),
        ('{"a": 1}\n', 1, "not the header"),
        ("[1, 2]\n", 1, "not the header"),
        (LINES[0] + "\nhello\n", 2, "not a line"),
        (LINES[0] + '\n{"a": 1}\n', 2, "expected a move"),
        (LINES[0] + "\n" + LINES[2] + "\n", 2, "checksum"),
        ("\n".join([*LINES[:3], LINES[2]]) + "\n", 4, "checksum"),
        (TEXT + LINES[1] + "\n", len(LINES) + 1, "ended"),
        (TEXT[:-20], len(LINES), "cut off"),
        (LINES[0], 1, "cut off"),
        (TEXT.replace('"gomoku"', '"chess"', 1), 1, "unknown game"),
        (TEXT.replace('"trireme":1', '"trireme":99', 1), 1, "newer"),
        (TEXT.replace('"rules":1', '"rules":77', 1), 1, "rules 77"),
        (TEXT.replace('"size":7', '"size":"x"', 1), 1, "size must be int"),
        (TEXT.replace('"random","random"', '"random"', 1), 1, "1 names for 2 seats"),
    ],
)
def test_a_broken_record_is_refused_at_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(RecordError, match=message) as caught:
        parse_record(text)
    assert caught.value.line == line


@pytest.mark.parametrize("number", range(1, len(LINES)))
def test_a_changed_line_is_named(number: int) -> None:
    changed = LINES[number].replace('"ts":"2', '"ts":"3')
    with pytest.raises(RecordError, match=f"line {number + 1}: the checksum"):
        parse_record("\n".join([*LINES[:number], changed, *LINES[number + 1 :]]) + "\n")


def test_a_forged_move_is_caught_by_the_rules() -> None:
    first = json.loads(LINES[1])["actions"]["0"]
    second = json.loads(LINES[2])["actions"]["1"]
    forged = [LINES[0], LINES[1], LINES[2].replace(f'"{second}"', f'"{first}"'), *LINES[3:]]
    record = parse_record(resummed(*forged))
    with pytest.raises(RecordError, match="line 3"):
        record.verify()


def test_a_forged_result_is_caught_by_the_rules() -> None:
    returns = json.dumps(json.loads(LINES[-1])["returns"], separators=(",", ":"))
    forged = LINES[-1].replace(returns, "[0.5,-0.5]")
    assert forged != LINES[-1]
    with pytest.raises(RecordError, match=f"line {len(LINES)}"):
        parse_record(resummed(*LINES[:-1], forged)).verify()


def test_a_record_that_ends_too_early_is_caught() -> None:
    with pytest.raises(RecordError, match="it goes on"):
        parse_record(resummed(*LINES[:3], LINES[-1])).verify()


@given(st.integers(0, len(TEXT) - 1))
def test_a_killed_program_leaves_every_whole_line(length: int) -> None:
    torn = TEXT[:length]
    whole = torn.count("\n")
    if whole == 0:
        with pytest.raises(RecordError):
            parse_record(torn, partial=True)
        return
    record = parse_record(torn, partial=True)
    assert len(record.moves) == min(whole - 1, len(LINES) - 2)
    assert record.cut_off == (None if torn.endswith("\n") else whole + 1)
    record.verify()


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_clearly(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "garbage.jsonl"
        path.write_bytes(data)
        with pytest.raises(RecordError):
            load_record(path, partial=True)


def test_a_missing_file_is_no_crash(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="can't read"):
        load_record(tmp_path / "nothing.jsonl")
    with pytest.raises(RecordError, match="can't read"):
        load_record(tmp_path)


def test_the_fingerprint_forgets_names_and_times_only() -> None:
    again = play(GAME, ["random", "random"], seed=4).record
    other = play(GAME, ["random", "random"], seed=5).record
    assert again.text != TEXT
    assert again.fingerprint() == parse_record(TEXT).fingerprint() != other.fingerprint()


@pytest.mark.parametrize(
    ("count", "fits"), [(-1, False), (0, False), (1, True), (2, True), (3, False)]
)
def test_no_record_undoes_more_than_was_played(count: int, fits: bool) -> None:
    head = gomoku_session("d4", "e5").record.text.splitlines()
    game_id = json.loads(head[0])["game_id"]
    undo = f'{{"game_id":"{game_id}","undo":{count},"ts":"t","sum":""}}'
    text = resummed(*head, undo)
    if fits:
        assert len(parse_record(text).moves) == 2 - count
        return
    with pytest.raises(RecordError, match=f"line 4: can't undo {count} of 2 moves"):
        parse_record(text)


def test_a_line_of_another_game_is_refused_even_with_a_fresh_checksum() -> None:
    other = json.loads(LINES[1])["game_id"][::-1] + "0"
    foreign = re.sub('"game_id":"[^"]*"', f'"game_id":"{other}"', LINES[1])
    with pytest.raises(RecordError, match=f"line 2: the line belongs to game '{other}'"):
        parse_record(resummed(LINES[0], foreign, *LINES[2:]))


def test_a_game_without_a_name_gets_one_of_twelve_digits() -> None:
    assert re.fullmatch("[0-9a-f]{12}", gomoku_session().record.header.game_id)


def test_hidden_moves_are_shown_when_the_game_is_over() -> None:
    game = make_game("battleship", rows=5, cols=5)
    session = Session(game, ["ann"], seed=1)
    session.move({0: game.read("a1")})
    running = session.record
    assert running.shown_to(0) == ({CHANCE: None}, {0: "A1"})
    assert running.shown_to(None) == ({CHANCE: None}, {0: "A1"})
    session.forfeit(Forfeit(0, "illegal", "nonsense"))
    ended = session.record
    assert ended.shown_to(0) == ended.moves == running.moves
    assert ended.moves[0][CHANCE] is not None


def test_the_lines_of_moves_that_stand_are_known() -> None:
    session = gomoku_session("d4", "e5", "f6")
    session.undo(1)
    session.move({0: GAME.read("c3")})
    assert session.record.move_lines == (2, 3, 6)


def test_only_a_game_that_is_over_has_returns() -> None:
    session = gomoku_session("d4")
    assert session.record.returns is None
    session.forfeit(Forfeit(1, "time", "asleep"))
    assert session.record.returns == (1.0, -1.0)
