"""The agents that play Gomoku."""
