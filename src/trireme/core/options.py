"""Options of games and agents: declared once as typed fields, read from text or JSON, checked.

msgspec is imported on use: training settings are declared with this on machines that lack it.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from .errors import BadSpec, TriremeError, unknown

T = TypeVar("T")


def option(default: T, help: str) -> T:
    """A dataclass field with its default and its one line of help."""
    made: T = dataclasses.field(default=default, metadata={"help": help})
    return made


@dataclass(frozen=True)
class Option:
    """One option of a game or an agent, as help texts and forms show it."""

    name: str
    type: Any
    default: Any
    help: str

    @property
    def type_text(self) -> str:
        """The type as a user reads it: `int`, `0.5 or none`, `sequential | uniform`."""
        return _type_text(self.type)


def options_of(cls: type) -> dict[str, Option]:
    """The options that `cls` takes: its constructor's parameters, with their types and help."""
    return dict(_options_of(cls))


@cache
def _options_of(cls: type) -> Mapping[str, Option]:
    """The same, found out once a process: to evaluate annotations takes long."""
    typed = cls if dataclasses.is_dataclass(cls) else inspect.getattr_static(cls, "__init__")
    hints = typing.get_type_hints(typed)
    helps = {f.name: f.metadata.get("help", "") for f in _fields(cls)}
    return {
        p.name: Option(p.name, hints.get(p.name, str), p.default, helps.get(p.name, ""))
        for p in inspect.signature(cls).parameters.values()
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    }


def build(cls: type[T], values: Mapping[str, Any], *, owner: str, from_text: bool = False) -> T:
    """Make a `cls` from named values, each converted to its option's type, or say what is wrong.

    `owner` names the game or agent in messages. With `from_text` values are strings that a person
    typed: numbers, `true`, names, JSON, and tuples written `5+4+3`.
    """
    known = options_of(cls)
    made = convert(cls, values, owner=owner, from_text=from_text)
    missing = [o.name for o in known.values() if o.default is inspect.Parameter.empty]
    if absent := [name for name in missing if name not in made]:
        raise BadSpec(f"{owner} needs a value for {', '.join(absent)}")
    try:
        return cls(**made)
    except TriremeError:
        raise
    except (TypeError, ValueError) as error:
        raise BadSpec(f"{owner} can't be made: {error}") from error


def convert(
    cls: type, values: Mapping[str, Any], *, owner: str, from_text: bool = False
) -> dict[str, Any]:
    """Named values, each converted to the type of its option of `cls`; see `build`."""
    known = options_of(cls)
    made: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise unknown(f"option of {owner}", name, known)
        made[name] = _convert(value, known[name], owner, from_text)
    return made


def settings(game: object) -> dict[str, Any]:
    """A game's settings as plain JSON values, every field stated."""
    import msgspec

    return {f.name: msgspec.to_builtins(getattr(game, f.name)) for f in _fields(type(game))}


def _fields(cls: type) -> tuple[dataclasses.Field[Any], ...]:
    if not dataclasses.is_dataclass(cls):
        return ()
    return tuple(f for f in dataclasses.fields(cls) if f.init)


def _convert(value: Any, option: Option, owner: str, from_text: bool) -> Any:
    import msgspec

    if from_text:
        value = _parse(value, option.type)
    elif _is_exactly(value, option.type):
        return value
    try:
        return msgspec.convert(msgspec.to_builtins(value), option.type, strict=not from_text)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, TriremeError):
            raise error.__cause__ from None
        raise BadSpec(
            f"{owner}: {option.name} must be {option.type_text}, not {value!r} ({error})"
        ) from None
    except TypeError as error:
        raise BadSpec(
            f"{owner}: {option.name} must be {option.type_text}, not {value!r}"
        ) from error


def _is_exactly(value: Any, type_: Any) -> bool:
    return isinstance(type_, type) and isinstance(value, type_) and type(value) is not bool


def _parse(text: str, type_: Any) -> Any:
    """Text on its way to a type: JSON and `a+b` lists are opened here, the rest by msgspec."""
    if text.startswith(("[", "{")):
        import msgspec

        try:
            return msgspec.json.decode(text.encode())
        except msgspec.DecodeError as error:
            raise BadSpec(f"{text!r} looks like JSON, but is not: {error}") from None
    if _takes_tuple(type_) and text.lower() != "none":
        return [part for part in text.split("+") if part]
    if text.lower() == "none" and type(None) in typing.get_args(type_):
        return None
    return text


def _takes_tuple(type_: Any) -> bool:
    options = typing.get_args(type_) if _is_union(type_) else (type_,)
    return any(typing.get_origin(o) is tuple or o is tuple for o in options)


def _is_union(type_: Any) -> bool:
    return typing.get_origin(type_) in (typing.Union, types.UnionType)


def _type_text(type_: Any) -> str:
    origin, args = typing.get_origin(type_), typing.get_args(type_)
    if origin is typing.Literal:
        return " | ".join(str(a) for a in args)
    if _is_union(type_):
        return " or ".join("none" if a is type(None) else _type_text(a) for a in args)
    if origin is tuple:
        kinds = [_type_text(a) for a in args if a is not Ellipsis]
        return f"{'+'.join(kinds)}{'+…' if Ellipsis in args else ''}"
    return getattr(type_, "__name__", str(type_))
