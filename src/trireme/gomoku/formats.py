"""Gomoku records in the formats of other programs: `.psq` of Piskvork and SGF, in and out.

Both keep the stones in order, the two players' names (black first) and the result, and count rows
from the top. What they have no place for is left behind: times of day, moves taken back, and under
swap2 who put and chose what, so that such a game comes back as a plain one of the same colours. A
`.psq` file does not state its rule: it is read as the standard one, unless it says that somebody
won where the last stone makes an overline only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from trireme.core.errors import BadSettings, RecordError, unknown
from trireme.core.record import Record, load_record
from trireme.core.session import Session

from .rules import Gomoku, GomokuState, Point, Rule

FORMATS = (".jsonl", ".psq", ".sgf")
_HEADER = re.compile(r"Piskvorky\s+(\d+)\s*x\s*(\d+)", re.IGNORECASE)
_STONE = re.compile(r"\s*(\d+)\s*,\s*(\d+)\s*(?:,.*)?")
_PROPERTY = re.compile(r"\s*([A-Z]+)((?:\s*\[(?:[^\]\\]|\\.)*\])+)", re.DOTALL)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)


def load(path: Path) -> Record:
    """Read a game from a file whose suffix gives its format."""
    kind = _kind(path)
    if kind == ".jsonl":
        return load_record(path, partial=True)
    try:
        text = path.read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        raise RecordError(f"can't read {str(path)!r}: {error.strerror}") from None
    return read_psq(text) if kind == ".psq" else read_sgf(text)


def save(record: Record, path: Path) -> None:
    """Write a game to a file whose suffix gives its format."""
    kind = _kind(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == ".jsonl":
        record.save(path)
    else:
        text = write_psq(record) if kind == ".psq" else write_sgf(record)
        path.write_text(text, encoding="utf-8")


def write_psq(record: Record) -> str:
    """The game as Piskvork keeps it."""
    game, state, names = _final_position(record)
    lines = [f"Piskvorky {game.size}x{game.size}, 11:11, 0"]
    lines += [f"{col + 1},{game.size - row},0" for row, col in state.stones]
    result = {1: "1", -1: "2"}.get(_winner(record, state), "0" if record.end else "-1")
    return "\n".join([*lines, *(" ".join(name.split()) or "?" for name in names), result, ""])


def read_psq(text: str) -> Record:
    """The game in a file of Piskvork."""
    lines = text.splitlines()
    header = _HEADER.match(lines[0]) if lines else None
    if header is None:
        raise RecordError(f"expected 'Piskvorky 15x15, …', not {text[:40]!r}", 1)
    width, height = int(header[1]), int(header[2])
    if width != height:
        raise RecordError(f"the board is {width}x{height}, but only square ones can be played", 1)
    stones: list[tuple[int, Point]] = []
    rest: list[str] = []
    for number, line in enumerate(lines[1:], start=2):
        match = _STONE.fullmatch(line)
        if match and not rest:
            stones.append((number, (height - int(match[2]), int(match[1]) - 1)))
        elif line.strip():
            rest.append(line.strip())
    names = rest[:2] if len(rest) >= 2 else ["black", "white"]
    decided = rest[2:3] in (["1"], ["2"])
    return _record(width, stones, names, _rule_of(width, [p for _, p in stones], decided))


def write_sgf(record: Record) -> str:
    """The game as SGF, file format 4, game 4."""
    game, state, names = _final_position(record)
    result = {1: "B+", -1: "W+"}.get(_winner(record, state), "Draw" if record.end else "?")
    black, white = (re.sub(r"([\\\]])", r"\\\1", name) for name in names)
    head = f"FF[4]GM[4]CA[UTF-8]AP[Trireme]SZ[{game.size}]RU[{game.rule}]"
    moves = [
        f";{'BW'[i % 2]}[{chr(97 + col)}{chr(97 + game.size - 1 - row)}]"
        for i, (row, col) in enumerate(state.stones)
    ]
    return f"(;{head}PB[{black}]PW[{white}]RE[{result}]\n{''.join(moves)})\n"


def read_sgf(text: str) -> Record:
    """The main line of the first game in an SGF file."""
    start = text.find("(;")
    if start < 0:
        raise RecordError(f"expected SGF, which begins with '(;', not {text[:40]!r}", 1)
    found: dict[str, str] = {}
    moves: list[tuple[int, str, str]] = []
    at = start + 2
    while at < len(text) and text[at] != ")":
        match = _PROPERTY.match(text, at)
        if match is None:
            at += 1  # a node, a variation or white space: of variations the first is the game
            continue
        name, values = match[1], _VALUE.findall(match[2])
        line = text.count("\n", 0, match.start(1)) + 1
        if name in ("B", "W"):
            moves.append((line, name, values[0]))
        elif name in ("AB", "AW", "AE"):
            raise RecordError(f"a position set up with {name} has no order of play", line)
        else:
            found.setdefault(name, re.sub(r"\\(.)", r"\1", values[0], flags=re.DOTALL))
        at = match.end()
    if found.get("GM", "4") != "4":
        raise RecordError(f"game {found['GM']} is not Gomoku, which is game 4", 1)
    size = _sgf_size(found.get("SZ", "15"))
    stones = [(line, _sgf_point(size, v, line)) for line, _, v in moves]
    for number, (line, colour, _) in enumerate(moves):
        if colour != "BW"[number % 2]:
            raise RecordError(f"move {number + 1} should be {'BW'[number % 2]}'s", line)
    names = [found.get("PB") or "black", found.get("PW") or "white"]
    rule = found.get("RU", "").lower()
    if rule in ("standard", "freestyle"):
        return _record(size, stones, names, "standard" if rule == "standard" else "freestyle")
    decided = found.get("RE", "").startswith(("B+", "W+"))
    return _record(size, stones, names, _rule_of(size, [p for _, p in stones], decided))


def _record(
    size: int, stones: Sequence[tuple[int, Point]], names: Sequence[str], rule: Rule
) -> Record:
    try:
        game = Gomoku(size=size, rule=rule)
    except BadSettings as error:
        raise RecordError(str(error), 1) from error
    session = Session(game, names, seed=0)
    for line, point in stones:
        if session.over:
            raise RecordError("the game goes on after its end", line)
        try:
            session.move({session.to_move[0]: point})
        except ValueError as error:
            raise RecordError(str(error), line) from error
    return session.record


def _rule_of(size: int, points: Sequence[Point], decided: bool) -> Rule:
    """The rule under which a game with these stones was won."""
    if decided and len(set(points)) == len(points) and 5 <= size <= 26:
        standard, freestyle = GomokuState(), GomokuState()
        for point in points:
            standard = Gomoku(size=size)._put(standard, point)
            freestyle = Gomoku(size=size, rule="freestyle")._put(freestyle, point)
        if freestyle.winner and not standard.winner:
            return "freestyle"
    return "standard"


def _final_position(record: Record) -> tuple[Gomoku, GomokuState, tuple[str, str]]:
    """The game, its last position and the names of black and white."""
    if not isinstance(record.game, Gomoku):
        raise RecordError(f"only games of gomoku have this format, not {record.header.game}")
    *_, state = record.states()
    black = state.black_seat() or 0
    return record.game, state, (record.header.seats[black], record.header.seats[1 - black])


def _winner(record: Record, state: GomokuState) -> int:
    """Who won, by the rules or by forfeit: 1 black, -1 white, 0 nobody."""
    returns = record.returns
    if returns is None or returns[0] == returns[1]:
        return 0
    black = state.black_seat() or 0
    return 1 if returns[black] > returns[1 - black] else -1


def _sgf_size(text: str) -> int:
    if not text.strip().isdecimal():
        raise RecordError(f"expected a square board such as SZ[15], not SZ[{text}]", 1)
    return int(text)


def _sgf_point(size: int, text: str, line: int) -> Point:
    if not re.fullmatch(r"[a-z][a-z]", text):
        raise RecordError(f"expected a point such as [hh], not [{text[:20]}]", line)
    return size - 1 - (ord(text[1]) - 97), ord(text[0]) - 97


def _kind(path: Path) -> str:
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise unknown("record format", kind or path.name, FORMATS)
    return kind
