"""The contract that every game, agent and tool of the laboratory keeps; it knows no game."""
