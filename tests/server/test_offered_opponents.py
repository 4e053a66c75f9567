"""Every opponent that the menus offer plays a whole game where `make play` has installed it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from trireme.core.registry import BUILT_IN

from .live import Player, play_out
from .play_venv import make_play_venv, needed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links"),
]

SERVE = """
import socket, sys
from trireme.server.app import Config
from trireme.server.limits import ServerLimits
from trireme.server.run import server_for
from trireme.store import open_store
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
limits = ServerLimits(
    request_rate=1e6, request_burst=10**6, room_rate=1e6, room_burst=10**6,
    message_rate=1e6, message_burst=10**6, prepare_seconds=600,
)
config = Config(limits, workers=1, warm=False)
server_for(open_store(sys.argv[1]), config).run([listener])
"""
ONE_CLICK = {"navigation": "equal"}
"""The variants that one click on Play starts, where they are not the usual ones."""
THINK = 0.05
"""Seconds a move: what is tested is that they play, not how well."""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_play_venv(tmp_path_factory.mktemp("play") / "venv")


@pytest.fixture(scope="module")
def address(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that runs in that environment."""
    database = f"sqlite:///{tmp_path_factory.mktemp('offered') / 'store.db'}"
    command = [str(python), "-c", SERVE, database]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"127.0.0.1:{int(process.stdout.readline())}"
        process.terminate()


def test_the_environment_is_the_one_that_make_play_installs(python: Path) -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text(encoding="utf-8")
    assert "--editable '.[play]'" in makefile
    names = {found.name.lower() for found in needed("play")}
    assert {"onnxruntime", "fastapi", "numba"} <= names
    assert not names & {"torch", "httpx", "ray", "pytest"}
    for package, there in (("onnxruntime", True), ("torch", False), ("httpx", False)):
        asked = f"import importlib.util as u; print(u.find_spec({package!r}) is not None)"
        answer = subprocess.run(
            [str(python), "-c", asked], capture_output=True, text=True, check=True
        )
        assert answer.stdout.strip() == str(there), package


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_opponent_that_is_offered_plays_a_whole_game(address: str, name: str) -> None:
    with httpx.Client(base_url=f"http://{address}", timeout=300) as http:
        game = next(g for g in http.get("/api/games").json() if g["name"] == name)
        assert [a["name"] for a in game["agents"] if a["unavailable"]] == []
        assert [o["name"] for o in game["opponents"] if o["unavailable"]] == []
        one_click = game["variants"][ONE_CLICK[name]] if name in ONE_CLICK else {}
        offered = [(a["name"], {}) for a in game["agents"]]
        offered += [(o["spec"], one_click) for o in game["opponents"]]
        assert len(offered) > 10
        for spec, settings in offered:
            seats = [{"kind": "me"}, {"kind": "agent", "agent": spec}]
            body = {"game": name, "variant": game["versus"], "seats": seats, "clock": "none"}
            body["settings"] = settings
            made = http.post("/api/rooms", json={**body, "think": THINK, "pace": 0})
            assert made.status_code == 201, (spec, made.text)
            held = made.json()
            player = Player(address, held["room"], held["token"])
            play_out(player)
            player.close()
            assert player.position["result"]["forfeits"] == [], spec
