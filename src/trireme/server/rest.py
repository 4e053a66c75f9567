"""REST: lists, rooms, records, replays, analysis, health and metrics."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Header, Query, Request, Response
from fastapi.responses import PlainTextResponse

from trireme import __version__
from trireme.core.errors import RecordError
from trireme.core.game import AnyGame, Seat
from trireme.core.options import settings as settings_of
from trireme.core.registry import GAMES
from trireme.server.protocol import bodies as requests
from trireme.server.protocol import shapes
from trireme.server.protocol.codes import Refusal
from trireme.server.rooms.advice import analyse, read_record
from trireme.server.rooms.lobby import Held, Lobby, checked_game
from trireme.server.rooms.recording import record_text, replay_of_record, replay_of_table
from trireme.server.rooms.room import Room
from trireme.server.rooms.views import picture, scene, view_json

from .keys import token_hash
from .limits import Buckets
from .maps import check_map, named_map

Bearer = Annotated[str | None, Header(alias="Authorization", max_length=200)]


async def lobby_of(request: Request) -> Lobby:
    lobby: Lobby = request.app.state.lobby
    return lobby


House = Annotated[Lobby, Depends(lobby_of)]


async def slow_down(request: Request, lobby: House) -> None:
    """Refuse an address that asks too often."""
    buckets: Buckets = request.app.state.requests
    if not buckets.take(_address(request), lobby.clock.now()):
        raise Refusal("too_fast", "too many requests; slow down")


api = APIRouter(
    prefix="/api",
    dependencies=[Depends(slow_down)],
    responses={"4XX": {"model": shapes.Fault, "description": "Refused; the code says why."}},
)
operator = APIRouter()


@api.get("/games")
async def games(lobby: House) -> list[shapes.GameInfo]:
    """Every game: settings, variants, agents."""
    return await lobby.catalogue.games()


@api.post("/games/{game}/check")
async def check(lobby: House, game: str, wish: requests.CheckSettings) -> requests.Checked:
    """Whether these settings are allowed, and the start of a game with them."""
    if game not in GAMES:
        raise Refusal("no_such_game", f"no game {game!r}; there are {', '.join(GAMES)}")
    return await lobby.aside(_checked, game, wish)


@api.post("/maps/check")
async def maps_check(sea: Annotated[dict[str, Any], Body()]) -> requests.MapChecked:
    """Every fault of a map for Battle Navigation."""
    problems = check_map(sea)
    return requests.MapChecked(ok=not problems, problems=problems)


@api.get("/maps/{name}")
async def maps_get(name: str) -> dict[str, Any]:
    """A map that comes with the game: `default`, or `procedural:SEED`."""
    return named_map(name)


@api.post("/rooms", status_code=201)
async def create_room(request: Request, lobby: House, wish: requests.NewRoom) -> requests.SeatHeld:
    """Make a room; the answer has the token that holds the creator's seats."""
    buckets: Buckets = request.app.state.new_rooms
    if not buckets.take(_address(request), lobby.clock.now()):
        raise Refusal("too_fast", "too many new rooms; slow down")
    return _held(await lobby.create(wish))


@api.get("/rooms")
async def rooms(
    lobby: House, game: Annotated[str | None, Query(max_length=40)] = None
) -> list[shapes.RoomInfo]:
    """Public rooms that wait for players or are playing, newest first."""
    found = [r for r in lobby.listed() if game is None or r.table.setup.game == game]
    return [room.info() for room in found[:100]]


@api.get("/rooms/{room}")
async def room_info(lobby: House, room: str) -> shapes.RoomInfo:
    """A room as anybody may know it."""
    return (await lobby.get(room)).info()


@api.post("/rooms/{room}/join", status_code=201)
async def join(lobby: House, room: str, wish: requests.JoinRoom) -> requests.SeatHeld:
    """Take an open seat; the answer has the token that holds it."""
    return _held(await lobby.join(room, wish.seat, wish.name))


