"""Every code block of the manual is tested, or says that it is only text."""

from __future__ import annotations

import ast
import configparser
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from .blocks import ALL, PAGES, ROOT, Block, blocks_of, inline_code
from .commands import Wrong, check, command_lines

DOCTESTED = [ROOT / "README.md", ROOT / "docs"]
"""What pytest's `testpaths` collects doctests from."""


def ini(text: str) -> None:
    configparser.ConfigParser(interpolation=None).read_string(text)


PARSERS = {"json": json.loads, "yaml": yaml.safe_load, "toml": tomllib.loads, "ini": ini}
COMMAND = re.compile(r"(trireme|make|pip install|python (benchmarks|examples|scripts|web)/\S+) ")
MARKS = {"run", "run slow", "all but the last line"}
LANGUAGES = {"python", "sh", "text", *PARSERS}


def of(*languages: str) -> list[Any]:
    return [pytest.param(b, id=b.place) for b in ALL if b.language in languages]


def test_every_block_is_fenced_and_names_a_language_that_is_tested() -> None:
    odd = [f"{b.place}: {b.language!r}" for b in ALL if not b.fenced or b.language not in LANGUAGES]
    assert odd == [], "fence it and name one of " + ", ".join(sorted(LANGUAGES))


def test_every_mark_belongs_to_a_block() -> None:
    for page in PAGES:
        used = [b.mark for b in blocks_of(page) if b.mark]
        assert page.read_text("utf-8").count("\n<!-- test: ") == len(used), page
        for mark in used:
            assert mark in MARKS or mark.split()[0] in ("file", "append"), mark


def test_doctests_stand_where_pytest_collects_them() -> None:
    for block in ALL:
        if block.prompted:
            assert any(block.page.is_relative_to(place) for place in DOCTESTED), block.place


@pytest.mark.parametrize("block", of(*PARSERS))
def test_data_can_be_parsed(block: Block) -> None:
    PARSERS[block.language](block.text)


@pytest.mark.parametrize("block", of("sh"))
def test_commands_exist(block: Block) -> None:
    lines = command_lines(block.text)
    assert lines, "an empty block"
    for words in lines:
        check(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_named_in_sentences_exist(page: Path) -> None:
    for code in inline_code(page):
        if COMMAND.match(code):
            for words in command_lines(code):
                try:
                    check(words)
                except Wrong as error:  # a sentence may name a command without its arguments
                    assert re.search("Missing|requires an argument", str(error)), code


@pytest.mark.parametrize(
    "command",
    [
        "trireme plya gomoku",
        "trireme play gomoku --agnet random",
        "trireme arena gomoku random heuristic --games many",
        "trireme map new",
        "make dcos",
        "python benchmarks/no_such.py",
        "python benchmarks/battleship_shots.py --no-such-option",
        "python -m trireme.no_such",
        "pip install 'trireme-lab[no-such]'",
        "pytest tests/no-such",
        "scripts/no-such",
        "npm run no-such",
        "curl http://localhost:8000",
    ],
)
def test_a_wrong_command_is_found(command: str) -> None:
    (words,) = command_lines(command)
    with pytest.raises(Wrong):
        check(words)


def programs(page: Path) -> list[Block]:
    unwritten = [b for b in blocks_of(page) if not b.mark.startswith(("file", "append"))]
    return [b for b in unwritten if b.language == "python" and not b.prompted]


@pytest.mark.parametrize("page", [pytest.param(p, id=p.stem) for p in PAGES if programs(p)])
def test_programs_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in programs(page):
        program = ast.parse(block.text)
        if block.mark == "all but the last line":
            program.body.pop()
        exec(compile(program, block.place, "exec"), names)


def walked(page: Path) -> list[Block]:
    return [b for b in blocks_of(page) if b.mark.startswith(("file", "append", "run"))]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            id=page.stem,
            marks=[pytest.mark.slow] if any("slow" in b.mark for b in walked(page)) else [],
        )
        for page in PAGES
        if walked(page)
    ],
)
def test_tutorials_run_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    for block in walked(page):
        action, _, name = block.mark.partition(" ")
        if action in ("file", "append"):
            with (tmp_path / name).open(
                "a" if action == "append" else "x", encoding="utf-8"
            ) as out:
                out.write(block.text)
            continue
        for program, *words in command_lines(block.text):
            assert program == "trireme", f"{block.place}: only trireme's commands are run"
            ran = subprocess.run(
                [sys.executable, "-m", "trireme", *words],
                cwd=tmp_path,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                encoding="utf-8",
                check=False,
            )
            assert ran.returncode == 0, f"{block.place}: {ran.stderr[-2000:]}"
            assert "forfeit" not in ran.stderr, block.place
