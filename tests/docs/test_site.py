"""The site: every page has its place, references are complete, tables of files are true."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import markdown
import pytest
from markdown_it import MarkdownIt

import trireme
import trireme.arena
import trireme.envs
from manual.build import TOP_PAGES, foreign_resources, generated
from manual.cli_reference import commands, parameters
from manual.protocol_reference import code_meanings
from trireme.core.registry import BUILT_IN, make_game
from trireme.core.rulebook import in_markdown, rulebook_of
from trireme.server.protocol.codes import CODES
from trireme.server.protocol.schema import schema

from .blocks import PAGES, ROOT

DOCS = ROOT / "docs"


def nav_pages(nav: list[Any]) -> list[str]:
    found: list[str] = []
    for entry in nav:
        for target in entry.values():
            found += [target] if isinstance(target, str) else nav_pages(target)
    return found


generated_pages = cache(generated)


def test_every_page_has_one_place_in_the_navigation() -> None:
    config = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]
    written = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    pages = nav_pages(config["nav"])
    assert sorted(pages) == sorted(written | set(TOP_PAGES.values()) | set(generated_pages()))


@pytest.mark.parametrize(
    ("path", "command", "context"), [pytest.param(*found, id=found[0]) for found in commands()]
)
def test_every_command_and_option_has_help(path: str, command: Any, context: Any) -> None:
    assert command.help, f"{path} has no docstring"
    for typed, text in parameters(command, context):
        told = re.sub(r"\[[^]]*\]", "", text).strip()
        assert told, f"{path}: {typed} has no help"


def test_the_command_reference_has_every_command_and_option() -> None:
    page = generated_pages()["reference/cli.md"]
    for path, command, context in commands():
        assert path == "trireme" or f"# `{path}`\n" in page
        for typed, _ in parameters(command, context):
            assert f"| `{typed}` |" in page.replace(r"\|", "|"), (path, typed)


def test_the_protocol_reference_has_every_shape_and_every_code() -> None:
    page = generated_pages()["reference/protocol.md"]
    for name in schema()["$defs"]:
        assert f"{{ #{name.lower()} }}" in page, name
    for code in CODES:
        assert f"\n| `{code}` | " in page, code
    for link in re.findall(r"\]\(#([\w-]+)\)", page):
        assert f"{{ #{link} }}" in page, f"a link to {link}, which has no section"


def test_every_error_code_has_a_meaning_and_no_other_has() -> None:
    page = (DOCS / "web-protocol.md").read_text("utf-8")
    assert set(code_meanings(page)) == set(CODES)


@pytest.mark.parametrize(
    ("package", "page"),
    [
        (trireme, ("api.md", "contract.md")),
        (trireme.arena, ("arena.md",)),
        (trireme.envs, ("envs.md",)),
    ],
)
def test_the_api_reference_has_every_public_name(package: Any, page: tuple[str, ...]) -> None:
    text = "".join((DOCS / "reference" / name).read_text("utf-8") for name in page)
    listed = re.findall(r"^::: (?:[\w.]+)\.(\w+)$", text, re.MULTILINE)
    missing = set(package.__all__) - set(listed)
    assert missing == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lists_and_tables_are_the_same_on_github_and_on_the_site(page: Path) -> None:
    """Python-Markdown wants four spaces and blank lines where CommonMark does not."""
    text = page.read_text("utf-8")
    extensions = ["tables", "pymdownx.superfences", "attr_list", "md_in_html"]
    site = markdown.markdown(text, extensions=extensions)
    github = MarkdownIt("commonmark").enable("table").render(text)
    for tag in ("<li>", "<table>", "<pre>", "<h2", "<h3"):
        assert site.count(tag) == github.count(tag), tag


def rows(page: str) -> list[list[str]]:
    """The cells of all tables of a page, without heads."""
    text = (DOCS / page).read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def place(cell: str) -> Path:
    path = cell.strip("`")
    return ROOT / path if path.startswith(("web/", "tests/")) else ROOT / "src" / "trireme" / path


CODE_MAP = [row for row in rows("code-map.md") if row[0] != "question"]
GLOSSARY = [row for row in rows("glossary.md") if row[2] != "file"]


@pytest.mark.parametrize(("question", "file", "term"), CODE_MAP)
def test_a_newcomer_s_question_is_answered_by_one_file(question: str, file: str, term: str) -> None:
    assert place(file).is_file(), f"{question} {file}"
    assert term.strip("`").lower() in place(file).read_text("utf-8").lower(), f"{file}: {term}"


def test_there_are_at_least_ten_questions() -> None:
    assert len(CODE_MAP) >= 10


def test_the_glossary_names_files_that_exist_and_no_word_twice() -> None:
    missing = [f"{word}: {file}" for word, _, file in GLOSSARY if not place(file).is_file()]
    assert missing == []
    unsaid = [
        f"{word}: {file}"
        for word, _, file in GLOSSARY
        if re.split(r"[ ,(]", word)[0].lower() not in place(file).read_text("utf-8").lower()
    ]
    assert unsaid == []
    words = [word for word, _, _ in GLOSSARY]
    assert len(words) == len(set(words)) >= 50


@pytest.mark.slow
def test_the_generator_imports_neither_torch_nor_ray() -> None:
    """`make docs` installs neither."""
    code = (
        "import sys; sys.path.insert(0, 'scripts'); import manual.build as b; b.generated();"
        "print([m for m in ('torch', 'ray', 'onnxruntime') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ran.stdout.strip() == "[]", ran.stderr


def test_a_page_that_fetches_from_another_host_is_found(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text('<a href="https://example.org">x</a><script src="assets/a.js"></script>')
    assert foreign_resources(tmp_path) == []
    page.write_text('<link rel="stylesheet" href="https://fonts.example.org/x.css">')
    assert len(foreign_resources(tmp_path)) == 1


def test_the_page_of_rules_is_what_the_command_prints() -> None:
    """`trireme rules --markdown`, below the page's head."""
    page = (DOCS / "rules.md").read_text("utf-8")
    printed = "\n".join(in_markdown(rulebook_of(make_game(name))) for name in BUILT_IN)
    assert page.endswith(printed)
