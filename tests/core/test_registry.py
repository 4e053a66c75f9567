"""Names, specs and options: typed, checked, and helpful when mistyped."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from string import ascii_letters
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme import BadSettings, BadSpec, TriremeError, UnknownName, make_agent, make_game, option
from trireme import settings as settings_of
from trireme.battleship.rules import BattleshipView
from trireme.core.options import build, options_of
from trireme.core.registry import BUILT_IN, GAMES, find, game_from_text, is_shipped, view_type
from trireme.core.spec import parse_spec
from trireme.gomoku.rules import GomokuState
from trireme.navigation.map_generator import find_map
from trireme.navigation.rules import NavigationState


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


WORDS = st.text(max_size=6)
JSON = st.recursive(
    st.none() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
CONTAINERS = st.lists(JSON, max_size=3) | st.dictionaries(WORDS, JSON, max_size=3)
KEYS = st.text(ascii_letters + "_", min_size=1, max_size=9)


@given(
    st.dictionaries(KEYS, CONTAINERS, max_size=3),
    st.sampled_from([None, 1, 4]),
    st.dictionaries(KEYS, WORDS, max_size=3),
)
def test_nested_and_quoted_values_come_back_whole(
    nested: dict[str, object], indent: int | None, quoted: dict[str, str]
) -> None:
    """Brackets, commas, quotes and line ends inside a value end neither it nor the spec."""
    quoted = {key: value for key, value in quoted.items() if key not in nested}
    texts = {key: json.dumps(value, indent=indent) for key, value in nested.items()}
    slash, quote = "\\", '"'
    marks = {
        key: quote + value.replace(slash, slash * 2).replace(quote, slash + quote) + quote
        for key, value in quoted.items()
    }
    spec = parse_spec("game:" + " , ".join(f"{k} = {v}" for k, v in {**texts, **marks}.items()))
    assert spec.options == {**texts, **quoted}


def test_what_follows_a_bracket_is_not_swallowed() -> None:
    spec = parse_spec("t:sizes=[1, [2]],depth=3,more={}")
    assert spec.options == {"sizes": "[1, [2]]", "depth": "3", "more": "{}"}
    with pytest.raises(BadSpec, match=r"expected a comma after the value of sizes, not '\],depth"):
        parse_spec("t:sizes=[1]],depth=3")


def test_a_nesting_bomb_is_a_clear_error() -> None:
    with pytest.raises(BadSpec, match="looks like JSON"):
        parse_spec("t:sizes=" + "[" * 100_000)


def test_a_map_of_many_lines_is_a_setting() -> None:
    sea = settings_of(make_game("navigation"))
    drawn = find_map("default")
    text = json.dumps(msgspec.to_builtins(drawn), indent=2)
    for game in (
        game_from_text("navigation", None, [f"map={text}", "turn_limit=7"]),
        make_game(f"navigation:map={text},turn_limit=7"),
    ):
        assert {**settings_of(game), "map": sea["map"]} == {**sea, "turn_limit": 7}
        assert game.start() == make_game("navigation", turn_limit=7).start()


@pytest.mark.parametrize(
    ("field", "value"), [("depth", True), ("share", False), ("sizes", (True, 2)), ("loud", 1)]
)
def test_a_flag_is_no_number_and_a_number_no_flag(field: str, value: object) -> None:
    with pytest.raises(BadSpec, match=f"thinker: {field} must be"):
        build(Thinker, {field: value}, owner="thinker")


def test_a_flag_is_no_setting_of_a_number() -> None:
    with pytest.raises(BadSpec, match="gomoku: size must be int, not True"):
        make_game("gomoku", size=True)
    with pytest.raises(BadSpec, match="size must be int, not 'true'"):
        make_game("gomoku:size=true")
    assert build(Thinker, {"loud": True}, owner="thinker").loud is True


@pytest.mark.parametrize("name", GAMES)
def test_settings_beside_any_variant_win(name: str) -> None:
    """A variant's values give way to the game's own defaults, stated beside it."""
    plain = settings_of(make_game(name))
    for variant, values in find(name).variants.items():
        assert make_game(name, variant, **{key: plain[key] for key in values}) == make_game(name)


def test_settings_beside_a_variant_win() -> None:
    assert make_game("gomoku:size=11", "small").size == 11  # type: ignore[attr-defined]
    assert game_from_text("gomoku", "small", ["size=11"]) == make_game("gomoku", size=11)
    assert make_game("gomoku", "small", size=11) == make_game("gomoku", size=11)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["size"], "expected a setting such as size=9, not 'size'"),
        (["=9"], "expected a setting such as size=9, not '=9'"),
        (["size=9", "size=10"], "the setting size is given twice"),
        (["sise=9"], "Did you mean 'size'"),
    ],
)
def test_a_bad_setting_is_quoted(texts: list[str], message: str) -> None:
    with pytest.raises(TriremeError, match=message):
        game_from_text("gomoku", None, texts)


def test_a_missing_option_without_default_is_named() -> None:
    with pytest.raises(BadSpec, match="plain needs a value for path"):
        build(Plain, {}, owner="plain")
    assert build(Plain, {"path": "x"}, owner="plain").level == 1


def test_what_a_class_refuses_is_a_clear_error() -> None:
    class Picky:
        def __init__(self, level: int = 1) -> None:
            raise ValueError(f"level {level} is too much")

    with pytest.raises(BadSpec, match="picky can't be made: level 7 is too much"):
        build(Picky, {"level": 7}, owner="picky")
    with pytest.raises(BadSpec, match="thinker: depth must be int, not <object"):
        build(Thinker, {"depth": object()}, owner="thinker")


def test_the_type_of_an_annotated_option_is_told_without_its_notes() -> None:
    class Noted:
        def __init__(self, level: Annotated[int, "a note"] = 1) -> None: ...

    assert options_of(Noted)["level"].type_text == "int"


def test_options_tell_their_type_default_and_help() -> None:
    ties = options_of(Thinker)["ties"]
    assert (ties.type_text, ties.default, ties.help) == (
        "first | random",
        "first",
        "which of equals",
    )
    assert options_of(Thinker)["seconds"].type_text == "float or none"
    assert options_of(Thinker)["sizes"].type_text == "int+…"


@dataclass(frozen=True)
class Even:
    number: int

    def __post_init__(self) -> None:
        if self.number % 2:
            raise BadSpec(f"{self.number} is odd")


class Holder:
    def __init__(self, even: Even) -> None:
        self.even = even


def test_a_value_says_itself_what_is_wrong_with_it() -> None:
    assert build(Holder, {"even": {"number": 4}}, owner="holder").even == Even(4)
    with pytest.raises(BadSpec, match=r"^3 is odd$"):
        build(Holder, {"even": {"number": 3}}, owner="holder")


def test_a_game_says_itself_what_is_wrong_with_its_settings() -> None:
    with pytest.raises(BadSettings, match=r"^size must be"):
        make_game("gomoku", size=4)


@pytest.mark.parametrize(
    ("game", "view"),
    [("battleship", BattleshipView), ("gomoku", GomokuState), ("navigation", NavigationState)],
)
def test_the_type_of_a_game_s_views_is_known(game: str, view: type) -> None:
    assert view_type(game) is view


def test_a_class_is_no_game() -> None:
    with pytest.raises(BadSpec, match="expected a game such as 'gomoku:size=9', not 'gomoku:Bot'"):
        make_game("gomoku:Bot")


def test_only_names_of_the_game_s_own_agents_are_shipped() -> None:
    assert is_shipped("gomoku", "search:depth=3")
    for foreign in ("hunt", "my_bots", "my_bots.py:Bot", "random:Bot"):
        assert not is_shipped("gomoku", foreign)


def test_long_nonsense_is_quoted_by_its_beginning() -> None:
    for length, quoted in ((80, "!" * 80), (81, "!" * 79 + "…")):
        with pytest.raises(BadSpec) as caught:
            parse_spec("t:" + "!" * length)
        assert str(caught.value).endswith(f", not '{quoted}'")


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
class Player(Bot):
    games = ("chess", "go")
"""


