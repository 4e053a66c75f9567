"""Ratings for the web page, from what the arena has stored."""

from __future__ import annotations

from sqlalchemy import Connection

from .requests import Rating


def ratings(connection: Connection, game: str | None) -> list[Rating]:
    return []
