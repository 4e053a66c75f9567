"""The REST route of puzzles: which there are, and which is today's; never their solutions."""

from __future__ import annotations

from datetime import date, datetime

from fastapi import APIRouter, Depends, Request, Response

from trireme.core.puzzles import daily_puzzle, puzzles_of
from trireme.server.protocol import shapes
from trireme.server.protocol.codes import Refusal

from .catalogue import require_game
from .prepared import compressed_response
from .rest import JsonRoute, LobbyState, Prepared, charge_bytes

api = APIRouter(
    prefix="/api/puzzles",
    dependencies=[Depends(charge_bytes)],
    route_class=JsonRoute,
    responses={
        "4XX": {"model": shapes.ErrorResponse, "description": "Refused; the code says why."}
    },
)


@api.get("/{game}", responses={200: {"model": shapes.PuzzleList}})
async def list_puzzles(
    request: Request, lobby: LobbyState, prepared: Prepared, game: str
) -> Response:
    """The puzzles of a game with their ratings, and the one of the day."""
    require_game(game)
    if not puzzles_of(game):
        raise Refusal("not_found", f"{game} has no puzzles")
    day = datetime.fromisoformat(lobby.clock.timestamp()).date()
    compressed = await prepared.get(("puzzles", game, day), lambda: _puzzle_list(game, day))
    return compressed_response(request, compressed)


def _puzzle_list(game: str, day: date) -> str:
    return shapes.PuzzleList(
        day=day.isoformat(),
        daily=daily_puzzle(game, day).id,
        puzzles=[
            shapes.PuzzleEntry(id=id, kind=puzzle.kind, title=puzzle.title, rating=puzzle.rating)
            for id, puzzle in puzzles_of(game).items()
        ],
    ).model_dump_json()
