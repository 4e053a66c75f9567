"""Records in other programs' formats: what goes out comes in again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.core.errors import RecordError, TriremeError
from trireme.core.play import play
from trireme.core.record import Record
from trireme.core.session import Session
from trireme.gomoku.formats import load, read_psq, read_sgf, save, write_psq, write_sgf
from trireme.gomoku.rules import Gomoku

SGF = "(;FF[4]GM[4]SZ[15]PB[Ann]PW[Bob];B[hh];W[ig];B[ha])"
PSQ = "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,7,120\n8,1,5\nAnn\nBob\n0\n"


def essence(record: Record) -> tuple[object, ...]:
    return record.game, record.moves, record.header.seats, record.returns


@settings(max_examples=20)
@given(
    st.integers(0, 2**32),
    st.sampled_from(["standard", "freestyle"]),
    st.integers(5, 26),
    st.integers(0, 30),
)
def test_a_game_comes_back_from_both_formats_as_it_went(
    seed: int, rule: str, size: int, moves: int
) -> None:
    game = Gomoku(size=size, rule=rule)  # type: ignore[arg-type]
    session = Session(game, ["an [odd\\] name", "other"], seed=seed)
    for _ in range(moves):
        if not session.over:
            seat = session.to_move[0]
            session.move({seat: session.turn(seat).legal.sample(session.turn(seat).rng)})
    record = session.record
    assert essence(read_sgf(write_sgf(record))) == essence(record)
    if rule == "standard":
        assert essence(read_psq(write_psq(record))) == essence(record)


def test_rows_are_counted_from_the_top() -> None:
    for record in (read_sgf(SGF), read_psq(PSQ)):
        texts = [next(iter(move.values())) for move in record.moves]
        assert texts == ["h8", "i9", "h15"]
        assert record.header.seats == ("Ann", "Bob")


def test_a_freestyle_win_by_overline_is_recognised_in_a_psq_file() -> None:
    game = Gomoku(rule="freestyle", position="a1a15b1c15c1e15e1g15f1i15")
    session = Session(game, ["x", "y"], seed=1)
    session.move({0: (0, 3)})
    assert session.over
    for more in ("", "a line of another program\n"):
        again = read_psq(write_psq(session.record) + more)
        assert again.game == Gomoku(rule="freestyle")
        assert again.returns == (1.0, -1.0)


@pytest.mark.parametrize("black", [0, 1])
def test_a_swap2_game_comes_back_as_a_plain_game_of_the_same_colours(black: int) -> None:
    games = (play(Gomoku(opening="swap2"), ["heuristic", "random"], seed=n) for n in range(20))
    result = next(game for game in games if game.state.black_seat() == black)
    again = read_sgf(write_sgf(result.record))
    assert [next(iter(m.values())) for m in again.moves] == [
        again.game.write(p) for p in result.state.stones
    ]
    names = result.record.header.seats
    assert again.header.seats == (names[black], names[1 - black])
    assert again.returns is not None
    assert again.returns[0] == result.returns[black]


def test_files_are_read_and_written_by_their_names(tmp_path: Path) -> None:
    record = play("gomoku", ["random", "random"], seed=1).record
    for kind in ("psq", "sgf", "jsonl"):
        save(record, tmp_path / f"new/game.{kind}")
        assert essence(load(tmp_path / f"new/game.{kind}")) == essence(record)
    with pytest.raises(TriremeError, match="unknown record format"):
        save(record, tmp_path / "game.pgn")
    with pytest.raises(RecordError, match="can't read"):
        load(tmp_path / "missing.psq")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected SGF"),
        ("(;GM[1]SZ[19];B[aa])", "line 1: game 1 is not Gomoku"),
        ("(;GM[4]SZ[15:10];B[aa])", "square board"),
        ("(;GM[4]SZ[99];B[aa])", "size must be"),
        ("(;GM[4]SZ[15]\n;B[aa]\n;B[bb])", "line 3: move 2 should be W's"),
        ("(;GM[4]SZ[15]\n;B[aa]\n;W[aa])", "line 3: a15 has a stone already"),
        ("(;GM[4]SZ[9]\n;B[zz])", "line 2: .* is not on the 9×9 board"),
        ("(;GM[4]SZ[15]\n;B[h8])", "line 2: expected a point such as"),
        ("(;GM[4]SZ[15]AB[aa][bb])", "no order of play"),
    ],
)
def test_a_wrong_sgf_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read_sgf(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected 'Piskvorky"),
        ("Piskvorky 20x10, 11:11, 0\n", "only square"),
        ("Piskvorky 99x99, 11:11, 0\n", "size must be"),
        ("Piskvorky 15x15, 11:11, 0\n8,8,0\n8,8,0\n", "line 3: h8 has a stone"),
        ("Piskvorky 15x15, 11:11, 0\n0,8,0\n", "line 2: .* is not on the 15×15 board"),
    ],
)
def test_a_wrong_psq_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read_psq(text)


@given(
    st.one_of(st.text(max_size=60), st.just(SGF), st.just(PSQ)),
    st.integers(0, 80),
    st.text(max_size=3),
)
def test_no_text_breaks_a_reader(text: str, at: int, noise: str) -> None:
    broken = text[:at] + noise + text[at:]
    for read in (read_sgf, read_psq):
        try:
            record = read(broken)
        except RecordError:
            continue
        assert record.verify() is not None


def test_an_sgf_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    assert read_sgf("(;GM[4]SZ[15];B[hh];W[ii]").moves == ({0: "h8"}, {1: "i7"})


def test_the_result_names_the_colour_that_won() -> None:
    game = Gomoku()
    for first, second, result in (("13579", "bcdef", "RE[W+]"), ("bcdef", "13579", "RE[B+]")):
        session = Session(game, ["x", "y"], seed=1)
        rows = [[f"a{r}" if r.isdigit() else f"{r}15" for r in side] for side in (first, second)]
        for points in zip(*rows, strict=True):
            for seat, point in enumerate(points):
                if not session.over:
                    session.move({seat: game.read(point)})
        assert session.over
        assert result in write_sgf(session.record)
    assert "RE[?]" in write_sgf(read_sgf(SGF))


@pytest.mark.parametrize(
    ("result", "rule"),
    [("", "standard"), ("RE[B+]", "freestyle"), ("RE[B+5]", "freestyle"), ("RE[0]", "standard")],
)
def test_an_overline_is_freestyle_only_where_it_has_won(result: str, rule: str) -> None:
    black, white = "abcefd", "acegi"
    stones = [f";B[{c}a]" + (f";W[{white[i]}o]" if i < 5 else "") for i, c in enumerate(black)]
    record = read_sgf(f"(;GM[4]SZ[15]{result}{''.join(stones)})")
    assert record.game == Gomoku(rule=rule)  # type: ignore[arg-type]


def test_a_decided_game_on_a_board_that_is_too_large_is_refused() -> None:
    with pytest.raises(RecordError, match="size must be"):
        read_sgf("(;GM[4]SZ[27]RE[B+];B[aa])")


def test_names_are_read_where_nothing_follows_them() -> None:
    assert read_psq(PSQ.removesuffix("0\n")).header.seats == ("Ann", "Bob")
    assert read_psq(PSQ.removesuffix("Bob\n0\n")).header.seats == ("black", "white")
    assert read_psq(PSQ.removesuffix("Ann\nBob\n0\n")).header.seats == ("black", "white")


@pytest.mark.parametrize("write", [write_sgf, write_psq])
def test_games_of_another_kind_have_no_such_format(write: Callable[[Record], str]) -> None:
    record = play("battleship:rows=5,cols=5", ["random"], seed=1).record
    with pytest.raises(RecordError, match="only games of gomoku have this format, not battleship"):
        write(record)
