"""What holds for every agent that ships, in every variant of its game."""

import inspect
from functools import cache

import pytest

from trireme import make_agent, make_game, play
from trireme.core.options import options_of
from trireme.core.registry import GAMES, agent_class, agents_of, find


@cache
def needs_options(game: str, agent: str) -> bool:
    """Whether it can't be made by its name alone, as an agent that runs a foreign program."""
    options = options_of(agent_class(game, agent)).values()
    return any(option.default is inspect.Parameter.empty for option in options)


AGENTS = [(game, agent) for game in GAMES for agent in agents_of(game)]
every_agent = pytest.mark.parametrize(
    ("name", "agent"), AGENTS, ids=[f"{game}-{agent}" for game, agent in AGENTS]
)


@every_agent
def test_an_agent_has_a_name_and_says_what_it_is(name: str, agent: str) -> None:
    cls = agent_class(name, agent)
    assert cls.name
    assert (inspect.getdoc(cls) or "").split("\n")[0].strip()
    assert all(option.help for option in options_of(cls).values())


@pytest.mark.slow
@every_agent
def test_an_agent_plays_every_variant_to_the_end(name: str, agent: str) -> None:
    if needs_options(name, agent):
        with pytest.raises(ValueError, match="needs a value"):
            make_agent(name, agent)
        return
    for variant in (None, *find(name).variants):
        game = make_game(name, variant)
        seats = [agent, *["random"] * (game.seats - 1)]
        result = play(game, seats, seed=5, seconds=0.2)
        blamed = [f for f in result.forfeits if f.reason != "time"]
        assert not blamed, f"{variant}: {blamed}"
