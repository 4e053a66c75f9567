"""The REST route of puzzles: which there are, and which is today's; never their solutions."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter, Depends

from trireme.core.puzzles import daily_puzzle, puzzles_of
from trireme.server.protocol import shapes
from trireme.server.protocol.codes import Refusal

from .catalogue import require_game
from .rest import JsonRoute, LobbyState, charge_bytes

api = APIRouter(
    prefix="/api/puzzles",
    dependencies=[Depends(charge_bytes)],
    route_class=JsonRoute,
    responses={
        "4XX": {"model": shapes.ErrorResponse, "description": "Refused; the code says why."}
    },
)


@api.get("/{game}")
async def list_puzzles(lobby: LobbyState, game: str) -> shapes.PuzzleList:
    """The puzzles of a game with their ratings, and the one of the day."""
    require_game(game)
    found = puzzles_of(game)
    if not found:
        raise Refusal("not_found", f"{game} has no puzzles")
    day = datetime.fromisoformat(lobby.clock.timestamp()).date()
    return shapes.PuzzleList(
        day=day.isoformat(),
        daily=daily_puzzle(game, day).id,
        puzzles=[
            shapes.PuzzleEntry(id=id, kind=puzzle.kind, title=puzzle.title, rating=puzzle.rating)
            for id, puzzle in found.items()
        ],
    )
