"""What is compiled before anybody waits for it: opponents and hints of each game."""

from __future__ import annotations

from collections.abc import Collection

from trireme.core.game import CHANCE, AnyGame
from trireme.core.opponents import beginners_opponent, opponents_of
from trireme.core.options import settings as settings_of
from trireme.core.registry import find, make_game
from trireme.core.seeding import seat_generator

from .tasks import ComputeInsight, SeatView, Task, WarmUp

HINT_SECONDS = 0.1


def default_warm_ups(games: Collection[str]) -> list[WarmUp]:
    """The agents that idle workers prepare, in this order: whom beginners meet in each game, which
    is compiled soon, then the usual opponents, for two players and for one."""
    wanted = [(game, find(game).versus, beginners_opponent(game)) for game in games]
    for game in games:
        usual = find(game).opponent
        wanted += [(game, find(game).versus, usual), (game, None, usual)]
    return [
        WarmUp(game, settings_of(make_game(game, variant)), spec)
        for game, variant, spec in dict.fromkeys(wanted)
    ]


def all_warm_ups(game: str) -> list[Task]:
    """Everything that a first game may need: named opponents, and the game's analysis."""
    made = make_game(game)
    versus = settings_of(make_game(game, find(game).versus))
    named: list[Task] = [WarmUp(game, versus, opponent.spec) for opponent in opponents_of(game)]
    usual: list[Task] = [WarmUp(game, settings_of(made), find(game).opponent)]
    return named + usual + _analysis(made)


def _analysis(game: AnyGame) -> list[Task]:
    if find(game.name).insight is None:
        return []
    rng = seat_generator(bytes(16))
    state = game.start()
    while game.to_move(state) == (CHANCE,):
        state = game.apply(state, {CHANCE: game.draw(state, rng)})
    view = SeatView.of(0, game.view(state, 0), seed=0, seconds=HINT_SECONDS)
    return [ComputeInsight(game.name, settings_of(game), view)]