def test_an_agent_can_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "my_bots.py"
    file.write_text(BOT)
    assert make_agent("gomoku", f"{file}:Bot:level=3").level == 3  # type: ignore[attr-defined]
    with pytest.raises(BadSpec, match="no method act"):
        make_agent("gomoku", f"{file}:Other")
    with pytest.raises(UnknownName, match="Did you mean 'Bot'"):
        make_agent("gomoku", f"{file}:Bott")
    with pytest.raises(BadSpec, match="plays chess and go, not gomoku"):
        make_agent("gomoku", f"{file}:Player")
    with pytest.raises(BadSpec, match=r"my_bots\.py:Bot: level must be int, not 'x'"):
        make_agent("gomoku", f"{file}:Bot:level=x")
    file.write_text("1 / 0")
    with pytest.raises(BadSpec, match="ZeroDivisionError"):
        make_agent("gomoku", f"{file}:Bot")


def test_an_agent_can_come_from_a_module_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bots_that_lie_here.py").write_text(BOT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    assert make_agent("gomoku", "bots_that_lie_here:Bot").name == "mine"
    assert sys.path.count(str(tmp_path)) == 1
    make_agent("gomoku", "bots_that_lie_here:Bot")
    assert sys.path.count(str(tmp_path)) == 1
    monkeypatch.delitem(sys.modules, "bots_that_lie_here")


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


def test_the_games_are_a_mapping() -> None:
    assert "chess" not in GAMES
    assert GAMES.get("chess") is None
    with pytest.raises(KeyError, match="chess"):
        GAMES["chess"]
    assert [GAMES[name] for name in GAMES] == [find(name) for name in GAMES]


def test_a_package_whose_slice_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILT_IN, "odd", "odd_game")
    monkeypatch.setitem(sys.modules, "odd_game", SimpleNamespace(SLICE="rules:Odd"))
    with pytest.raises(TypeError, match=r"odd_game\.SLICE is not a Slice"):
        find("odd")
