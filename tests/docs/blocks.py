"""The code blocks of the manual's Markdown pages, and the `<!-- test: … -->` marks before them.

Marks: `file NAME` writes a block into the page's folder, `append NAME` adds to it, `run` executes
the commands of a shell block there, `run slow` does so only where slow tests run. A Python block
marked `all but the last line` is executed without its last statement, which takes long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
MARK = re.compile(r"<!-- test: (.+?) -->")


@dataclass(frozen=True)
class Block:
    """One code block; `fenced` is False for one that is merely indented."""

    page: Path
    line: int
    language: str
    text: str
    mark: str
    fenced: bool

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"

    @property
    def prompted(self) -> bool:
        """Whether it is a doctest, which pytest collects by itself."""
        return (
            self.language == "python" and re.search(r"^>>> ", self.text, re.MULTILINE) is not None
        )


@cache
def blocks_of(page: Path) -> list[Block]:
    """Every code block of a page, nested ones included, in order."""
    tokens = MarkdownIt("commonmark").parse(page.read_text("utf-8"))
    found = []
    for at, token in enumerate(tokens):
        if token.type not in ("fence", "code_block"):
            continue
        line = (token.map or [0])[0] + 1
        mark = _mark(tokens[at - 1]) if at else ""
        fenced = token.type == "fence"
        found.append(Block(page, line, token.info.strip(), token.content, mark, fenced))
    return found


def _mark(before: Token) -> str:
    match = MARK.search(before.content) if before.type == "html_block" else None
    return match[1] if match else ""


ALL = [block for page in PAGES for block in blocks_of(page)]


def inline_code(page: Path) -> list[str]:
    """The pieces of code within a page's sentences and tables."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))
    children = [child for token in tokens for child in token.children or ()]
    return [child.content for child in children if child.type == "code_inline"]
