"""Battleship for people: text, pictures, prose, terminal, and what can be known from a view."""
