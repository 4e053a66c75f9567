"""Agents that play Battleship: each file is one of them, or what several share."""
