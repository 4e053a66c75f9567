"""Specs: games, agents and their options as one line of text, taken apart.

search:depth=8,seconds=0.5          name:option=value,…
my_bots.py:Bot:level=2              file or module:class:option=value,…
navigation:map={"width": 9, …}      a value may be JSON, over several lines too
process:cmd="./bot --x=1, y"        or quoted, with \\" for a quote inside
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from .errors import BadSpec

_KEY = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BARE = re.compile(r"[^,]*")
_END = re.compile(r"\s*(?:,|$)")


@dataclass(frozen=True)
class Spec:
    """A spec taken apart: `search:depth=8` or `my_bots.py:Bot:level=2`."""

    name: str
    cls: str | None
    options: dict[str, str]


def parse_spec(text: str) -> Spec:
    """Take a spec apart.

    >>> parse_spec("search:depth=8,seconds=0.5")
    Spec(name='search', cls=None, options={'depth': '8', 'seconds': '0.5'})
    >>> parse_spec("my_bots:Bot").cls
    'Bot'
    >>> parse_spec('navigation:map={"rocks": [[1, 2]]},turn_limit=9').options
    {'map': '{"rocks": [[1, 2]]}', 'turn_limit': '9'}
    """
    name, _, rest = text.strip().partition(":")
    if not name:
        raise BadSpec(f"expected a name such as 'random' or 'search:depth=8', not {_short(text)}")
    cls: str | None = None
    first, _, after = rest.partition(":")
    if first.strip().isidentifier():
        cls, rest = first.strip(), after
    return Spec(name.strip(), cls, parse_options(rest))


def parse_options(text: str) -> dict[str, str]:
    """The options of `a=1,b="x, y",c=[1, 2]`, each value as text."""
    options: dict[str, str] = {}
    at = 0
    while at < len(text):
        key = _KEY.match(text, at)
        if key is None:
            raise BadSpec(f"expected option=value, not {_short(text[at:])}")
        value, at = _value(text, key.end())
        end = _END.match(text, at)
        if end is None:
            raise BadSpec(f"expected a comma after the value of {key[1]}, not {_short(text[at:])}")
        if key[1] in options:
            raise BadSpec(f"option {key[1]} is given twice")
        options[key[1]] = value
        at = end.end()
    return options


def with_option(spec: str, name: str, value: str) -> str:
    """The spec with one more option, its value quoted.

    >>> with_option("dqn", "model", "my models/a.onnx")
    'dqn:model="my models/a.onnx"'
    >>> with_option("search:depth=8", "seconds", "2")
    'search:depth=8,seconds="2"'
    """
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{spec}{"," if parse_spec(spec).options else ":"}{name}="{quoted}"'


def _value(text: str, at: int) -> tuple[str, int]:
    """The value that begins at `at`, and where it ends."""
    if quoted := _QUOTED.match(text, at):
        return re.sub(r"\\(.)", r"\1", quoted[1], flags=re.DOTALL), quoted.end()
    if text.startswith(("[", "{"), at):
        try:
            _, end = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            problem = f"{_short(text[at:])} looks like JSON, but is not: {error}"
            raise BadSpec(problem) from None
        return text[at:end], end
    bare = _BARE.match(text, at)
    assert bare is not None
    return bare[0].strip(), bare.end()


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:79]}…")
