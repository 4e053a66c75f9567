"""Battleship for people: text, HTML pictures, prose, terminal, and the posterior as insight."""
