"""Every game and agent of the registry, without exceptions."""

from trireme.testing import AgentConformance, GameConformance


class TestGames(GameConformance):
    """All games that are installed."""


class TestAgents(AgentConformance):
    """All their agents."""
