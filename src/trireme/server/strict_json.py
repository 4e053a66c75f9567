"""Strict decoding of JSON bodies: what the server could not store or answer is refused at once."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.exceptions import HTTPException

MAX_DEPTH = 32
"""Arrays and objects inside each other; no body of the protocol has more than a few."""


def strict_json(body: bytes) -> Any:
    """The value in `body`; refused are NaN, lone surrogates and deep nesting."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise HTTPException(400, f"the body is not JSON: {error}") from None
    except RecursionError:
        raise _too_deep() from None
    if _is_deep(value):
        raise _too_deep()
    return value


def _too_deep() -> HTTPException:
    return HTTPException(400, f"the body is nested deeper than {MAX_DEPTH} levels")


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [part for outer in level for part in _parts(outer) if isinstance(part, list | dict)]
        if not level:
            return False
    return True


def _parts(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if type(value) is list else []
