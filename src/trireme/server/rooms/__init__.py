"""Rooms: one game each, the people and programs in it, and what each of them may see."""
