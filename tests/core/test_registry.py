"""Names, specs and options: typed, checked, and helpful when mistyped."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme import BadSpec, TriremeError, UnknownName, make_agent, make_game, option
from trireme.core.options import build, options_of
from trireme.core.registry import GAMES, find, parse_spec


@dataclass(frozen=True)
class Thinker:
    """An agent with an option of every kind."""

    name: ClassVar[str] = "thinker"
    depth: int = option(4, "how deep")
    share: float = option(0.5, "how much")
    ties: Literal["first", "random"] = option("first", "which of equals")
    loud: bool = option(False, "whether it speaks")
    sizes: tuple[int, ...] = option((1, 2), "some sizes")
    seconds: float | None = option(None, "its own budget")

    def act(self, turn: Any) -> Any:
        return turn.legal.sample(turn.rng)


class Plain:
    """An agent that is no dataclass and wants an option."""

    name = "plain"

    def __init__(self, path: str, level: int = 1) -> None:
        self.path, self.level = path, level

    def act(self, turn: Any) -> Any:
        return turn.legal.sample(turn.rng)


def made(text: str) -> Thinker:
    return build(Thinker, parse_spec(text).options, owner="thinker", from_text=True)


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("t:depth=8", "depth", 8),
        ("t:share=0.25", "share", 0.25),
        ("t:ties=random", "ties", "random"),
        ("t:loud=true", "loud", True),
        ("t:loud=0", "loud", False),
        ("t:sizes=5+4+3", "sizes", (5, 4, 3)),
        ("t:sizes=[5,4]", "sizes", (5, 4)),
        ("t:seconds=none", "seconds", None),
        ("t:seconds=2", "seconds", 2.0),
        (" t : depth = 3 ", "depth", 3),
    ],
)
def test_an_option_takes_the_type_of_its_field(text: str, field: str, value: object) -> None:
    assert getattr(made(text), field) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t:depth=deep", "depth must be int, not 'deep'"),
        ("t:depth=1.5", "depth must be int"),
        ("t:ties=last", r"ties must be first \| random, not 'last'"),
        ("t:loud=perhaps", "loud must be bool"),
        ("t:deth=3", "unknown option of thinker 'deth'. Did you mean 'depth'"),
        ("t:depth,", "expected option=value, not 'depth,'"),
        ("t:=3", "expected option=value"),
        ("t:depth=1,depth=2", "depth is given twice"),
        ("t:sizes=[1,", "looks like JSON"),
        ("", "expected a name"),
        (":x=1", "expected a name"),
    ],
)
def test_a_bad_option_is_named_and_quoted(text: str, message: str) -> None:
    with pytest.raises(TriremeError, match=message):
        made(text)


def test_quoted_values_may_hold_commas_and_colons() -> None:
    spec = parse_spec('process:cmd="./bot --x=1, \\"y\\": z",level=2')
    assert spec.options == {"cmd": './bot --x=1, "y": z', "level": "2"}


def test_a_missing_option_without_default_is_named() -> None:
    with pytest.raises(BadSpec, match="plain needs a value for path"):
        build(Plain, {}, owner="plain")
    assert build(Plain, {"path": "x"}, owner="plain").level == 1


def test_options_tell_their_type_default_and_help() -> None:
    ties = options_of(Thinker)["ties"]
    assert (ties.type_text, ties.default, ties.help) == (
        "first | random",
        "first",
        "which of equals",
    )
    assert options_of(Thinker)["seconds"].type_text == "float or none"


@pytest.mark.parametrize("name", GAMES)
def test_a_mistyped_name_gets_the_nearest_one(name: str) -> None:
    with pytest.raises(UnknownName, match=f"Did you mean '{name}'"):
        make_game(name[:-1])
    with pytest.raises(UnknownName, match="Did you mean 'random'"):
        make_agent(name, "randon")
    for variant in find(name).variants:
        with pytest.raises(UnknownName, match="unknown variant"):
            make_game(name, variant + "zzzzzz")
    with pytest.raises(UnknownName, match="unknown option"):
        make_game(name, qqqq=1)


BOT = """
class Bot:
    name = "mine"
    def __init__(self, level: int = 1):
        self.level = level
    def act(self, turn):
        return turn.legal.sample(turn.rng)
class Other:
    pass
"""


def test_an_agent_can_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "my_bots.py"
    file.write_text(BOT)
    assert make_agent("gomoku", f"{file}:Bot:level=3").level == 3  # type: ignore[attr-defined]
    with pytest.raises(BadSpec, match="no method act"):
        make_agent("gomoku", f"{file}:Other")
    with pytest.raises(UnknownName, match="Did you mean 'Bot'"):
        make_agent("gomoku", f"{file}:Bott")
    file.write_text("1 / 0")
    with pytest.raises(BadSpec, match="ZeroDivisionError"):
        make_agent("gomoku", f"{file}:Bot")


def test_an_option_without_value_is_no_class() -> None:
    with pytest.raises(BadSpec, match="expected option=value after 'random', not 'depth'"):
        make_agent("gomoku", "random:depth")


def test_an_agent_can_come_from_a_module() -> None:
    assert make_agent("gomoku", "trireme.core.agents:Random").name == "random"
    with pytest.raises(BadSpec, match="can't be imported"):
        make_agent("gomoku", "no_such_module_anywhere:Bot")
    with pytest.raises(BadSpec, match="no file"):
        make_agent("gomoku", "no_such_file.py:Bot")


@given(st.text(max_size=40))
def test_any_text_is_a_spec_or_a_clear_error(text: str) -> None:
    try:
        spec = parse_spec(text)
    except TriremeError as error:
        assert str(error)
    else:
        assert spec.name == spec.name.strip() != ""
