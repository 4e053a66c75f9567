"""The preflight of a match: every agent is made and prepared once before the first game.

What is wrong with an agent's configuration, such as a missing package or network, would make it
lose every game; it is an error instead, and the match does not begin.
"""

from __future__ import annotations

from contextlib import suppress

from trireme.core.errors import AgentNotReady
from trireme.core.external_agent import ExternalAgent
from trireme.core.game import AnyAgent, close
from trireme.core.isolation import IsolatedAgent
from trireme.core.line_process import ProcessFailed, ProcessTimeout
from trireme.core.play import prepare_agent
from trireme.core.registry import is_shipped
from trireme.core.stop_signals import is_stop, watched

from .deadline import PREPARE_SECONDS, deadline_timer, interruptible
from .match import Entrant, Match


def preflight(match: Match) -> None:
    """Raise `AgentNotReady` for the first agent that can't play the match's game here.

    A program that does not start, or ends before it is ready, can't play either. An agent whose own
    code fails in another way passes: that is a result, by forfeit, of its games.
    """
    for entrant in match.entrants:
        _try(entrant, match)


def _try(entrant: Entrant, match: Match) -> None:
    game = match.game
    # A foreign agent is tried in a process of its own, which it may kill.
    agent: AnyAgent = (
        IsolatedAgent(entrant.name, entrant.spec, memory=match.memory)
        if entrant.spec is not None and not is_shipped(game.name, entrant.spec)
        else entrant.build(game)
    )
    with watched():
        try:
            with deadline_timer():
                interruptible(PREPARE_SECONDS, lambda: prepare_agent(agent, game, entrant.name))
        except AgentNotReady:
            raise
        except (ProcessFailed, ProcessTimeout) as error:
            if isinstance(agent, ExternalAgent):  # it would not start for any game
                raise AgentNotReady(f"{entrant.name} can't start: {error}") from error
        except BaseException as error:
            if is_stop(error):
                raise
        finally:
            with suppress(Exception, SystemExit):
                close([agent])
