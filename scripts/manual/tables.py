"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""A Markdown table; line breaks and bars in cells are made harmless.

    >>> print(table(["a", "b"], [["1|2", "3"]]))
    | a | b |
    | --- | --- |
    | 1\|2 | 3 |
    """
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")
