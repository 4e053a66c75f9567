"""REST routes: games, maps, rooms, records, replays, analysis, health and metrics."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Body, Depends, Header, Query, Request, Response
from fastapi.responses import PlainTextResponse

from trireme import __version__
from trireme.core.errors import RecordError, TriremeError
from trireme.core.game import Seat
from trireme.core.options import settings as settings_of
from trireme.core.registry import MapLibrary, find, load
from trireme.core.rulebook import rulebook_of
from trireme.server.protocol import bodies, shapes
from trireme.server.protocol.codes import Refusal
from trireme.server.rooms.advice import analyse
from trireme.server.rooms.lobby import Lobby, checked_game
from trireme.server.rooms.recording import (
    read_record,
    record_text,
    replay_of_record,
    replay_of_table,
)
from trireme.server.rooms.room import Room
from trireme.server.rooms.views import picture, scene, view_json

from .addresses import guest_link, qr_rows
from .catalogue import require_game
from .keys import token_hash
from .limits import RateLimiter
from .metrics import CONTENT_TYPE

GameName = Annotated[str | None, Query(max_length=40)]
Bearer = Annotated[str | None, Header(alias="Authorization", max_length=200)]


async def lobby_of(request: Request) -> Lobby:
    lobby: Lobby = request.app.state.lobby
    return lobby


LobbyState = Annotated[Lobby, Depends(lobby_of)]


async def limit_requests(request: Request, lobby: LobbyState) -> None:
    """Refuse an address that sends too many requests."""
    limiter: RateLimiter = request.app.state.requests
    if not limiter.take(address_of(request), lobby.clock.now()):
        raise Refusal("too_fast", "too many requests; slow down")


api = APIRouter(
    prefix="/api",
    dependencies=[Depends(limit_requests)],
    responses={
        "4XX": {"model": shapes.ErrorResponse, "description": "Refused; the code says why."}
    },
)
operator = APIRouter()


@api.get("/games")
async def games(lobby: LobbyState) -> list[shapes.GameInfo]:
    """Every game: settings, variants, agents."""
    return await lobby.catalogue.games()


@api.post("/games/{game}/check")
async def check_settings(
    lobby: LobbyState, game: str, body: bodies.CheckSettings
) -> bodies.SettingsChecked:
    """Whether these settings are valid, and the start of a game with them."""
    require_game(game)
    return await lobby.run_in_thread(_check_settings, game, body)


@api.post("/games/{game}/rules")
async def rules(lobby: LobbyState, game: str, body: bodies.CheckSettings) -> shapes.GameRules:
    """The rules of the game with these settings."""
    require_game(game)
    made = await lobby.run_in_thread(checked_game, game, body.variant, body.settings)
    plain = msgspec.to_builtins(rulebook_of(made))
    return shapes.GameRules.model_validate(plain, strict=False)


@api.post("/games/{game}/maps/check")
async def check_map(game: str, map: Annotated[dict[str, Any], Body()]) -> bodies.MapChecked:
    """Everything that is wrong with a map of the game."""
    problems = _map_library(game).problems(map)
    return bodies.MapChecked(ok=not problems, problems=problems)


@api.get("/games/{game}/maps/{name}")
async def get_map(game: str, name: str) -> dict[str, Any]:
    """A map that comes with the game, such as `default`."""
    library = _map_library(game)
    try:
        return library.load(name[:60])
    except TriremeError as error:
        raise Refusal("not_found", str(error)) from None


@api.post("/rooms", status_code=201)
async def create_room(
    request: Request, lobby: LobbyState, body: bodies.NewRoom
) -> bodies.SeatGrant:
    """Create a room; the response has the token that holds the creator's seats."""
    limiter: RateLimiter = request.app.state.new_rooms
    if not limiter.take(address_of(request), lobby.clock.now()):
        raise Refusal("too_fast", "too many new rooms; slow down")
    return await lobby.create(body)


@api.get("/rooms")
async def rooms(lobby: LobbyState, game: GameName = None) -> list[shapes.RoomInfo]:
    """Public rooms that wait for players or are being played, newest first."""
    found = [r for r in lobby.listed() if game is None or r.table.setup.game == game]
    return [room.info() for room in found[:100]]


@api.get("/rooms/{room}")
async def room_info(lobby: LobbyState, room: str) -> shapes.RoomInfo:
    """A room's public state."""
    return (await lobby.get(room)).info()


@api.post("/rooms/{room}/join", status_code=201)
async def join(lobby: LobbyState, room: str, body: bodies.JoinRoom) -> bodies.SeatGrant:
    """Take an open seat; the response has the token that holds it."""
    return await lobby.join(room, body.seat, body.name)


