"""REST routes: games, maps, rooms, records, replays, analysis, health and metrics."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from fastapi import APIRouter, Body, Depends, Header, Query, Request, Response
from fastapi.responses import PlainTextResponse
from fastapi.routing import APIRoute

from trireme import __version__
from trireme.core.errors import TriremeError
from trireme.core.game import AnyGame, Seat
from trireme.core.options import settings as settings_of
from trireme.core.registry import MapLibrary, find, load
from trireme.core.rulebook import rulebook_of
from trireme.core.scene import scene
from trireme.server.protocol import bodies, shapes
from trireme.server.protocol.codes import Refusal
from trireme.server.rooms import peer_positions
from trireme.server.rooms.advice import analyse
from trireme.server.rooms.lobby import Lobby
from trireme.server.rooms.recorded_games import checked_record
from trireme.server.rooms.recording import record_text
from trireme.server.rooms.room import Room
from trireme.server.rooms.views import picture, view_json
from trireme.server.workers.checks import ReplayRecord, ReplayRoom

from .addresses import guest_link, qr_rows
from .catalogue import require_game
from .keys import token_hash
from .limits import quota_key
from .metrics import CONTENT_TYPE
from .prepared import PreparedAnswers, compressed_response
from .strict_json import strict_json

log = logging.getLogger("trireme.server")

GameName = Annotated[str | None, Query(max_length=40, pattern=r"^\w*$")]
Bearer = Annotated[str | None, Header(alias="Authorization", max_length=200)]


async def lobby_of(request: Request) -> Lobby:
    lobby: Lobby = request.app.state.lobby
    return lobby


LobbyState = Annotated[Lobby, Depends(lobby_of)]


async def prepared_of(request: Request) -> PreparedAnswers:
    prepared: PreparedAnswers = request.app.state.prepared
    return prepared


Prepared = Annotated[PreparedAnswers, Depends(prepared_of)]


async def address_of(request: Request) -> str:
    """Whose quotas the request uses."""
    return quota_key(request.client.host if request.client else "?")


Address = Annotated[str, Depends(address_of)]


async def charge_bytes(request: Request, lobby: LobbyState, address: Address) -> None:
    """Refuse an address that sends too much data."""
    if (length := int(request.headers.get("content-length", "0"))) > 0:
        lobby.quotas.charge("bytes", address, length)


class JsonRequest(Request):
    """A request whose JSON is decoded strictly: no lone surrogates, no deep nesting.

    The body is read by the request that it stands for, which may have to be forwarded.
    """

    def __init__(self, received: Request) -> None:
        super().__init__(received.scope, received.receive)
        self._received = received

    async def body(self) -> bytes:
        return await self._received.body()

    async def json(self) -> Any:
        return strict_json(await self.body())


class JsonRoute(APIRoute):
    """A route that decodes bodies by `strict_json`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            request = JsonRequest(request)
            if "transfer-encoding" in request.headers:  # its length is known only when it is read
                size = len(await request.body())
                request.app.state.lobby.quotas.charge("bytes", await address_of(request), size)
            return await handler(request)

        return strict


api = APIRouter(
    prefix="/api",
    route_class=JsonRoute,
    dependencies=[Depends(charge_bytes)],
    responses={
        "4XX": {"model": shapes.ErrorResponse, "description": "Refused; the code says why."}
    },
)
operator = APIRouter()


@api.get("/games", responses={200: {"model": list[shapes.GameInfo]}})
async def games(request: Request, lobby: LobbyState, prepared: Prepared) -> Response:
    """Every game: settings, variants, agents."""
    found = await lobby.catalogue.games()

    def make() -> str:
        return "[" + ",".join(game.model_dump_json() for game in found) + "]"

    return compressed_response(request, await prepared.get("games", make))


@api.post("/games/{game}/check")
async def check_settings(
    lobby: LobbyState, address: Address, game: str, body: bodies.CheckSettings
) -> bodies.SettingsChecked:
    """Whether these settings are valid, and the start of a game with them."""
    require_game(game)
    try:
        made = await lobby.checks.game(game, body.variant, body.settings, address)
    except Refusal as refusal:
        if refusal.code != "bad_settings":
            raise
        return _settings_refused(refusal.message)
    return _settings_checked(made)


@api.post("/games/{game}/rules")
async def rules(
    lobby: LobbyState, address: Address, game: str, body: bodies.CheckSettings
) -> shapes.GameRules:
    """The rules of the game with these settings."""
    require_game(game)
    made = await lobby.checks.game(game, body.variant, body.settings, address)
    plain = msgspec.to_builtins(rulebook_of(made))
    return shapes.GameRules.model_validate(plain, strict=False)


@api.post("/games/{game}/maps/check")
async def check_map(
    lobby: LobbyState, address: Address, game: str, map: Annotated[dict[str, Any], Body()]
) -> bodies.MapChecked:
    """Everything that is wrong with a map of the game."""
    _map_library(game)
    problems = await lobby.checks.map_problems(game, map, address)
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
    lobby: LobbyState, address: Address, body: bodies.NewRoom
) -> bodies.SeatGrant:
    """Create a room; the response has the token that holds the creator's seats."""
    return await lobby.create(body, address)


@api.get("/rooms")
async def rooms(lobby: LobbyState, game: GameName = None) -> list[shapes.RoomInfo]:
    """Public rooms that wait for players or are being played, newest first."""
    return lobby.listed(game)


@api.get("/rooms/{room}")
async def room_info(lobby: LobbyState, room: str) -> shapes.RoomInfo:
    """A room's public state."""
    return (await lobby.get(room)).info()


