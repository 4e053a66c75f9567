"""The log of a training run: JSON lines, CSV, a live table, and learning curves as SVG."""

from __future__ import annotations

import csv
import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from .plot import curves

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

Row = dict[str, float]


class Log:
    """Rows of numbers, each with a `step`; columns may come and go.

    A run that resumes drops what was logged after its checkpoint, so that the log of an
    interrupted run is that of an uninterrupted one. The live table needs rich; without it, rows are
    printed.
    """

    def __init__(self, folder: Path, *, resume_at: int | None = None, live: bool = True) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.jsonl, self.csv = folder / "log.jsonl", folder / "log.csv"
        self.svg = folder / "curves.svg"
        self.rows: list[Row] = []
        if resume_at is not None and self.jsonl.exists():
            lines = self.jsonl.read_bytes().splitlines()
            self.rows = [r for r in map(_row, lines) if r["step"] <= resume_at]
        self.jsonl.write_bytes(b"".join(map(_line, self.rows)))
        self.live = _live_table() if live else None
        self.printed = live and self.live is None

    def __enter__(self) -> Log:
        if self.live is not None:
            self.live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.live is not None:
            self.live.stop()
            self.live.console.print()
        self.finish()

    def write(self, row: Mapping[str, float]) -> None:
        """Append one row and show it."""
        kept = {name: round(float(value), 6) for name, value in row.items()}
        self.rows.append(kept)
        with self.jsonl.open("ab") as file:
            file.write(_line(kept))
        if self.live is not None:
            self.live.update(self._table(), refresh=True)
        elif self.printed:
            print("  ".join(f"{name} {value:.4g}" for name, value in kept.items()), flush=True)

    def finish(self) -> None:
        """Write the CSV and the plot of all rows so far."""
        with self.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self._columns())
            writer.writeheader()
            writer.writerows(self.rows)
        series = {
            name: [(r["step"], r[name]) for r in self.rows if name in r]
            for name in self._columns()
            if name not in ("step", "seconds")
        }
        self.svg.write_text(curves(series), encoding="utf-8")

    def _columns(self) -> list[str]:
        return list(dict.fromkeys(name for row in self.rows for name in row)) or ["step"]

    def _table(self) -> Table:
        from rich.table import Table

        latest: Row = {}
        for row in self.rows[-200:]:
            latest.update(row)
        table = Table(box=None, pad_edge=False)
        for name in latest:
            table.add_column(name, justify="right", header_style="dim")
        for row in [*self.rows[-8:-1], latest]:
            table.add_row(*(f"{row[n]:.4g}" if n in row else "" for n in latest))
        return table


def _live_table() -> Live | None:
    if importlib.util.find_spec("rich") is None:
        return None
    from rich.console import Console
    from rich.live import Live

    return Live(console=Console(), auto_refresh=False)


def _line(row: Row) -> bytes:
    return json.dumps(row, separators=(",", ":")).encode() + b"\n"


def _row(line: bytes) -> Row:
    found: Row = json.loads(line)
    return found
