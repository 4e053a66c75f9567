"""What Trireme asks of every game and agent, asked of Connect Four."""

from trireme.testing import AgentConformance, GameConformance


class TestGame(GameConformance):
    games = ("connect_four",)


class TestAgents(AgentConformance):
    games = ("connect_four",)
