"""HTML pictures, films, analysis, advice and prose."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from trireme import BadText, IllegalAction, UnknownName
from trireme.battleship.advice import Advisor
from trireme.battleship.agents.density_plus import DensityPlus
from trireme.battleship.analysis import Analyst, as_json, plot, summarise, traces
from trireme.battleship.rules import Battleship
from trireme.battleship.show.pictures import COLOURS, heatmap, replay, shade, show
from trireme.battleship.show.prose import describe
from trireme.cli.battleship import app

from .positions import FLEET, dueling, fired

SMALL = Battleship(6, 6)


class Balanced(HTMLParser):
    """Fails on HTML whose tags do not close."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.count += 1
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags(html: str) -> int:
    parser = Balanced()
    parser.feed(html)
    assert not parser.open
    return parser.count


def test_a_board_is_drawn_in_its_colours() -> None:
    game = Battleship()
    html = show(game, game.view(fired(game, FLEET, "I1 I2 A1 J10"), 0))._repr_html_()
    assert tags(html) > 100
    assert [html.count(f"background:{COLOURS[m]}'>{m}") for m in "○✕■"] == [1, 1, 2]
    assert "destroyer, sunk" in html
    assert "carrier, afloat" in html
    for colour in ("#3498db", "#95a5a6", "#e74c3c", "#2c3e50"):
        assert colour in html


def test_a_duel_shows_the_own_fleet_and_not_the_rivals() -> None:
    game = Battleship(5, 5, duel=True)
    state = dueling(game, ("A1-A3 C1-C2", "E3-E5 A4-A5"), "E3", "A1")
    html = show(game, game.view(state, 0)).html
    assert html.count(f"background:{COLOURS['□']}'>□") == 4
    assert COLOURS["□"] not in show(game, game.view(state, None)).html


def test_a_heatmap_outlines_the_next_shot() -> None:
    game = Battleship()
    view = game.view(fired(game, FLEET, "A1 J10"), 0)
    chances = np.linspace(0, 0.5, 100)
    html = heatmap(game, view, chances, (9, 8)).html
    assert tags(html) > 200
    assert html.count("outline:3px") == 2
    assert shade(1.0) == "#e74c3c"
    assert shade(0.0) == "#3498db"


def test_a_film_is_one_file_that_holds_every_moment(tmp_path: Path) -> None:
    steps = list(Analyst(SMALL).steps(DensityPlus(), 4))
    film = replay(SMALL, steps, "a <title>")
    page = film.save(tmp_path / "film.html").read_text(encoding="utf-8")
    assert "a &lt;title&gt;" in page
    assert not re.search(r"(src|href)=['\"]?http", page)
    found = re.search(r"const game = (\{.*\});\n", page)
    assert found
    data = json.loads(found[1].replace("<\\/", "</"))
    assert len(data["frames"]) == len(steps)
    assert data["frames"][-1]["afloat"] == []
    assert data["frames"][0]["marks"] == "u" * 36
    assert film._repr_html_().startswith("<iframe")


def test_every_shot_of_a_trace_tells_something_and_in_the_end_all_is_known() -> None:
    trace = Analyst(SMALL).trace(DensityPlus(), 4)
    assert trace.entropy[-1] == 0.0
    assert len(trace.gained) == trace.shots
    assert sum(trace.gained) == pytest.approx(trace.entropy[0])
    assert min(trace.gained) > -1e-9 - max(trace.entropy)


def test_traces_of_many_games_are_summarised_and_plotted() -> None:
    found = list(traces(SMALL, ["hunt", "density+"], 3, seed=1, jobs=1))
    summaries = summarise(found)
    assert [s.agent for s in summaries] == ["hunt", "density+"]
    assert [s.games for s in summaries] == [3, 3]
    assert summaries[0].entropy[0] == pytest.approx(summaries[1].entropy[0])
    assert json.loads(json.dumps(as_json(summaries)))[0]["bits_gained"]
    drawing = plot(summaries)
    assert tags(drawing) > 10
    assert drawing.count("<polyline") == 2


def test_processes_find_the_same_as_one() -> None:
    one, two = (list(traces(SMALL, ["hunt"], 4, seed=1, jobs=j)) for j in (1, 2))
    assert one == two


def test_an_advisor_learns_from_answers() -> None:
    advisor = Advisor(SMALL)
    advisor.tell("c3 hit")
    assert advisor.shot() in {(1, 2), (3, 2), (2, 1), (2, 3)}
    advisor.tell("h", fired=(2, 3))
    advisor.tell("C5 sunk cru")
    assert advisor.afloat == ("destroyer",)
    assert "[" in advisor.text(advisor.shot(), advisor.belief())
    advisor.undo()
    assert advisor.afloat == ("cruiser", "destroyer")
    assert tags(advisor.picture().html) > 50


@pytest.mark.parametrize(
    ("line", "error", "said"),
    [
        ("", BadText, "expected an answer"),
        ("miss", BadText, "a cell before the answer"),
        ("A1 mist", UnknownName, "miss"),
        ("A1 sunk boat", UnknownName, "destroyer"),
        ("A1 hit cruiser", BadText, "only a sinking"),
        ("J1 miss", IllegalAction, "not on the board"),
        ("C3 miss", IllegalAction, "already"),
        ("A1 sunk cruiser", IllegalAction, "no fleet could answer"),
        ("M1 miss", BadText, "expected"),
    ],
)
def test_answers_that_make_no_sense_are_refused(
    line: str, error: type[Exception], said: str
) -> None:
    advisor = Advisor(SMALL)
    advisor.tell("C3 hit")
    with pytest.raises(error, match=said):
        advisor.tell(line)
    assert len(advisor.shots) == 1


def test_prose_tells_what_the_board_shows() -> None:
    game = Battleship()
    text = describe(game, game.view(fired(game, FLEET, "I1 I2 A1 J10"), 0))
    assert "Misses: J10." in text
    assert "Hits on ships afloat: A1." in text
    assert "Sunk cells: I1, I2." in text
    assert "Sunk: destroyer (2 cells)." in text
    assert "never touch" in text
    assert "name one unknown cell" in text
    assert "being placed" in describe(game, game.view(game.start(), 0))


def test_the_commands_advise_measure_and_film(tmp_path: Path) -> None:
    run = CliRunner()
    small = ["-g", "battleship:rows=5,cols=5"]
    talk = "m\nzz\nundo\nA1 hit\nA2 h\nA3 s cruiser\nC1 h\nC2 s destroyer\n"
    result = run.invoke(app, ["advise", *small], input=talk)
    assert result.exit_code == 0, result.output
    assert "unknown answer 'zz'" in result.output
    assert "All ships are sunk, after 5 shots." in result.output
    out, curve = tmp_path / "film.html", tmp_path / "bits.svg"
    result = run.invoke(app, ["film", str(out), *small, "--seed", "1", "-a", "hunt"])
    assert result.exit_code == 0, result.output
    assert out.stat().st_size > 5_000
    wanted = ["entropy", *small, "--games", "2", "--jobs", "1", "--seed", "1"]
    result = run.invoke(app, [*wanted, "--agents", "hunt density", "--plot", str(curve)])
    assert "density" in result.output
    assert curve.read_text(encoding="utf-8").startswith("<svg")
    result = run.invoke(app, [*wanted, "--agents", "hunt", "--json"])
    assert json.loads(result.stdout)["agents"][0]["games"] == 2
