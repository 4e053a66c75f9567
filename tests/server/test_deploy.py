"""The files in deploy/ agree with each other and with the server; backups can be restored."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import create_engine, text

from trireme.server.keys import new_room_id
from trireme.server.storage.event_store import EventStore
from trireme.store import open_store

from .live import Running

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
NGINX = (DEPLOY / "nginx.conf").read_text("utf-8")


def test_the_proxy_asks_the_service_of_the_servers_at_their_port() -> None:
    found = re.search(r"server (\w+):(\d+) resolve", NGINX)
    assert found
    assert found[1] in COMPOSE["services"]
    assert f"EXPOSE {found[2]}" in (DEPLOY / "Dockerfile").read_text("utf-8")
    assert "./nginx.conf:/etc/nginx/nginx.conf:ro" in COMPOSE["services"]["proxy"]["volumes"]


def test_the_servers_believe_their_own_network_and_no_other() -> None:
    trusted = COMPOSE["services"]["server"]["environment"]["FORWARDED_ALLOW_IPS"]
    assert trusted == COMPOSE["networks"]["default"]["ipam"]["config"][0]["subnet"]
    assert ipaddress.ip_network(trusted).is_private


def test_the_servers_find_the_database() -> None:
    url = COMPOSE["services"]["server"]["environment"]["TRIREME_DATABASE"]
    environment = COMPOSE["services"]["database"]["environment"]
    user, name = environment["POSTGRES_USER"], environment["POSTGRES_DB"]
    assert re.fullmatch(rf"postgresql://{user}:\${{POSTGRES_PASSWORD[^}}]*}}@database/{name}", url)
    assert environment["POSTGRES_PASSWORD"].startswith("${POSTGRES_PASSWORD:?")


def test_the_proxy_sends_all_requests_of_a_room_to_one_server() -> None:
    found = re.search(r'"~(\^.+)" \$id;', NGINX)
    assert found
    pattern = re.compile(found[1].replace("?<", "?P<"))
    room = new_room_id()
    for path in ("/ws/{}", "/api/rooms/{}", "/api/rooms/{}/join", "/room/{}"):
        matched = pattern.match(path.format(room))
        assert matched
        assert matched["id"] == room
    for path in ("/api/rooms", "/api/games", "/", f"/api/rooms/{room}x", "/ws/short"):
        assert pattern.match(path) is None


def test_the_proxy_lets_bodies_through_that_the_server_accepts() -> None:
    from trireme.server.limits import ServerLimits

    found = re.search(r"client_max_body_size (\d+)m;", NGINX)
    assert found
    assert int(found[1]) * 1024 * 1024 >= ServerLimits().body_bytes


@pytest.mark.slow
def test_a_backup_is_restored_with_all_rooms(
    serve: Callable[..., Running], postgres_url: str, tmp_path: Path
) -> None:
    """Made while a server runs; in the copy its rooms belong to nobody."""
    if shutil.which("pg_dump") is None or shutil.which("pg_restore") is None:
        pytest.skip("PostgreSQL's clients are not installed")
    here = serve(url=postgres_url)
    player = here.player(here.create("gomoku", seats=[{"kind": "me"}, {"kind": "me"}]))
    player.act(0, "h8")
    file, server = tmp_path / "backup.dump", postgres_url.rpartition("/")[0]
    subprocess.run(["pg_dump", "-Fc", "-f", str(file), postgres_url], check=True)
    maker = create_engine(
        f"{server.replace('://', '+psycopg://')}/postgres", isolation_level="AUTOCOMMIT"
    )
    with maker.connect() as connection:
        connection.execute(text("CREATE DATABASE restored"))
    maker.dispose()
    subprocess.run(["pg_restore", "--no-owner", "-d", f"{server}/restored", str(file)], check=True)
    engine = open_store(f"{server}/restored")

    async def events() -> int:
        store = EventStore(engine)
        stored = await store.load(player.room)
        store.close()
        assert stored is not None
        return len(stored.events)

    assert asyncio.run(events()) == player.position["version"]
    engine.dispose()
    copy = serve(url=f"{server}/restored", workers=0)
    again = copy.player({"room": player.room, "token": player.token})
    assert again.position["moves"] == 1
