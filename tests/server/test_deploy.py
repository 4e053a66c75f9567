"""The files in deploy/ agree with each other and with the server; backups can be restored."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import create_engine, text

from trireme.server.keys import new_room_id
from trireme.server.origins import HOSTS
from trireme.server.rooms.peer_positions import PATH
from trireme.server.storage.event_store import EventStore
from trireme.store import open_store

from .live import Running

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
NGINX = (DEPLOY / "nginx.conf").read_text("utf-8")
DOCKERFILE = (DEPLOY / "Dockerfile").read_text("utf-8")


def test_services_depend_on_services_and_use_volumes_that_exist() -> None:
    services = COMPOSE["services"]
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert (DEPLOY / source).is_file() if "/" in source else source in COMPOSE["volumes"]
    wanted = services["server"]["depends_on"]["database"]
    assert wanted == {"condition": "service_healthy"}
    assert "healthcheck" in services["database"]


def test_the_manual_sets_the_variables_that_have_no_default() -> None:
    used = dict(re.findall(r"\$\{(\w+):([-?])", (DEPLOY / "compose.yaml").read_text("utf-8")))
    assert used == {"POSTGRES_PASSWORD": "?", "TRIREME_HOSTS": "-"}
    manual = (ROOT / "docs" / "server.md").read_text("utf-8")
    assert set(re.findall(r"^echo (\w+)=.*> \.env", manual, re.MULTILINE)) == set(used)


def test_the_server_reads_the_variables_that_are_set_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, hosts, proxies = COMPOSE["services"]["server"]["environment"]
    monkeypatch.setenv(database, f"sqlite:///{tmp_path / 'named.db'}")
    engine = open_store(None)
    assert engine.url.database == str(tmp_path / "named.db")
    engine.dispose()
    assert hosts == HOSTS
    assert proxies == "FORWARDED_ALLOW_IPS"  # uvicorn's


def test_the_image_is_built_from_files_that_exist_and_that_docker_is_given() -> None:
    build = COMPOSE["services"]["server"]["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    assert ROOT / build["dockerfile"] == DEPLOY / "Dockerfile"
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    sources = {source for line in copied for source in line.split()}
    ignore = (ROOT / ".dockerignore").read_text("utf-8")
    given = set(re.findall(r"^!(.+)$", ignore, re.MULTILINE))
    assert given == {source.partition("/")[0] for source in sources}
    assert all((ROOT / source).exists() for source in sources)
    built = re.search(r"^COPY --from=client /trireme/(\S+) (\S+)$", DOCKERFILE, re.MULTILINE)
    assert built
    assert built[1] == built[2]
    assert f'outDir: "../{built[1]}"' in (ROOT / "web" / "vite.config.ts").read_text("utf-8")


def test_the_image_starts_the_server_with_options_that_it_knows() -> None:
    found = re.search(r"^CMD (.+)$", DOCKERFILE, re.MULTILINE)
    assert found
    program, *arguments = json.loads(found[1])
    assert program == "trireme"
    command = [sys.executable, "-m", program, *arguments, "--help"]
    assert subprocess.run(command, capture_output=True).returncode == 0


def test_the_health_check_of_the_image_tells_a_server_from_none(server: Running) -> None:
    kind, _, *arguments = COMPOSE["services"]["server"]["healthcheck"]["test"]
    assert kind == "CMD"
    assert "127.0.0.1:8000/" in arguments[-1]
    for address, healthy in ((server.address, True), ("127.0.0.1:9", False)):
        code = arguments[-1].replace("127.0.0.1:8000", address)
        checked = subprocess.run([sys.executable, *arguments[:-1], code], capture_output=True)
        assert (checked.returncode == 0) is healthy


def test_the_proxy_asks_the_service_of_the_servers_at_their_port() -> None:
    found = re.search(r"server (\w+):(\d+) resolve", NGINX)
    assert found
    assert found[1] in COMPOSE["services"]
    assert f"EXPOSE {found[2]}" in DOCKERFILE
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


def test_the_proxy_hides_what_is_not_for_the_public() -> None:
    hidden = re.findall(r"location (?:= )?(\S+) \{\s+return 404;", NGINX)
    assert "/metrics" in hidden
    assert any(PATH.startswith(place) for place in hidden)


def test_the_proxy_lets_bodies_through_that_the_server_accepts() -> None:
    from trireme.server.limits import ServerLimits

    found = re.search(r"client_max_body_size (\d+)m;", NGINX)
    assert found
    assert int(found[1]) * 1024 * 1024 >= ServerLimits().body_bytes


def test_servers_keep_connections_longer_than_the_proxy_does(server: Running) -> None:
    """Else the proxy sends a request while its connection is being closed, and it is lost."""
    found = re.search(r"keepalive_timeout (\d+)s;", NGINX)
    assert found
    assert server.server.config.timeout_keep_alive >= int(found[1]) + 10


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
