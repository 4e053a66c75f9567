"""An MCP host for the tests: the official client, and short ways to call tools."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from mcp import Client

from trireme.mcp.server import build_server

Talk = Callable[[Client], Awaitable[None]]


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    """A tool's structured answer."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    made: Any = answer.structured_content
    return made["result"] if set(made) == {"result"} else made


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    return str(answer.content[0].text)  # type: ignore[union-attr]


def run_in_memory(conversation: Talk, server: Any = None) -> None:
    async def main() -> None:
        async with Client(server or build_server()) as client:
            await conversation(client)

    asyncio.run(main())
