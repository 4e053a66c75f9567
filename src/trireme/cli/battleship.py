"""`trireme battleship`: advice in a real game, entropy of agents, and animated games."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trireme.core.errors import BadSpec, TriremeError
from trireme.core.seeding import fresh_seed

if TYPE_CHECKING:
    from trireme.battleship.agents.shooting_agent import ShootingAgent
    from trireme.battleship.analysis import EntropySummary
    from trireme.battleship.rules import Battleship

app = typer.Typer(
    name="battleship",
    help="Battleship: advice in a real game, entropy of agents, animated games.",
    no_args_is_help=True,
)

GameSpec = Annotated[
    str, typer.Option("--game", "-g", help="The rules, such as battleship:rows=8,cols=8.")
]
AgentSpec = Annotated[str, typer.Option("--agent", "-a", help="The agent, such as lookahead.")]


@app.command()
def advise(game: GameSpec = "battleship", agent: AgentSpec = "posterior") -> None:
    """Advise in a game played elsewhere: enter the answers, get the best next shot.

    Examples: `trireme battleship advise` · `trireme battleship advise -g battleship:touching=true`
    """
    from trireme.battleship.advice import Advisor
    from trireme.battleship.board import write_cell

    advisor = Advisor(_solo(game), _shooting_agent(game, agent))
    typer.echo("Answer with m (miss), h (hit) or s NAME (sunk); B7 m for another cell than asked.")
    typer.echo("undo takes an answer back, quit leaves.\n")
    while not advisor.over:
        shot = advisor.shot()
        typer.echo(advisor.text(shot, advisor.belief()))
        while True:
            try:
                line = input(f"\nfire {write_cell(shot)}> ").strip()
            except EOFError:
                return
            if line.lower() in ("quit", "exit", "q"):
                return
            try:
                advisor.undo() if line.lower() == "undo" else advisor.tell(line, shot)
                break
            except TriremeError as error:
                typer.echo(f"  {error}")
    typer.echo(f"All ships are sunk, after {len(advisor.shots)} shots.")


@app.command()
def entropy(
    agents: Annotated[str, typer.Option(help="Agent specs, with spaces between.")] = (
        "random hunt density density+ posterior"
    ),
    games: Annotated[
        int,
        typer.Option(min=1, help="Games per agent, on the same fleets; more narrow the intervals."),
    ] = 20,
    seed: Annotated[int | None, typer.Option(min=0, help="Random seed of the first game.")] = None,
    game: GameSpec = "battleship",
    jobs: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one per core.")] = 0,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the entropy curves into this SVG file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Measure the information gained by every shot, in bits, over many games of each agent.

    Example: `trireme battleship entropy --agents "hunt posterior" --games 50 --plot bits.svg`
    """
    from rich.console import Console
    from rich.progress import track

    from trireme.battleship import analysis

    first = fresh_seed() if seed is None else seed
    specs = agents.split()
    found = analysis.traces(_solo(game), specs, games, first, jobs or os.cpu_count() or 1)
    errors = Console(stderr=True)
    done = list(track(found, "games", total=games * len(specs), console=errors, transient=True))
    summaries = analysis.summarise(done)
    if plot is not None:
        plot.write_text(analysis.plot(summaries), encoding="utf-8")
    if as_json:
        typer.echo(json.dumps({"seed": first, "agents": analysis.as_json(summaries)}, indent=2))
        return
    typer.echo(_table(summaries))
    typer.echo(f"\n{games} games each from seed {first}" + (f"; curves in {plot}" if plot else ""))


@app.command()
def film(
    out: Annotated[Path, typer.Argument(help="The HTML file to write.")],
    agent: AgentSpec = "posterior",
    seed: Annotated[int | None, typer.Option(min=0, help="Random seed of the game.")] = None,
    fleet: Annotated[
        str | None, typer.Option(help="A fleet by hand, such as 'A1-A5 C1-C4 …'.")
    ] = None,
    game: GameSpec = "battleship",
) -> None:
    """Write a game of an agent as an animated page, with its belief before every shot.

    Example: `trireme battleship film game.html --agent lookahead --seed 3`
    """
    from trireme.battleship.analysis import Analyst
    from trireme.battleship.show.pictures import replay

    rules, number = _solo(game), fresh_seed() if seed is None else seed
    player = _shooting_agent(game, agent)
    steps = list(Analyst(rules).steps(player, number, fleet))
    title = f"{agent} sinks the fleet in {len(steps) - 1} shots (seed {number})"
    replay(rules, steps, title).save(out)
    typer.echo(f"{title}: {out}")


def _solo(spec: str) -> Battleship:
    from trireme.battleship.rules import Battleship
    from trireme.core.registry import make_game

    game = make_game(spec)
    if not isinstance(game, Battleship) or game.duel or game.salvo:
        raise BadSpec(f"expected Battleship for one seat, one shot a turn, not {spec!r}")
    return game


def _shooting_agent(game: str, spec: str) -> ShootingAgent:
    from trireme.battleship.agents.shooting_agent import ShootingAgent
    from trireme.core.registry import make_agent

    agent = make_agent(_solo(game), spec)
    if not isinstance(agent, ShootingAgent):
        raise BadSpec(f"{spec!r} can't advise; take one of hunt, density, posterior, lookahead")
    return agent


def _table(summaries: list[EntropySummary]) -> str:
    marks = [0, 5, 10, 15, 20, 25, 30, 40, 50]
    lines = [f"{'agent':<22}{'shots':>14}   entropy in bits after this many shots"]
    lines.append(f"{'':<22}{'':>14}" + "".join(f"{m:>7}" for m in marks))
    for s in summaries:
        bits = [f"{s.entropy[m]:>7.1f}" if m < len(s.entropy) else f"{'':>7}" for m in marks]
        lines.append(f"{s.agent:<22}{s.shots:>8.2f} ± {s.interval:.1f}" + "".join(bits))
    return "\n".join(lines)
