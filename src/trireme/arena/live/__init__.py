"""The live page of a match: the report, games in progress and a replay viewer, in a browser."""

from .server import LiveServer

__all__ = ["LiveServer"]
