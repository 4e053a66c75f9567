"""The page `/docs`: the REST interface as plain HTML from the OpenAPI document, without scripts."""

from __future__ import annotations

from html import escape
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response

from .pages import page_policy
from .prepared import PreparedAnswers, compressed_response

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>REST interface · Trireme</title>
<style>body { font: 16px/1.5 system-ui; max-width: 60em; margin: 2em auto; padding: 0 1em }
code { font-size: .9em } dt { font-weight: bold } dd { margin: 0 0 .3em 1.5em }</style>
<h1>REST interface</h1>
<p>Version VERSION. The same for programs: <a href="/openapi.json">openapi.json</a>. Everything else
about the protocol is in the <a href="/manual/web-protocol/">manual</a>.</p>
<h2>Requests</h2>
PATHS
<h2>Shapes</h2>
SHAPES
</html>
"""


def mount_api_page(app: FastAPI) -> None:
    """Serve the page at `/docs` and the document at `/openapi.json`; both are made when they are
    first asked for."""

    @app.get("/docs", include_in_schema=False)
    async def page(request: Request) -> Response:
        prepared: PreparedAnswers = request.app.state.prepared
        made = await prepared.get("docs", lambda: render(app.openapi()))
        response = compressed_response(request, made, "text/html")
        response.headers["Content-Security-Policy"] = page_policy(b"")
        return response

    @app.get("/openapi.json", include_in_schema=False)
    async def document(request: Request) -> Response:
        prepared: PreparedAnswers = request.app.state.prepared
        made = await prepared.get("openapi", lambda: msgspec.json.encode(app.openapi()))
        return compressed_response(request, made)


def render(document: dict[str, Any]) -> str:
    """The OpenAPI document as a page."""
    paths = [
        _request(method, path, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]
    shapes = [_shape(name, shape) for name, shape in document["components"]["schemas"].items()]
    page = _PAGE.replace("VERSION", escape(document["info"]["version"]))
    return page.replace("PATHS", "\n".join(paths)).replace("SHAPES", "\n".join(shapes))


def _request(method: str, path: str, operation: dict[str, Any]) -> str:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    answers = [
        answer.get("content", {}).get("application/json", {}).get("schema", {})
        for status, answer in operation["responses"].items()
        if status.startswith("2")
    ]
    shapes = f"{_type(body['schema'])} → " if body else ""
    shapes += ", ".join(filter(None, map(_type, answers)))
    text = escape(operation.get("description", "").partition("\n")[0])
    return f"<p><code><b>{method.upper()}</b> {escape(path)}</code> {shapes}<br>{text}</p>"


def _shape(name: str, shape: dict[str, Any]) -> str:
    fields = [
        f"<dt><code>{escape(field)}</code> {_type(part)}</dt>"
        f"<dd>{escape(part.get('description', ''))}</dd>"
        for field, part in shape.get("properties", {}).items()
    ]
    text = escape(shape.get("description", "").partition("\n")[0])
    return f'<h3 id="{escape(name)}">{escape(name)}</h3><p>{text}</p><dl>{"".join(fields)}</dl>'


def _type(shape: dict[str, Any]) -> str:
    """A schema in short, as HTML: `[RoomInfo]`, `string or null`."""
    if "$ref" in shape:
        name = escape(shape["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in shape:
        return " or ".join(map(_type, shape["anyOf"]))
    if shape.get("type") == "array":
        return f"[{_type(shape.get('items', {}))}]"
    if "enum" in shape:
        return " | ".join(escape(str(value)) for value in shape["enum"])
    return escape(str(shape.get("const", shape.get("type", ""))))
