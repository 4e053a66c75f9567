"""`trireme mcp`: the games as an MCP server, for hosts of language models."""

from __future__ import annotations

from typing import Annotated

import typer

from trireme.core.extras import require

from .serve import listen, shown_host


def mcp(
    http: Annotated[
        bool,
        typer.Option("--http", help="Serve streamable HTTP instead of standard input and output."),
    ] = False,
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0: every interface.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0: any free one.")] = 8010,
    server: Annotated[
        str | None,
        typer.Option(help="A running Trireme server, whose rooms clients may open and join."),
    ] = None,
) -> None:
    """Serve the games as tools of the Model Context Protocol (MCP).

    A host starts it by itself and speaks over standard input and output; with --http it is at
    http://HOST:PORT/mcp. Example: `trireme mcp --http`
    """
    require("mcp", "the MCP server")
    from trireme.mcp.server import build_server

    built = build_server(server)
    if not http:
        built.run("stdio")
        return
    import uvicorn

    listener = listen(host, port)
    url = f"http://{shown_host(host)}:{listener.getsockname()[1]}/mcp"
    typer.echo(f"The MCP server is at {url}  (Ctrl-C stops it)", err=True)
    app = built.streamable_http_app(host=host)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
