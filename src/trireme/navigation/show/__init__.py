"""Battle Navigation for people: text, terminal, scenes, and the equilibrium of a turn."""
