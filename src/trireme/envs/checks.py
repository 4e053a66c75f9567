"""Input checks that all environments share, with their error messages."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from trireme.core.errors import BadSettings, IllegalAction, TriremeError, UnknownName, unknown


class ResetNeeded(TriremeError, gymnasium.error.ResetNeeded):
    """`step` or `render` was called before `reset`, or after the episode's end."""


class UnknownKeyword(UnknownName, TypeError):
    """An environment got a keyword that it does not know.

    It is a `TypeError` as well, and says "unexpected keyword argument": callers such as TorchRL and
    Stable-Baselines3 try a keyword and do without it where that is raised.
    """


def whole_number(value: Any, what: str) -> int:
    """`value` as an int, where it is one: of Python, of numpy, or in an array of no dimensions."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise IllegalAction(f"expected {what}, a whole number, not {value!r}") from None


def action_batch(actions: Any, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """A batch of actions as int64 of this shape, or a clear error."""
    try:
        batch = np.asarray(actions)
    except (TypeError, ValueError):
        raise IllegalAction(f"expected an array of actions, not {actions!r}") from None
    if batch.shape != shape:
        raise IllegalAction(f"expected actions of shape {shape}, not {batch.shape}")
    if batch.dtype.kind not in "iu":
        raise IllegalAction(f"expected actions that are whole numbers, not {batch.dtype}")
    return np.ascontiguousarray(batch, np.int64)


def positive(value: Any, what: str) -> int:
    """A setting that must be a whole number from 1 on."""
    try:
        number = whole_number(value, what)
    except IllegalAction as error:
        raise BadSettings(str(error)) from None
    if number < 1:
        raise BadSettings(f"{what} must be at least 1, not {number}")
    return number


def known_seed(seed: Any) -> int:
    """A seed that numpy takes: a whole number from 0 on."""
    try:
        number = whole_number(seed, "a seed")
    except IllegalAction as error:
        raise BadSettings(str(error)) from None
    if number < 0:
        raise BadSettings(f"a seed must be 0 or more, not {number}")
    return number


def known_render_mode(mode: str | None, known: list[str]) -> str | None:
    """A render mode that the environment has."""
    if mode is not None and mode not in known:
        raise BadSettings(str(unknown("render_mode", str(mode), known)))
    return mode


def known_settings(
    take: Callable[..., Any], settings: Mapping[str, Any], owner: str
) -> Mapping[str, Any]:
    """Keyword settings, all of which `take` knows by name."""
    known = inspect.signature(take).parameters
    for name in settings:
        if name not in known:
            raise unexpected(owner, name, known)
    return settings


def unexpected(owner: str, name: str, known: Iterable[str]) -> UnknownKeyword:
    """An error for a keyword that the environment `owner` does not know."""
    hint = str(unknown("setting", name, known)).partition(". ")[2]
    return UnknownKeyword(f"{owner} got an unexpected keyword argument {name!r}. {hint}")
