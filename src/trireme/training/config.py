"""Settings read from YAML and options, checked, and written back with their hash."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from trireme.core.errors import BadSettings, MissingExtra, unknown
from trireme.core.options import build

from .settings import RunSettings

T = TypeVar("T")

PLACES = (Path(__file__).parent / "configs", Path(__file__).parents[3] / "config")
"""Folders of the configs that ship: in an installed package, and in a checkout."""

MAX_DEPTH = 100
"""Levels of nesting in a config."""


def load(cls: type[T], path: Path | None, options: Mapping[str, Any], *, owner: str) -> T:
    """Settings of a run: an option beats the file, and the file beats the default.

    A bare name such as `cpu` is that of a config that ships.
    """
    values: dict[str, Any] = {}
    if path is not None:
        values.update(read(_shipped(path)))
    values.update(options)
    return build(cls, values, owner=owner)


def shipped() -> dict[str, Path]:
    """The configs that ship, by name."""
    place = next((place for place in PLACES if place.is_dir()), None)
    return {} if place is None else {path.stem: path for path in sorted(place.glob("*.yaml"))}


def _shipped(path: Path) -> Path:
    if path.suffix or len(path.parts) > 1 or path.exists():
        return path
    names = shipped()
    if path.name not in names:
        raise unknown("config", path.name, names)
    return names[path.name]


def read(path: Path) -> dict[str, Any]:
    """The keys and values of a YAML file."""
    import msgspec

    try:
        data = path.read_bytes()
        _check_depth(data)
        found = msgspec.yaml.decode(data)
    except ImportError:  # msgspec reads YAML by this package
        raise MissingExtra("learn", "a YAML config", "yaml") from None
    except RecursionError:
        raise BadSettings(f"{str(path)!r} is nested too deeply for a config") from None
    except OSError as error:
        raise BadSettings(f"can't read the config {str(path)!r}: {error.strerror}") from None
    except msgspec.DecodeError as error:
        raise BadSettings(f"{str(path)!r} is not YAML: {error}") from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise BadSettings(f"{str(path)!r} must hold keys and values, not {found!r:.60}")
    return found


def _check_depth(data: bytes) -> None:
    """Raise `RecursionError` where libyaml, which has no limit, would overflow the stack."""
    yaml: Any = importlib.import_module("yaml")
    depth = 0
    with suppress(yaml.YAMLError):  # the decoder says what is wrong
        for event in yaml.parse(data, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise RecursionError


def fingerprint(config: RunSettings, without: Collection[str] = ()) -> str:
    """A short hash of settings: equal for equal settings, whatever file they came from.

    `without` leaves some out.
    """
    hashed = {name: value for name, value in asdict(config).items() if name not in without}
    text = json.dumps(hashed, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]
