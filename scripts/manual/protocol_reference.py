"""The protocol reference as Markdown, generated from the server's JSON Schema and REST routes."""

from __future__ import annotations

import json
import re
from typing import Any

from fastapi import FastAPI

from trireme.server.protocol.codes import CODES, STATUS
from trireme.server.protocol.schema import schema
from trireme.server.rest import api, operator

from .tables import table

Shape = dict[str, Any]
LIMITS = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "maxItems": "at most {} items",
}


def markdown(meanings: dict[str, str]) -> str:
    """The whole page; `meanings` says what each error code means."""
    document = schema()
    defs: dict[str, Shape] = document["$defs"]
    entries = document["properties"]
    client, server = (_mapping(entries[side]) for side in ("client", "server"))
    rest = [_named(ref) for ref in entries["rest"]["properties"].values()]
    games = {
        kind: {game: _named(ref) for game, ref in entries[kind]["properties"].items()}
        for kind in ("views", "settings")
    }
    placed = {*client.values(), *server.values(), *rest}
    owned = {name for name in defs if any(name.startswith(g.capitalize()) for g in games["views"])}
    shared = [name for name in defs if name not in placed | owned]
    parts = [
        "# Protocol reference",
        f"{document['description']} Generated from the schema that the server checks messages "
        "with (`python -m trireme.server.protocol.schema` prints it as JSON); "
        "[the web protocol](../web-protocol.md) explains how the messages work together.",
        "## REST",
        _routes(),
        "## Messages from the client",
        "Sent over the socket `/ws/{room}`; `type` tells them apart.",
        *(_definition(defs, name, tag) for tag, name in client.items()),
        "## Messages from the server",
        *(_definition(defs, name, tag) for tag, name in server.items()),
        "## Bodies of REST",
        *(_definition(defs, name) for name in rest),
        "## Shared shapes",
        *(_definition(defs, name) for name in shared),
        "## Views and settings of the games",
        table(
            ("game", "view", "settings"),
            [
                (f"`{game}`", _link(name), _link(games["settings"][game]))
                for game, name in games["views"].items()
            ],
        ),
        *(_definition(defs, name) for name in defs if name in owned),
        "## Error codes",
        "A refused message is answered with `error`, a refused request with this HTTP status; both "
        "carry the code and a sentence for people.",
        table(
            ("code", "HTTP status", "meaning"),
            [(f"`{code}`", str(STATUS.get(code, 400)), meanings[code]) for code in CODES],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def code_meanings(page: str) -> dict[str, str]:
    """What each error code means, read from the table in docs/web-protocol.md."""
    section = page.split("## Error codes", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (`.+?`) \| (.+?) \|$", section, re.MULTILINE)
    return {code: text for cell, text in rows for code in re.findall(r"`(\w+)`", cell)}


def _routes() -> str:
    app = FastAPI()
    app.include_router(api)
    app.include_router(operator)
    rows = []
    for path, methods in app.openapi()["paths"].items():
        for method, route in methods.items():
            body = _body(route.get("requestBody"))
            answer = next(
                _body(response) for code, response in route["responses"].items() if code < "300"
            )
            rows.append((f"`{method.upper()} {path}`", body, answer, route.get("description", "")))
    return table(("request", "body", "answer", "what it does"), rows)


def _body(part: Shape | None) -> str:
    if part is None:
        return ""
    content = part.get("content", {})
    if not (shape := content.get("application/json", {}).get("schema")):
        return "text" if content else ""
    return type_text(shape)


def _mapping(union: Shape) -> dict[str, str]:
    return {tag: ref.rpartition("/")[2] for tag, ref in union["discriminator"]["mapping"].items()}


def _named(reference: Shape) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


def _definition(defs: dict[str, Shape], name: str, tag: str | None = None) -> str:
    shape = defs[name]
    lines = [f"### {name}" + (f" `{tag}`" if tag else "") + f" {{ #{name.lower()} }}"]
    lines.append(shape.get("description", ""))
    required = shape.get("required", ())
    rows = [
        (f"`{field}`", type_text(part), _note(part, field in required))
        for field, part in shape.get("properties", {}).items()
    ]
    lines.append(table(("field", "type", "meaning"), rows) if rows else type_text(shape))
    return "\n\n".join(line for line in lines if line)


def _note(part: Shape, required: bool) -> str:
    told = [part["description"]] if "description" in part else []
    if not required and "const" not in part:
        default = json.dumps(part["default"], ensure_ascii=False) if "default" in part else None
        told.append("Optional." if default is None else f"Default: `{default}`.")
    return " ".join(told)


def type_text(shape: Shape) -> str:
    """A JSON Schema in a few words, with links to the shapes that it names.

    >>> type_text({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]})
    'integer (≥ 0) or null'
    >>> type_text({"type": "array", "items": {"$ref": "#/$defs/Offer"}})
    'list of [Offer](#offer)'
    """
    if "$ref" in shape:
        return _link(_named(shape))
    if "const" in shape:
        return f"`{json.dumps(shape['const'])}`"
    if "enum" in shape:
        return " or ".join(f"`{json.dumps(value)}`" for value in shape["enum"])
    for union in ("anyOf", "oneOf"):
        if union in shape:
            return " or ".join(dict.fromkeys(type_text(part) for part in shape[union]))
    kind = shape.get("type")
    if kind == "array":
        return _array(shape)
    if kind == "object":
        values = shape.get("additionalProperties")
        return f"object of {type_text(values)}" if isinstance(values, dict) and values else "object"
    limits = [text.format(shape[key]) for key, text in LIMITS.items() if key in shape]
    return (kind or "any JSON") + (f" ({', '.join(limits)})" if limits else "")


def _array(shape: Shape) -> str:
    if fixed := shape.get("prefixItems"):
        return "[" + ", ".join(type_text(part) for part in fixed) + "]"
    items = shape.get("items")
    return f"list of {type_text(items)}" if isinstance(items, dict) and items else "list"
