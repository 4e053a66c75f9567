"""Stable error codes, each with its HTTP status over REST."""

from __future__ import annotations

from typing import Literal, get_args

from trireme.core.errors import TriremeError

Code = Literal[
    "bad_json",
    "bad_message",
    "too_large",
    "too_fast",
    "unsupported_protocol",
    "hello_first",
    "not_found",
    "no_such_room",
    "no_such_game",
    "bad_settings",
    "bad_agent",
    "bad_token",
    "not_your_seat",
    "seat_taken",
    "room_full",
    "not_started",
    "not_your_turn",
    "game_over",
    "game_running",
    "bad_action",
    "illegal_action",
    "stale",
    "no_undo",
    "no_offer",
    "no_clock",
    "not_absent",
    "no_insight",
    "hints_off",
    "agent_failed",
    "busy",
    "bad_record",
    "no_such_move",
    "too_many_rooms",
    "too_many_connections",
    "shutting_down",
    "read_only",
    "bad_origin",
    "internal",
]
"""docs/web-protocol.md says what each one means."""

CODES: tuple[str, ...] = get_args(Code)

STATUS: dict[str, int] = {
    "too_large": 413,
    "too_fast": 429,
    "not_found": 404,
    "no_such_room": 404,
    "no_such_game": 404,
    "no_such_move": 404,
    "bad_token": 403,
    "not_your_seat": 403,
    "hints_off": 403,
    "seat_taken": 409,
    "room_full": 409,
    "not_started": 409,
    "not_your_turn": 409,
    "game_over": 409,
    "game_running": 409,
    "stale": 409,
    "no_undo": 409,
    "no_offer": 409,
    "not_absent": 409,
    "agent_failed": 502,
    "busy": 503,
    "too_many_rooms": 503,
    "too_many_connections": 503,
    "shutting_down": 503,
    "read_only": 503,
    "bad_origin": 403,
    "internal": 500,
}
"""Codes that are not plain bad requests (400)."""


INTERNAL_ERROR = "internal error; the server's log has the details"
"""The message of `internal`."""
STOPPING = "the server stops; try again soon"
"""The message of `shutting_down`, for requests that this server answers no more."""
RESTART_SECONDS = 1
"""When to try again after `shutting_down`: another server answers at once, or this one soon."""


class Refusal(TriremeError):
    """A refused request: a stable error code for programs, a sentence for people."""

    def __init__(self, code: Code, message: str, *, retry_after: int | None = None) -> None:
        """`retry_after`: seconds after which the same request may be accepted."""
        super().__init__(message)
        if retry_after is None and code == "shutting_down":
            retry_after = RESTART_SECONDS
        self.code: Code = code
        self.message = message
        self.retry_after = retry_after
