"""Rooms: one game each, its seats and clients, and what each of them may see."""