@api.post("/rooms/{room}/join", status_code=201)
async def join(lobby: LobbyState, room: str, body: bodies.JoinRoom) -> bodies.SeatGrant:
    """Take an open seat; the response has the token that holds it.

    With a `key`, the request may be sent again: it gives the same seat.
    """
    return await lobby.join(room, body.seat, body.name, body.key)


@api.get("/rooms/{room}/invite")
async def invite(lobby: LobbyState, request: Request, room: str) -> bodies.Invitation:
    """The link to a room for people on other machines, and its QR code."""
    found = await lobby.get(room)
    return _invitation(request, f"/room/{found.id}")


@api.get("/rooms/{room}/device")
async def device_link(
    lobby: LobbyState, request: Request, room: str, bearer: Bearer = None
) -> bodies.Invitation:
    """The private link with which the holder of a seat goes on from another device.

    It has the token in its fragment, which browsers send to no server.
    """
    found = await lobby.get(room)
    if not seats_of(found, bearer):
        raise Refusal("bad_token", "this needs the token of a seat of this room")
    token = (bearer or "").partition(" ")[2]
    return _invitation(request, f"/room/{found.id}#seat={quote(token, safe='')}")


@api.get("/rooms/{room}/record", response_class=PlainTextResponse)
async def record(lobby: LobbyState, room: str, bearer: Bearer = None) -> Response:
    """The record as JSON lines; of a running game, what the requester may see of it."""
    found = await lobby.get(room)
    text = record_text(found.table, seats_of(found, bearer), lobby.signer.sign)
    name = f"{found.table.setup.game}-{found.id}.jsonl"
    return PlainTextResponse(
        text, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@api.get("/rooms/{room}/replay", responses={200: {"model": shapes.GameReplay}})
async def replay(
    request: Request, lobby: LobbyState, address: Address, room: str, bearer: Bearer = None
) -> Response:
    """Every position so far; of a running game, what the requester may see of it."""
    found = await lobby.get(room)
    events = [(entry.event, entry.ts) for entry in found.table.log]
    task = ReplayRoom(found.table.setup, events, seats_of(found, bearer))
    return compressed_response(request, await lobby.checks.replay(task, address))


@api.post("/replay", responses={200: {"model": shapes.GameReplay}})
async def replay_record(
    request: Request, lobby: LobbyState, address: Address, body: bodies.RecordText
) -> Response:
    """Every position of a record."""
    text = checked_record(body.record, lobby.limits)
    task = ReplayRecord(text, lobby.signer.verify(text))
    return compressed_response(request, await lobby.checks.replay(task, address))


@api.post("/records/verify")
async def verify_record(lobby: LobbyState, body: bodies.RecordText) -> bodies.RecordVerified:
    """Whether this server recorded the game of a record; its moves are not replayed."""
    return bodies.RecordVerified(verified=lobby.signer.verify(body.record))


@api.post("/analysis")
async def analysis(
    lobby: LobbyState, address: Address, body: bodies.AnalysisRequest
) -> bodies.AnalysisResponse:
    """Hint or insight for any position of a finished game or a record."""
    return await analyse(lobby, body, address)


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


@api.get("/preparation")
async def preparation(lobby: LobbyState) -> list[bodies.Preparation]:
    """Games whose opponents are being compiled, as after an installation; empty: all are ready."""
    return [
        bodies.Preparation(
            game=p.game, compiled=p.compiled, expected=p.expected, agents=list(p.agents)
        )
        for p in lobby.readiness.progress()
    ]


@operator.get("/healthz")
async def health(lobby: LobbyState, response: Response) -> bodies.Health:
    """Whether the server answers and its database can be written; 503 if not."""
    ok = True
    try:
        await lobby.probe_storage()
    except Exception:
        log.exception("the health check failed")
        ok, response.status_code = False, 503
    return bodies.Health(
        ok=ok,
        read_only=lobby.storage.read_only,
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


@operator.get(peer_positions.PATH, include_in_schema=False)
async def positions_for_peers(
    lobby: LobbyState, game: Annotated[str, Query(max_length=40)], authorization: Bearer = None
) -> Response:
    """The positions that are played here without engine help, for other servers only."""
    if lobby.peers is None or not lobby.peers.is_peer(authorization):
        raise Refusal("bad_token", "only other servers of the same database may ask this")
    boards = await lobby.running_here(game)
    data = await lobby.run_in_thread(peer_positions.encode_positions, boards)
    return Response(data, media_type="application/jsonl")


def seats_of(room: Room, bearer: str | None) -> tuple[Seat, ...]:
    """The seats of the token in the header; none without one."""
    if bearer is None:
        return ()
    scheme, _, token = bearer.partition(" ")
    seats = room.table.seats_of(token_hash(token)) if scheme.lower() == "bearer" else ()
    if not seats:
        raise Refusal("bad_token", "this token holds no seat of this room")
    return seats


def _invitation(request: Request, path: str) -> bodies.Invitation:
    url, lan = request.url, bool(request.app.state.lan)
    link = guest_link(url.scheme, url.hostname or "", url.port, path, lan=lan)
    return bodies.Invitation(link=link, qr=[] if link is None else qr_rows(link))


def _settings_refused(problem: str) -> bodies.SettingsChecked:
    return bodies.SettingsChecked(
        ok=False, problem=problem, seats=0, settings={}, scene={}, view=None, picture=None
    )


def _settings_checked(game: AnyGame) -> bodies.SettingsChecked:
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
