"""`python -m trireme.server.protocol.schema`: one JSON Schema document of the whole protocol.

`$defs` holds every shape. `properties` are the entry points: `client` and `server` are the two
unions of WebSocket messages, tagged by `type`; `rest` has the REST bodies by name; `views` and
`settings` have, by game, the shape of a seat's view and of the game's settings.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from trireme.core.registry import GAMES, find, load, view_type

from . import bodies, messages, shapes

REF = "#/$defs/{model}"

REST: tuple[tuple[type[shapes.Shape], JsonSchemaMode], ...] = (
    (bodies.NewRoom, "validation"),
    (bodies.JoinRoom, "validation"),
    (bodies.CheckSettings, "validation"),
    (bodies.RecordText, "validation"),
    (bodies.AnalysisRequest, "validation"),
    (bodies.ReviewRequest, "validation"),
    (shapes.GameInfo, "serialization"),
    (shapes.RoomInfo, "serialization"),
    (shapes.PuzzleList, "serialization"),
    (shapes.GameReplay, "serialization"),
    (shapes.GameRules, "serialization"),
    (shapes.ErrorResponse, "serialization"),
    (bodies.SeatGrant, "serialization"),
    (bodies.Invitation, "serialization"),
    (bodies.SettingsChecked, "serialization"),
    (bodies.MapChecked, "serialization"),
    (bodies.RecordVerified, "serialization"),
    (bodies.AnalysisResponse, "serialization"),
    (bodies.ReviewProgress, "serialization"),
    (bodies.RecentGame, "serialization"),
    (bodies.Rating, "serialization"),
    (bodies.Preparation, "serialization"),
    (bodies.Health, "serialization"),
)


def schema() -> dict[str, Any]:
    """The whole document."""
    client: TypeAdapter[Any] = messages.CLIENT
    server: TypeAdapter[Any] = TypeAdapter(messages.ServerMessage)
    rest = [(TypeAdapter(model), mode) for model, mode in REST]
    schemas, defs = GenerateJsonSchema(ref_template=REF).generate_definitions(
        [
            ("client", "validation", client.core_schema),
            ("server", "serialization", server.core_schema),
            *(
                (m.__name__, mode, a.core_schema)
                for (m, _), (a, mode) in zip(REST, rest, strict=True)
            ),
        ]
    )
    definitions: dict[str, Any] = {name: _plain(shape) for name, shape in defs.items()}
    named = {str(key[0]): value for key, value in schemas.items()}
    views, settings = {}, {}
    for game in GAMES:
        views[game] = _shape(game, view_type(game), definitions)
        settings[game] = _shape(game, load(find(game).game), definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "TriremeProtocol",
        "description": f"Version {shapes.PROTOCOL} of the messages of a Trireme server.",
        **_object(
            {
                "client": named.pop("client"),
                "server": named.pop("server"),
                "rest": _object(named),
                "views": _object(views),
                "settings": _object(settings),
            }
        ),
        "$defs": definitions,
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
        "additionalProperties": False,
    }


def _shape(game: str, kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """The JSON shape of a game's dataclass, its definitions named after the game."""
    template = f"#/$defs/{game}.{{name}}"
    try:
        (shape,), parts = msgspec.json.schema_components([kind], ref_template=template)
    except TypeError:  # a plugin's type that has no schema
        return {}
    renamed = {f"{game}.{name}": _name(game, name) for name in parts}
    for name, part in parts.items():
        part["required"] = list(part.get("properties", ()))
        definitions[_name(game, name)] = _renamed(_plain(part), renamed)
    result: dict[str, Any] = _renamed(shape, renamed)
    return result


def _name(game: str, name: str) -> str:
    """`GomokuState`, `NavigationState`; the game's own class is `GomokuSettings`."""
    prefix = "".join(word.capitalize() for word in game.split("_"))
    return f"{prefix}{name.removeprefix(prefix) or 'Settings'}"


def _renamed(shape: Any, names: dict[str, str]) -> Any:
    if isinstance(shape, list):
        return [_renamed(part, names) for part in shape]
    if not isinstance(shape, dict):
        return shape
    if (ref := shape.get("$ref")) is not None:
        return {**shape, "$ref": f"#/$defs/{names[ref.removeprefix('#/$defs/')]}"}
    return {key: _renamed(part, names) for key, part in shape.items()}


def _plain(shape: dict[str, Any]) -> dict[str, Any]:
    """An object's shape without titles, which type generators would turn into names, and with its
    tag required, which pydantic leaves optional because it has a default."""
    properties = {
        name: {key: value for key, value in part.items() if key != "title"}
        for name, part in shape.get("properties", {}).items()
    }
    tags = {name for name, part in properties.items() if "const" in part}
    required = [name for name in properties if name in tags or name in shape.get("required", ())]
    plain = {key: value for key, value in shape.items() if key != "title"}
    return {**plain, "properties": properties, "required": required}


def main() -> None:
    json.dump(schema(), sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
