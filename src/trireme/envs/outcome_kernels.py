"""The outcome code that the vector environments of all games share."""

NOTHING = -1
"""A board that was only reset in this step."""
