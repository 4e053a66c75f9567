"""Battle Navigation for people: text, terminal, scene, and a turn's equilibrium as insight."""