@api.get("/rooms/{room}/invite")
async def invite(lobby: LobbyState, request: Request, room: str) -> bodies.Invitation:
    """The link to a room for people on other machines, and its QR code."""
    found = await lobby.get(room)
    url = request.url
    lan = bool(request.app.state.lan)
    link = guest_link(url.scheme, url.hostname or "", url.port, f"/room/{found.id}", lan=lan)
    return bodies.Invitation(link=link, qr=[] if link is None else qr_rows(link))


@api.get("/rooms/{room}/record", response_class=PlainTextResponse)
async def record(lobby: LobbyState, room: str, bearer: Bearer = None) -> Response:
    """The record as JSON lines; of a running game, what the requester may see of it."""
    found = await lobby.get(room)
    text = record_text(found.table, seats_of(found, bearer))
    name = f"{found.table.setup.game}-{found.id}.jsonl"
    return PlainTextResponse(
        text, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@api.get("/rooms/{room}/replay", responses={200: {"model": shapes.GameReplay}})
async def replay(lobby: LobbyState, room: str, bearer: Bearer = None) -> Response:
    """Every position so far; of a running game, what the requester may see of it."""
    found = await lobby.get(room)
    seats = seats_of(found, bearer)
    return await _replay(lobby, lambda: replay_of_table(found.table, seats))


@api.post("/replay", responses={200: {"model": shapes.GameReplay}})
async def replay_record(lobby: LobbyState, body: bodies.RecordText) -> Response:
    """Every position of a record."""

    def make() -> shapes.GameReplay:
        try:
            return replay_of_record(read_record(body.record, lobby.limits))
        except RecordError as error:
            raise Refusal("bad_record", str(error)) from None

    return await _replay(lobby, make)


@api.post("/analysis")
async def analysis(lobby: LobbyState, body: bodies.AnalysisRequest) -> bodies.AnalysisResponse:
    """Hint or insight for any position of a finished game or a record."""
    return await analyse(lobby, body)


@api.get("/recent")
async def recent(
    lobby: LobbyState,
    game: GameName = None,
    count: Annotated[int, Query(ge=1, le=100)] = 20,
) -> list[bodies.RecentGame]:
    """Finished public games, newest first."""
    return await lobby.store.recent(game, count)


@api.get("/ratings")
async def ratings(lobby: LobbyState, game: GameName = None) -> list[bodies.Rating]:
    """Agents by strength, from the arena's results."""
    return await lobby.ratings.of_game(game)


@operator.get("/healthz")
async def health(lobby: LobbyState) -> bodies.Health:
    """Whether the server and its database answer."""
    await asyncio.wait_for(lobby.store.ping(), 5)
    return bodies.Health(
        ok=True,
        version=__version__,
        protocol=shapes.PROTOCOL,
        rooms=len(lobby.rooms),
        connections=lobby.connections,
        workers=lobby.workers.alive,
    )


@operator.get("/metrics", response_class=PlainTextResponse)
async def metrics(lobby: LobbyState) -> Response:
    """Metrics in Prometheus' text format."""
    return Response(lobby.metrics.text(), media_type=CONTENT_TYPE)


def seats_of(room: Room, bearer: str | None) -> tuple[Seat, ...]:
    """The seats of the token in the header; none without one."""
    if bearer is None:
        return ()
    scheme, _, token = bearer.partition(" ")
    seats = room.table.seats_of(token_hash(token)) if scheme.lower() == "bearer" else ()
    if not seats:
        raise Refusal("bad_token", "this token holds no seat of this room")
    return seats


async def _replay(lobby: Lobby, make: Callable[[], shapes.GameReplay]) -> Response:
    def text() -> str:
        return make().model_dump_json()

    return Response(await lobby.run_in_thread(text), media_type="application/json")


def _check_settings(name: str, body: bodies.CheckSettings) -> bodies.SettingsChecked:
    try:
        game = checked_game(name, body.variant, body.settings)
    except Refusal as refusal:
        return bodies.SettingsChecked(
            ok=False,
            problem=refusal.message,
            seats=0,
            settings={},
            scene={},
            view=None,
            picture=None,
        )
    return bodies.SettingsChecked(
        ok=True,
        problem=None,
        seats=game.seats,
        settings=settings_of(game),
        scene=scene(game),
        view=view_json(game, game.start(), None),
        picture=picture(game, game.start(), None),
    )


def _map_library(game: str) -> MapLibrary:
    require_game(game)
    place = find(game).maps
    if place is None:
        raise Refusal("not_found", f"{game} has no maps")
    library: MapLibrary = load(place)()
    return library


def address_of(request: Request) -> str:
    """The address that rate limits count by."""
    return request.client.host if request.client else "?"
