"""Agents that play Battle Navigation, one a file, from the simple to the strong."""
