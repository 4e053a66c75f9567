"""The games of one arena run in the browser: a list with filters, each game in the replay viewer.

Only `trireme arena --open` serves it, on this machine: records show everything that was hidden.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response

from trireme.arena.diagnosis import diagnosis_path
from trireme.arena.folder import Folder
from trireme.arena.match import Entrant
from trireme.core.errors import TriremeError

from .protocol.codes import Refusal

_HERE = Path(__file__).parent / "run_viewer_page"


def mount_run(app: FastAPI, folder: Folder) -> None:
    """Serve the run in `folder` at /run/."""

    @app.get("/run", include_in_schema=False)
    def page() -> Response:
        return HTMLResponse((_HERE / "page.html").read_text(encoding="utf-8"))

    @app.get("/run/games.json", include_in_schema=False)
    def games() -> Response:
        return JSONResponse(list_games(folder))

    @app.get("/run/report.html", include_in_schema=False)
    def report() -> Response:
        return _file(folder.path / "report.html")

    @app.get("/run/records/{number}", include_in_schema=False)
    def record(number: int) -> Response:
        return _file(folder.record_path(number), "text/plain; charset=utf-8")

    @app.get("/run/diagnoses/{number}", include_in_schema=False)
    def diagnosis(number: int) -> Response:
        return _file(diagnosis_path(folder.record_path(number)), "application/json")

    @app.get("/run/page.{kind}", include_in_schema=False)
    def asset(kind: str) -> Response:
        return _file(_HERE / f"page.{kind}") if kind in ("css", "js") else _missing(kind)


def list_games(folder: Folder) -> dict[str, Any]:
    """The run as the page takes it: agents, and every finished game."""
    names, found = folder.match.names, []
    for number, outcome in sorted(folder.outcomes().items()):
        seats = [names[i] for i in folder.fixtures[number].seats]
        found.append(
            {
                "number": number,
                "round": folder.fixtures[number].round,
                "agents": seats,
                "returns": outcome.returns,
                "moves": outcome.moves,
                "forfeits": [
                    {"agent": seats[f.seat], "reason": f.reason, "detail": f.detail}
                    for f in outcome.forfeits
                ],
            }
        )
    return {
        "game": folder.match.game.name,
        "folder": str(folder.path),
        "agents": list(names),
        "games": found,
    }


def _file(path: Path, kind: str | None = None) -> Response:
    if not path.is_file():
        return _missing(path.name)
    return FileResponse(path, media_type=kind, headers={"Cache-Control": "no-cache"})


def _missing(name: str) -> Response:
    raise Refusal("not_found", f"the run has no file {name[:80]!r}")


def open_run(path: Path) -> Folder:
    """The run folder, to look at and not to go on: agents that are Python objects need not be
    there. A `TriremeError` says why it can't be shown."""
    try:
        saved = msgspec.json.decode((path / "match.json").read_bytes())["match"]["agents"]
        absent = [Entrant(a["name"], _Absent()) for a in saved if a["spec"] is None]
    except (OSError, msgspec.DecodeError, KeyError, TypeError, RecursionError):
        absent = []  # opening it says what is wrong
    folder = Folder.open(path, absent)
    if not folder.outcomes():
        raise TriremeError(f"{str(path)!r} has no finished games yet")
    return folder


class _Absent:
    """Stands for an agent that only its own program has."""

    def act(self, turn: object) -> None:
        raise NotImplementedError
