"""The MCP server, driven by the official client over both transports, as a host drives it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from trireme.core.record import parse_record
from trireme.mcp.server import build_server

from .mcp_host import Talk, call, refusal, run_in_memory

STDIO = StdioServerParameters(
    command=sys.executable, args=["-m", "trireme", "mcp"], env=dict(os.environ)
)


@pytest.fixture(scope="module")
def http_url() -> Iterator[str]:
    """The address of `trireme mcp --http` on a free port."""
    command = [sys.executable, "-m", "trireme", "mcp", "--http", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            yield server.stderr.readline().split(" is at ")[1].split()[0]
        finally:
            server.terminate()


@pytest.fixture(
    params=["memory", *(pytest.param(name, marks=pytest.mark.slow) for name in ("stdio", "http"))]
)
def talk(request: pytest.FixtureRequest) -> Callable[[Talk], None]:
    """Runs a conversation over one transport."""

    def run(conversation: Talk) -> None:
        target: Any = build_server()
        if request.param == "stdio":
            target = STDIO
        elif request.param == "http":
            target = request.getfixturevalue("http_url")

        async def main() -> None:
            async with Client(target) as client:
                await conversation(client)

        asyncio.run(main())

    return run


def test_a_host_finds_tools_resources_and_prompts(talk: Callable[[Talk], None]) -> None:
    async def conversation(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {
            *("list_games", "start_game", "see", "legal_actions", "rules", "act", "undo"),
            *("hint", "review", "costs"),
        }
        assert all(tool.description for tool in tools.values())
        games = {game["game"]: game for game in await call(client, "list_games")}
        assert {"battleship", "gomoku", "navigation"} <= set(games)
        assert "process" not in games["gomoku"]["agents"]
        assert "llm" not in games["gomoku"]["agents"]
        listed = (await client.list_resources()).resources
        assert "trireme://rules/gomoku" in {str(resource.uri) for resource in listed}
        read = await client.read_resource("trireme://rules/gomoku")
        assert "exactly five" in read.contents[0].text  # type: ignore[union-attr]
        prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert prompts == {"play", "analyse"}
        made = await client.get_prompt("play", {"game": "navigation"})
        assert "navigation" in made.messages[0].content.text  # type: ignore[union-attr]
        assert "four phases" in await call(client, "rules", game="navigation")

    talk(conversation)


@pytest.mark.slow
def test_a_whole_game_is_played_taken_back_and_reviewed(talk: Callable[[Talk], None]) -> None:
    async def conversation(client: Client) -> None:
        at = await call(
            client, "start_game", game="gomoku", settings={"size": 5}, opponent="random"
        )
        game_id = at["game_id"]
        assert at["status"] == "your turn"
        assert len(at["legal"]) == 25
        await call(client, "act", game_id=game_id, action="c3")
        back = await call(client, "undo", game_id=game_id)
        assert back["moves"] == 0
        assert len(back["legal"]) == 25
        told = await call(client, "hint", game_id=game_id, agent="random")
        assert told["action"] in back["legal"]
        assert "when the game is over" in await refusal(client, "review", game_id=game_id)
        assert "when the game is over" in await refusal(client, "costs", game_id=game_id)
        with pytest.raises(MCPError):
            await client.read_resource(f"trireme://records/{game_id}")
        at = back
        while at["status"] != "over":
            legal = await call(client, "legal_actions", game_id=game_id)
            at = await call(client, "act", game_id=game_id, action=legal[0])
        assert at["result"]
        assert at["legal"] is None
        done = await call(client, "review", game_id=game_id)
        assert len(done["moves"]) == at["moves"]
        cost = await call(client, "costs", game_id=game_id)
        assert {move["seat"] for move in cost["moves"]} == {done["your seat"]}
        one = await call(client, "review", game_id=game_id, move=1, seconds=0.05)
        assert one["played"] == "a1"
        assert one["insight"]["moves"]
        record = await client.read_resource(f"trireme://records/{game_id}")
        parsed = parse_record(record.contents[0].text)  # type: ignore[union-attr]
        parsed.verify()
        assert "the game is over" in await refusal(client, "act", game_id=game_id, action="a1")

    talk(conversation)


def test_every_game_is_played_to_its_end() -> None:
    async def conversation(client: Client) -> None:
        for game, settings, actions in (
            ("battleship", {"rows": 5, "cols": 5}, None),
            ("battleship", {"duel": True}, ["A1-A5 C1-C4 E1-E3 G1-G3 I1-I2"]),
            ("navigation", {"turn_limit": 2}, ["F-F-F-F-", "F-F-F-F-"]),
        ):
            at = await call(client, "start_game", game=game, settings=settings, opponent="random")
            wanted = list(actions or [])
            while at["status"] != "over":
                action = wanted.pop(0) if wanted else at["legal"][0]
                at = await call(client, "act", game_id=at["game_id"], action=action)
            assert at["result"]

    run_in_memory(conversation)


def test_mistakes_are_told_and_change_nothing() -> None:
    async def conversation(client: Client) -> None:
        assert "Did you mean 'gomoku'" in await refusal(client, "start_game", game="gomuku")
        assert "no game has this" in await refusal(client, "see", game_id="nonsense")
        at = await call(client, "start_game", game="gomoku", opponent="random")
        assert "z99" in await refusal(client, "act", game_id=at["game_id"], action="z99")
        assert "decision" in await refusal(client, "undo", game_id=at["game_id"])
        assert (await call(client, "see", game_id=at["game_id"])) == at
        ship = await call(client, "start_game", game="battleship", settings={"rows": 5, "cols": 5})
        await call(client, "act", game_id=ship["game_id"], action="A1")
        assert "no undo" in await refusal(client, "undo", game_id=ship["game_id"])
        assert "seat must be" in await refusal(client, "start_game", game="gomoku", seat=7)

    run_in_memory(conversation)


@pytest.mark.parametrize(
    "agent",
    [
        'process:cmd="touch pwned"',
        "pathlib:Path",
        "dqn:model=/etc/passwd",
        "llm:model=m",
        "gomocup:cmd=touch",
    ],
)
def test_no_client_can_start_programs_or_name_files(agent: str, tmp_path: Path) -> None:
    async def conversation(client: Client) -> None:
        assert await refusal(client, "start_game", game="gomoku", opponent=agent)
        at = await call(client, "start_game", game="gomoku", opponent="random")
        assert await refusal(client, "hint", game_id=at["game_id"], agent=agent)

    run_in_memory(conversation)
    assert not list(tmp_path.iterdir())


def test_hidden_fleets_stay_hidden_until_the_end() -> None:
    said: list[str] = []

    async def conversation(client: Client) -> None:
        fleet = "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2"
        at = await call(client, "start_game", game="battleship", opponent="random")
        at = await call(client, "act", game_id=at["game_id"], action=fleet)
        while at["status"] != "over":
            said.append(json.dumps([at, await call(client, "see", game_id=at["game_id"])]))
            at = await call(client, "act", game_id=at["game_id"], action=at["legal"][0])
        done = await call(client, "review", game_id=at["game_id"])
        hidden = done["moves"][0]["seat 1"]
        for ship in hidden.split():
            assert not any(f'"{ship}' in text or f" {ship}" in text for text in said) or (
                ship in fleet.split()
            )

    run_in_memory(conversation)
    assert said


def test_only_so_many_games_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trireme.mcp.server.MOST_GAMES", 2)

    async def conversation(client: Client) -> None:
        ids = [
            (await call(client, "start_game", game="gomoku", opponent="random"))["game_id"]
            for _ in range(2)
        ]
        await call(client, "see", game_id=ids[0])
        await call(client, "start_game", game="gomoku", opponent="random")
        await call(client, "see", game_id=ids[0])
        assert "no game" in await refusal(client, "see", game_id=ids[1])

    run_in_memory(conversation)
