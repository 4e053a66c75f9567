"""What a player in a terminal sees: previews, playback, and commands."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from trireme.cli.navigation import app
from trireme.core.errors import TriremeError
from trireme.core.session import Session
from trireme.navigation.map_generator import default_map
from trireme.navigation.maps import mirrored_map, read_map, write_map
from trireme.navigation.rules import Navigation
from trireme.navigation.show.terminal import NavigationTerminal

from .positions import OPEN, open_water


@dataclass
class FakeScreen:
    """A screen that remembers what was said."""

    session: Session
    seat: int = 0
    colour: bool = False
    said: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.said.append(text)

    def ask(self, question: str) -> str:
        raise AssertionError(f"nobody to ask: {question}")


GAME = Navigation(map=open_water(OPEN))
TERMINAL = NavigationTerminal()


def screen() -> FakeScreen:
    return FakeScreen(Session(GAME, ["human", "human"], seed=1))


def command(word: str, rest: str = "") -> str:
    shown = screen()
    TERMINAL.commands[word].run(shown, rest)
    return "\n".join(shown.said)


def test_a_preview_numbers_the_tiles_of_the_path() -> None:
    state = GAME.start()
    text = TERMINAL.preview(GAME, state, 0, GAME.read("R-F-Ls---"[:8]), False)
    assert text is not None
    assert "1 R-" in text
    assert "stopped by" in text
    with_path = TERMINAL.preview(GAME, state, 1, GAME.read("R-R-F---"), False)
    assert with_path is not None
    assert " 1" in with_path


def test_a_preview_does_not_depend_on_the_other_captain() -> None:
    """It is drawn from the public view alone: nothing of the other's plan can show in it."""
    state = GAME.start()
    plan = GAME.read("R-F-F-F-")
    assert TERMINAL.preview(GAME, state, 0, plan, False) == TERMINAL.preview(
        GAME, GAME.view(state, 0), 0, plan, False
    )


def test_playback_goes_phase_by_phase_with_event_text() -> None:
    before = GAME.start()
    actions = {0: GAME.read("R-Fs----"), 1: GAME.read("R-----F-")}
    after = GAME.apply(before, actions)
    story = list(TERMINAL.story(GAME, before, actions, after, None, False))
    assert story[0] == "Cutter plans R-Fs----"
    phases = [piece for piece in story if piece.startswith("Phase")]
    assert len(phases) == 4
    assert "fires 2 shots to starboard" in phases[1]


def test_time_without_a_draft_gives_a_plan_of_nones() -> None:
    plan = TERMINAL.fallback(GAME, GAME.start(), 0)
    assert GAME.write(plan) == "--------"
    assert TERMINAL.clock == 30


def test_codes_and_legend_explain() -> None:
    assert "grapple to starboard" in command("codes")
    assert "whirlpools" in command("legend")


def test_a_guess_of_the_enemy_is_played_out_but_not_played() -> None:
    shown = screen()
    TERMINAL.commands["against"].run(shown, "R------- R-F-----")
    assert len(shown.said) == 4
    assert shown.session.state == GAME.start()


@pytest.mark.parametrize("rest", ["", "R-------", "xx R-------", "Fp9F-F-F- R-------"])
def test_a_guess_that_is_no_pair_of_plans_is_explained(rest: str) -> None:
    with pytest.raises(TriremeError):
        command("against", rest)


def test_an_agent_tells_what_it_thinks() -> None:
    text = command("think", "planner")
    assert "planner sees" in text
    assert "100%" in text
    with pytest.raises(TriremeError, match="does not say"):
        command("think", "greedy")


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_maps_are_made_checked_shown_and_mirrored(tmp_path: Path) -> None:
    path, mirror = tmp_path / "reef.json", tmp_path / "mirror.json"
    assert run("new", str(path), "--seed", "7", "--name", "Reef").exit_code == 0
    assert "fair" in run("check", str(path)).output
    shown = run("show", str(path)).output
    assert "Reef" in shown
    assert "0►" in shown
    assert run("mirror", str(path), "-o", str(mirror)).exit_code == 0
    assert read_map(mirror.read_bytes()) == mirrored_map(read_map(path.read_bytes()))


def test_bare_water_is_a_map_to_build_on(tmp_path: Path) -> None:
    path = tmp_path / "bay.json"
    assert run("new", str(path), "--blank", "16x12").exit_code == 0
    sea = read_map(path.read_bytes())
    assert (sea.width, sea.height, sea.rocks) == (16, 12, ())


def test_every_fault_of_a_map_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(write_map(default_map()).replace('"size": "large"', '"size": "huge"'))
    result = run("check", str(path))
    assert result.exit_code == 1
    assert result.output.count("fault:") == sum(r.size == "large" for r in default_map().rocks)
    assert '"faults":' in run("check", str(path), "--json").output


def test_the_maps_that_ship_can_be_shown_as_json() -> None:
    assert read_map(run("show", "default", "--json").output) == default_map()


@pytest.mark.parametrize(
    "arguments",
    [
        ("new", "x.json", "--blank", "16"),
        ("new", "x.json", "--blank", "900x900"),
        ("new", "x.json", "--blank", "9x9", "--seed", "1"),
        ("show", "nowhere.json"),
        ("show", "defualt"),
        ("mirror", "nowhere.json"),
    ],
)
def test_nonsense_is_refused(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, TriremeError)
    assert not Path("x.json").exists()


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "keep.json"
    path.write_text("precious")
    assert isinstance(run("new", str(path)).exception, TriremeError)
    assert path.read_text() == "precious"
