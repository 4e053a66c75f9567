"""`trireme play`: any game in the terminal, between people, agents, or both."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from trireme.core.errors import BadSpec, TriremeError
from trireme.core.forfeit import Forfeit
from trireme.core.game import AnyAgent, AnyGame, Seat, close
from trireme.core.move_report import MoveReport, read_report
from trireme.core.play import decide
from trireme.core.record import append_to, load_record
from trireme.core.registry import Slice, find, game_from_text, make_agent
from trireme.core.review import has_review
from trireme.core.session import HUMAN, Opening, PlayMode, Session
from trireme.core.spec import parse_spec
from trireme.core.transcript import append_transcript, take_exchanges

from .agent_specs import agent_specs
from .common_options import Set, Variant
from .screen import GameScreen, QuitGame, prepare


def play(
    game: Annotated[str, typer.Argument(help="The game; `trireme games` lists them.")] = "gomoku",
    mode: Annotated[
        PlayMode,
        typer.Option(help="pvp: people; pvai: a person and agents; aivai: agents."),
    ] = PlayMode.PVAI,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="An agent spec, such as search:level=easy; one for each seat of an agent."
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            help="A file of weights for the agents; without --agent, the game's first agent that"
            " plays a network (dqn in Gomoku) uses it."
        ),
    ] = None,
    epsilon: Annotated[
        float,
        typer.Option(help="Chance of a random move by an agent, from 0 to 1; higher plays worse."),
    ] = 0.0,
    side: Annotated[int, typer.Option(help="pvai: your seat, from 0.")] = 0,
    variant: Variant = None,
    set_: Set = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed; the same seed gives the same game.")
    ] = None,
    time: Annotated[
        float, typer.Option(help="An agent's time budget for a move in seconds; it forfeits above.")
    ] = 1.0,
    pause: Annotated[
        float, typer.Option(help="Seconds between the drawings of a move; less is quicker.")
    ] = 0.4,
    record: Annotated[
        Path | None,
        typer.Option(help="The file of the record; by default a new one in runs/games."),
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Continue the game of this record.")] = None,
) -> None:
    """Play a game in the terminal.

    Examples: `trireme play gomoku` · `trireme play gomoku --model best.onnx --epsilon 0.02` ·
    `trireme play battleship --mode aivai --agent random --agent random` · `trireme play gomoku
    --mode pvp --set size=19` · `trireme play navigation --side 1 --seed 7`.
    At the prompt type `help`.
    """
    if resume is not None:
        played = load_record(resume, partial=True)
        if played.end is not None:
            raise BadSpec(f"the game in {str(resume)!r} is over; see it with trireme replay")
        made, seats, opening = played.game, list(played.header.seats), played.moves
        seed = played.header.seed
    else:
        specs = agent_specs(parse_spec(game).name, agent or [], model, epsilon)
        made, seats = _seating(game, mode, specs, side, variant, set_ or [])
        opening = ()
    path = record or _record_path(made.name)
    if path.exists():
        raise BadSpec(f"{str(path)!r} exists already: choose another place for the record")
    play_on(made, seats, opening, path, seed=seed, seconds=time, pause=pause)


def play_on(
    game: AnyGame,
    seats: list[str],
    opening: Opening,
    path: Path | None = None,
    *,
    seed: int | None = None,
    seconds: float = 1.0,
    pause: float = 0.4,
) -> None:
    """Play in the terminal from the position after `opening`, recording into `path`."""
    path = path or _record_path(game.name)
    players = _players(game, seats)
    session = Session(game, seats, seed=seed, opening=opening, sink=append_to(path))
    try:
        _run(session, players, seconds, pause, path)
    except (QuitGame, KeyboardInterrupt):
        typer.echo("\nThe game stops here.")
    finally:
        close(players.values())
    done = session.over
    typer.echo(f"Record: {path}")
    typer.echo(f"{'See it again' if done else 'Go on'}: {_next_command(path, done)}")
    if done and has_review(game.name):
        typer.echo(f"What every decision cost: trireme review {path}")


def _next_command(path: Path, done: bool) -> str:
    return f"trireme replay {path}" if done else f"trireme play --resume {path}"


def _seating(
    name: str, mode: PlayMode, specs: list[str], side: int, variant: str | None, settings: list[str]
) -> tuple[AnyGame, list[str]]:
    found = find(parse_spec(name).name)
    if variant is None and not settings and ":" not in name:
        variant = found.versus
    made = game_from_text(name, variant, settings)
    return made, _seat_specs(found, made, mode, specs, side)


def _seat_specs(
    found: Slice, game: AnyGame, mode: PlayMode, specs: list[str], side: int
) -> list[str]:
    """The spec of every seat. A game with one seat has no opponent: a person or an agent."""
    wanted = {PlayMode.PVP: 0, PlayMode.PVAI: game.seats - 1, PlayMode.AIVAI: game.seats}[mode]
    if len(specs) > wanted:
        raise BadSpec(f"{mode.value} in {game.name} takes {wanted} agents, not {len(specs)}")
    specs = specs + [specs[-1] if specs else found.opponent] * (wanted - len(specs))
    if mode is PlayMode.PVAI and game.seats > 1:
        if not 0 <= side < game.seats:
            raise BadSpec(f"--side must be from 0 to {game.seats - 1}, not {side}")
        specs = [*specs[:side], HUMAN, *specs[side:]]
    return specs or [HUMAN] * game.seats


def _players(game: AnyGame, seats: list[str]) -> dict[Seat, AnyAgent]:
    """The agents by seat, ready to move; people are not among them."""
    players = {s: make_agent(game, spec) for s, spec in enumerate(seats) if spec != HUMAN}
    with Console(stderr=True).status("Warming up (the first use compiles, later ones do not) …"):
        for seat, player in players.items():
            prepare(player, game, seats[seat])
    return players


def _run(
    session: Session, players: dict[Seat, AnyAgent], seconds: float, pause: float, path: Path
) -> None:
    people = frozenset(range(session.game.seats)) - set(players)
    screen = GameScreen(session, people, pause=pause)
    if people:
        screen.say(f"{screen.terminal.typing} Type help for more.".strip())
    while not screen.session.over:
        before = screen.session.state
        reports: dict[Seat, MoveReport] = {}
        actions = _decisions(screen, players, seconds, path, reports)
        if actions is not None:
            screen.session.move(actions, reports)
            screen.report_move(before, actions)
            if not people:
                screen.show(None)
    if people:
        screen.show(screen.viewer)
    screen.say(_outcome(screen))


def _decisions(
    screen: GameScreen,
    players: dict[Seat, AnyAgent],
    seconds: float,
    path: Path,
    reports: dict[Seat, MoveReport],
) -> dict[Seat, Any] | None:
    """One action for every seat to move, agents first; None when a command changed the game.

    What agents say about their actions is added to `reports`.
    """
    from trireme.arena.deadline import InterruptibleAgent

    actions: dict[Seat, Any] = {}
    session = screen.session
    for seat in sorted(session.to_move, key=lambda s: s in screen.people):
        if seat in screen.people:
            action = screen.choose(seat)
            if action is None:
                return None
        else:
            try:
                with Console(stderr=True).status(f"{screen.name(seat)} thinks …"):
                    agent = InterruptibleAgent(players[seat])
                    action, took = decide(agent, session.turn(seat, seconds))
                    reports[seat] = read_report(players[seat], took)
                session.game.check(session.state, seat, action)
            except Forfeit as fault:
                session.forfeit(fault)
                return None
            except TriremeError as error:
                session.forfeit(Forfeit(seat, "illegal", str(error)))
                return None
            finally:
                append_transcript(path, take_exchanges(players[seat], seat, session.moves + 1))
        actions[seat] = action
    return actions


def _outcome(screen: GameScreen) -> str:
    session = screen.session
    for fault in session.forfeits:
        screen.say(f"{screen.name(fault.seat)} forfeits ({fault.reason}): {fault.detail}")
    returns = session.returns
    if session.game.seats == 1:
        return f"Done: {screen.terminal.score(returns[0])}."
    best = max(returns)
    winners = [screen.name(s) for s, value in enumerate(returns) if value == best]
    if len(winners) == len(returns):
        return "A draw."
    return f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'win'}."


def _record_path(game: str) -> Path:
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")[:-3]
    return Path("runs/games") / f"{game}-{stamp}.jsonl"
