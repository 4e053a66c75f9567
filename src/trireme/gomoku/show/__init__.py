"""Gomoku for people: text, terminal, and the engine's view of a position."""