@api.get("/rooms/{room}/record", response_class=PlainTextResponse)
async def record(lobby: House, room: str, bearer: Bearer = None) -> Response:
    """The record as JSON lines; of a running game, what the asker may know of it."""
    found = await lobby.get(room)
    text = record_text(found.table, _seats(found, bearer))
    name = f"{found.table.setup.game}-{found.id}.jsonl"
    return PlainTextResponse(
        text, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@api.get("/rooms/{room}/replay", responses={200: {"model": shapes.Replay}})
async def replay(lobby: House, room: str, bearer: Bearer = None) -> Response:
    """Every position so far; of a running game, what the asker may know of it."""
    found = await lobby.get(room)
    seats = _seats(found, bearer)
    return await _replay(lobby, lambda: replay_of_table(found.table, seats))


@api.post("/replay", responses={200: {"model": shapes.Replay}})
async def replay_record(lobby: House, wish: requests.RecordText) -> Response:
    """Every position of a record that somebody has."""

    def made() -> shapes.Replay:
        try:
            return replay_of_record(read_record(wish.record, lobby.limits))
        except RecordError as error:
            raise Refusal("bad_record", str(error)) from None

    return await _replay(lobby, made)


@api.post("/analysis")
async def analysis(lobby: House, wish: requests.AnalysisRequest) -> requests.Analysis:
    """Hint or insight for any position of a finished game or a record."""
    return await analyse(lobby, wish)


@api.get("/recent")
async def recent(
    lobby: House,
    game: Annotated[str | None, Query(max_length=40)] = None,
    count: Annotated[int, Query(ge=1, le=100)] = 20,
) -> list[requests.RecentGame]:
    """Finished public games, newest first."""
    return [
        requests.RecentGame(
            room=f.room,
            game=f.game,
            variant=f.variant,
            seats=f.names,
            returns=f.returns,
            moves=f.moves,
            ended=f.ended,
        )
        for f in await lobby.ledger.recent(game, count)
    ]


@api.get("/ratings")
async def rated(
    lobby: House, game: Annotated[str | None, Query(max_length=40)] = None
) -> list[requests.Rating]:
    """Agents by strength, from the arena's results."""
    return await lobby.ratings.of(game)


@operator.get("/healthz", include_in_schema=True)
async def health(lobby: House) -> requests.Health:
    """Whether the server and its database answer."""
    await asyncio.wait_for(lobby.ledger.ping(), 5)
    return requests.Health(
        ok=True,
        version=__version__,
        protocol=shapes.PROTOCOL,
        rooms=len(lobby.rooms),
        connections=lobby.connections,
        workers=lobby.workers.alive,
    )


@operator.get("/metrics", response_class=PlainTextResponse)
async def metrics(lobby: House) -> str:
    """Counters in the text form of Prometheus."""
    return lobby.metrics.text(
        {
            "rooms": ("Rooms in memory.", len(lobby.rooms)),
            "connections": ("Open sockets in rooms.", lobby.connections),
            "workers": ("Living worker processes.", lobby.workers.alive),
            "tasks_waiting": ("Tasks that wait for a worker.", lobby.workers.waiting),
        }
    )


def _held(held: Held) -> requests.SeatHeld:
    return requests.SeatHeld(
        room=held.room.id, token=held.token, seats=list(held.seats), info=held.room.info()
    )


def _seats(room: Room, bearer: str | None) -> tuple[Seat, ...]:
    """The seats of the token in the header; none without one."""
    if bearer is None:
        return ()
    scheme, _, token = bearer.partition(" ")
    seats = room.table.holds(token_hash(token)) if scheme.lower() == "bearer" else ()
    if not seats:
        raise Refusal("bad_token", "this token holds no seat of this room")
    return seats


async def _replay(lobby: Lobby, make: Callable[[], shapes.Replay]) -> Response:
    def text() -> str:
        return make().model_dump_json()

    return Response(await lobby.aside(text), media_type="application/json")


def _checked(name: str, wish: requests.CheckSettings) -> requests.Checked:
    try:
        game = checked_game(name, wish.variant, wish.settings)
    except Refusal as refusal:
        return requests.Checked(
            ok=False,
            problem=refusal.message,
            seats=0,
            settings={},
            scene={},
            view=None,
            picture=None,
        )
    return requests.Checked(
        ok=True,
        problem=None,
        seats=game.seats,
        settings=settings_of(game),
        scene=scene(game),
        view=_start(game),
        picture=picture(game, game.start(), None),
    )


def _start(game: AnyGame) -> Any:
    return view_json(game, game.start(), None)


def _address(request: Request) -> str:
    return request.client.host if request.client else "?"
