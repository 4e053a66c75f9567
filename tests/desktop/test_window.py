"""The window, clicked on for real on a virtual screen."""

import subprocess
import sys
from pathlib import Path
from tkinter import ttk

import pytest

from trireme.core.record import load_record
from trireme.core.session import PlayMode
from trireme.desktop.board import Geometry
from trireme.desktop.theme import use_theme
from trireme.desktop.worker import JobReply
from trireme.gomoku.formats import load
from trireme.gomoku.rules import Gomoku

from .conftest import Hand

pytestmark = pytest.mark.slow
MENUS = {
    "game": ["New game", "Undo", "Set up position…", "Open record…", "Save record…", "Quit"],
    "engine": ["Hints", "Load model…"],
    "view": ["Light", "Dark"],
}
ROW = [(0, 0), (2, 0), (0, 1), (2, 1), (0, 2), (2, 2), (0, 3), (2, 3), (0, 4)]


def pvp(hand: Hand) -> None:
    hand.choose("mode", "pvp")


def test_two_people_play_a_game_to_its_end(hand: Hand) -> None:
    pvp(hand)
    for number, point in enumerate(ROW):
        hand.click(point)
        hand.until(lambda n=number: hand.stones() == n + 1)
    assert hand.window.game.state.winner == 1
    assert hand.says("Black wins: a1-e1")
    assert hand.window.canvas.find_withtag("won")
    hand.click((9, 9))
    hand.until(lambda: hand.says("The game is over"))
    assert hand.stones() == len(ROW)


def test_the_last_stone_is_marked_and_a_taken_point_is_refused(hand: Hand) -> None:
    pvp(hand)
    hand.click((7, 7))
    hand.until(lambda: hand.stones() == 1)
    (mark,) = hand.window.canvas.find_withtag("last")
    left, top, right, bottom = hand.window.canvas.coords(mark)
    assert hand.window._geometry().point((left + right) / 2, (top + bottom) / 2) == (7, 7)
    hand.click((7, 7))
    hand.until(lambda: hand.says("h8 has a stone already"))
    assert hand.stones() == 1


def test_undo_takes_back_one_stone_between_people(hand: Hand) -> None:
    pvp(hand)
    for point in ROW:
        hand.click(point)
    hand.until(lambda: hand.window.game.session.over)
    hand.press(hand.window.buttons["undo"])
    hand.until(lambda: hand.stones() == len(ROW) - 1)
    assert not hand.window.game.session.over
    hand.press(hand.window.buttons["undo"])
    hand.until(lambda: hand.stones() == len(ROW) - 2)


def test_a_person_plays_an_agent_and_takes_a_full_move_back(hand: Hand) -> None:
    hand.choose("white", "heuristic")
    hand.click((7, 7))
    hand.until(lambda: hand.stones() == 2)
    hand.click((8, 7))
    hand.until(lambda: hand.stones() == 4)
    hand.press(hand.window.buttons["undo"])
    hand.until(lambda: hand.stones() == 2)
    assert hand.window.game.mover == "human"


def test_a_person_may_play_white(hand: Hand) -> None:
    hand.choose("black", "heuristic")
    hand.choose("side", "white")
    hand.until(lambda: hand.stones() == 1)
    assert hand.window.game.mover == "human"
    hand.click((0, 0))
    hand.until(lambda: hand.stones() == 3)


def test_two_agents_play_each_other_to_the_end(hand: Hand) -> None:
    hand.choose("black", "heuristic")
    hand.choose("white", "random")
    hand.choose("mode", "aivai")
    hand.until(lambda: hand.window.game.session.over)
    assert hand.window.game.session.returns == (1.0, -1.0)
    hand.press(hand.window.buttons["undo"])
    hand.until(lambda: hand.says("two agents take nothing back"))


def test_the_window_lives_while_an_agent_thinks(hand: Hand, tmp_path: Path) -> None:
    enough = tmp_path / "enough"
    (tmp_path / "bots.py").write_text(
        "import os\n"
        "class Slow:\n"
        "    name = 'slow'\n"
        "    def act(self, turn):\n"
        f"        while not os.path.exists({str(enough)!r}): os.sched_yield()\n"
        "        return next(iter(turn.legal))\n"
    )
    hand.choose("white", f"{tmp_path / 'bots.py'}:Slow")
    hand.click((7, 7))
    hand.until(lambda: hand.says("thinking"))
    beats = 0

    def beat() -> None:
        nonlocal beats
        beats += 1
        hand.window.root.after(10, beat)

    beat()
    hand.click((3, 3))
    hand.until(lambda: hand.says("It is not your turn"))
    hand.until(lambda: beats > 20)
    assert hand.stones() == 1
    enough.touch()
    hand.until(lambda: hand.stones() == 2)


def test_a_new_game_during_thought_drops_the_answer(hand: Hand) -> None:
    hand.choose("seconds", "1")
    hand.click((7, 7))
    hand.until(lambda: hand.says("thinking"))
    hand.press(hand.window.buttons["new"])
    hand.until(lambda: hand.stones() == 0 and not hand.says("thinking"))
    hand.choose("white", "heuristic")
    hand.click((7, 7))
    hand.until(lambda: hand.stones() == 2)


def test_hints_show_the_best_moves_with_values_and_go_away(hand: Hand) -> None:
    pvp(hand)
    hand.choose("seconds", "0.3")
    hand.window.set_up("h8 a1 i8 b5 j8 c9 k8 d13")
    hand.press(hand.window.buttons["hints"])
    hand.until(lambda: hand.window.hints)
    assert next(iter(hand.window.hints)) in ((7, 6), (7, 11))
    assert next(iter(hand.window.hints.values())) == "W1"
    assert hand.window.canvas.find_withtag("hint")
    hand.press(hand.window.buttons["hints"])
    hand.until(lambda: not hand.window.canvas.find_withtag("hint"))


def test_the_network_gives_hints_by_name(hand: Hand) -> None:
    pytest.importorskip("onnxruntime", reason="networks need onnxruntime")
    pvp(hand)
    hand.choose("seconds", "0.3")
    hand.choose("evaluator", "dqn")
    hand.window.set_up("h8 a1 i8 b5 j8 c9 k8 d13")
    hand.press(hand.window.buttons["hints"])
    hand.until(lambda: hand.window.hints)
    assert hand.says("Values of dqn")
    values = list(hand.window.hints.values())
    assert [int(value) for value in values] == sorted(map(int, values), reverse=True)
    assert next(iter(hand.window.hints)) in ((7, 6), (7, 11))
    hand.choose("evaluator", "zero")
    assert hand.says("Values of zero")
    assert next(iter(hand.window.hints)) in ((7, 6), (7, 11))
    hand.choose("evaluator", "search")
    assert next(iter(hand.window.hints.values())) == "W1"


def test_an_evaluator_without_an_answer_says_why(hand: Hand) -> None:
    found = {"moves": [], "opinions": {}, "unavailable": {"dqn": "networks need onnxruntime"}}
    hand.choose("evaluator", "dqn")
    hand.window._hinting = 99
    hand.window._take(JobReply(99, found))
    assert hand.says("networks need onnxruntime")
    assert not hand.window.hints


def test_hints_go_away_with_the_next_stone(hand: Hand) -> None:
    pvp(hand)
    hand.choose("seconds", "0.3")
    hand.click((7, 7))
    hand.press(hand.window.buttons["hints"])
    hand.until(lambda: hand.window.hints)
    hand.click((0, 0))
    hand.until(lambda: hand.stones() == 2)
    assert not hand.window.hints


def test_records_are_kept_saved_and_opened(hand: Hand, tmp_path: Path) -> None:
    pvp(hand)
    for point in ROW[:4]:
        hand.click(point)
    hand.until(lambda: hand.stones() == 4)
    kept = load_record(hand.window.game.path)
    assert len(kept.moves) == 4
    for kind in ("jsonl", "psq", "sgf"):
        path = tmp_path / f"game.{kind}"
        hand.window.save(path)
        assert [list(m.values()) for m in load(path).moves] == [
            list(m.values()) for m in kept.moves
        ]
    hand.press(hand.window.buttons["new"])
    hand.until(lambda: hand.stones() == 0)
    hand.window.open(tmp_path / "game.psq")
    assert hand.stones() == 4
    hand.window.open(tmp_path / "nothing.sgf")
    assert hand.says("can't read")
    hand.window.save(tmp_path / "game.pdf")
    assert hand.says("unknown record format")


def test_a_position_can_be_set_up_and_played_on_against_an_agent(hand: Hand) -> None:
    pvp(hand)
    hand.window.set_up("h8 h9")
    assert hand.stones() == 2
    hand.window.set_up("h8 h8")
    assert hand.says("has a stone already")
    hand.window.set_up("nonsense")
    assert hand.says("expected points such as h8i9")
    hand.choose("white", "heuristic")
    hand.choose("mode", "pvai")
    hand.click((0, 0))
    hand.until(lambda: hand.stones() == 4)


def test_swap2_is_played_with_buttons(hand: Hand) -> None:
    pvp(hand)
    hand.choose("variant", "swap2")
    for point in ((7, 7), (8, 8), (9, 6)):
        hand.click(point)
    hand.until(lambda: hand.says("seat 1 chooses"))
    buttons = [w for w in hand.window._swap2.winfo_children() if isinstance(w, ttk.Button)]
    assert [b.cget("text") for b in buttons] == ["Play black", "Play white", "Put two more"]
    hand.press(buttons[0])
    hand.until(lambda: hand.window.game.state.choices == ("black",))
    assert hand.window.game.name(1) == "black"


@pytest.mark.parametrize(
    ("typo", "why"),
    [("heuristik", "Did you mean"), ("search:dpeth=3", "depth"), ("search:depth=deep", "depth")],
)
def test_a_typo_in_the_agent_box_changes_nothing_and_is_explained(
    hand: Hand, typo: str, why: str
) -> None:
    hand.choose("white", "heuristic")
    hand.click((7, 7))
    hand.until(lambda: hand.stones() == 2)
    hand.choose("white", typo)
    hand.until(lambda: hand.says(why))
    assert hand.says("(heuristic stays)")
    assert hand.window.boxes["white"].get() == "heuristic"
    hand.click((0, 0))
    hand.until(lambda: hand.stones() == 4)
    assert not hand.window.game.session.forfeits


def test_an_agent_that_can_not_play_the_new_game_waits_for_another(
    hand: Hand, tmp_path: Path
) -> None:
    (tmp_path / "bots.py").write_text(
        "from trireme import TriremeError\n"
        "class Large:\n"
        "    name = 'large'\n"
        "    def prepare(self, game):\n"
        "        if game.size < 15: raise TriremeError('too small for me')\n"
        "    def act(self, turn): return next(iter(turn.legal))\n"
    )
    hand.choose("white", f"{tmp_path / 'bots.py'}:Large")
    hand.click((7, 7))
    hand.until(lambda: hand.stones() == 2)
    hand.choose("variant", "small")
    hand.click((4, 4))
    hand.until(lambda: hand.says("white can't play: TriremeError: too small for me"))
    assert hand.stones() == 1
    hand.choose("white", "heuristic")
    hand.until(lambda: hand.stones() == 2)
    assert not hand.window.game.session.forfeits


def test_an_agent_that_fails_in_its_move_forfeits_and_the_window_stays(
    hand: Hand, tmp_path: Path
) -> None:
    (tmp_path / "bots.py").write_text(
        "class Broken:\n    name = 'broken'\n    def act(self, turn): return 1 / 0\n"
    )
    hand.choose("white", f"{tmp_path / 'bots.py'}:Broken")
    hand.click((7, 7))
    hand.until(lambda: hand.says("white forfeits: ZeroDivisionError"))
    hand.choose("white", "heuristic")
    hand.press(hand.window.buttons["new"])
    hand.until(lambda: hand.stones() == 0)
    hand.click((7, 7))
    hand.until(lambda: hand.stones() == 2)


def test_a_dead_worker_is_replaced_and_its_jobs_are_answered(hand: Hand) -> None:
    hand.window._prepare(1, "search")
    hand.window.worker._process.kill()
    hand.window.worker._process.join()
    hand.click((7, 7))
    hand.until(lambda: hand.says("white can't play: the thinking process ended unexpectedly"))
    hand.choose("white", "heuristic")
    hand.until(lambda: hand.stones() == 2)


@pytest.mark.parametrize(
    ("name", "text"), [("seconds", "fast"), ("seconds", "-1"), ("epsilon", "2"), ("epsilon", "nan")]
)
def test_a_number_that_makes_no_sense_is_undone_and_explained(
    hand: Hand, name: str, text: str
) -> None:
    hand.choose(name, text)
    assert hand.says(f"{name} must be a number from 0 to")
    assert hand.window.boxes[name].get() == {"seconds": "1", "epsilon": "0"}[name]


def test_the_moves_are_listed_in_pairs(hand: Hand) -> None:
    pvp(hand)
    moves = hand.window.panel.moves
    hand.window.set_up("h8 i9 h9")
    rows = [moves.item(row, "values") for row in moves.get_children()]
    assert [tuple(map(str, row)) for row in rows] == [("1", "h8", "i9"), ("2", "h9")]
    hand.press(hand.window.buttons["undo"])
    hand.until(lambda: len(moves.get_children()) == 1)


def test_the_clock_runs_for_the_seat_to_move_and_begins_anew(hand: Hand) -> None:
    pvp(hand)
    clocks = hand.window.panel.clocks
    hand.until(lambda: clocks[0].cget("text") == "▶ Black 0:00")
    hand.window.clock.spent[:] = [61.0, 3600.0]
    hand.until(lambda: clocks[0].cget("text").startswith("▶ Black 1:0"))
    assert clocks[1].cget("text") == "White 60:00"
    hand.click((7, 7))
    hand.until(lambda: clocks[1].cget("text").startswith("▶ White 60:0"))
    hand.press(hand.window.buttons["new"])
    hand.until(lambda: clocks[1].cget("text") == "White 0:00")


def test_the_menu_offers_what_the_panel_does_not(hand: Hand) -> None:
    menus = {name: hand.window.root.nametowidget(f"{hand.window.menu}.{name}") for name in MENUS}
    for name, labels in MENUS.items():
        menu = menus[name]
        kinds = [menu.type(at) for at in range(menu.index("end") + 1)]
        found = [menu.entrycget(at, "label") for at, kind in enumerate(kinds) if kind == "command"]
        assert found == labels
    pvp(hand)
    hand.click((7, 7))
    hand.until(lambda: hand.stones() == 1)
    menus["game"].invoke("Undo")
    assert hand.stones() == 0


def test_the_theme_can_be_changed_and_is_no_must(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sv_ttk", reason="the theme is an extra")
    style = ttk.Style(hand.window.root)
    assert style.theme_use() == "sun-valley-light"
    hand.window.root.nametowidget(f"{hand.window.menu}.view").invoke("Dark")
    assert style.theme_use() == "sun-valley-dark"
    monkeypatch.setitem(sys.modules, "sv_ttk", None)
    use_theme(hand.window.root, "light")
    assert style.theme_use() == "clam"


def test_epsilon_makes_an_agent_play_at_random(hand: Hand) -> None:
    hand.choose("white", "heuristic")
    hand.choose("epsilon", "1")
    hand.choose("mode", "aivai")
    hand.choose("black", "random")
    hand.until(lambda: hand.stones() > 30 or hand.window.game.session.over)
    assert hand.stones() > 9  # the heuristic would have won by now


def test_a_model_that_can_not_be_read_is_refused_in_words(hand: Hand, tmp_path: Path) -> None:
    missing = tmp_path / 'no "such" model.onnx'
    hand.window.load_model(missing)
    assert hand.window.boxes["white"].get().startswith("dqn:model=")
    hand.until(lambda: hand.says("such"))
    assert hand.window.game.mover == "human"


def test_the_keyboard_works_as_well(hand: Hand) -> None:
    pvp(hand)
    hand.click((7, 7))
    hand.until(lambda: hand.stones() == 1)
    hand.window.root.focus_force()
    hand.window.root.update()
    subprocess.run(["xdotool", "key", "ctrl+u"], check=True)
    hand.until(lambda: hand.stones() == 0)


def test_the_pixels_of_every_point_lead_back_to_it() -> None:
    for size in (5, 15, 26):
        at = Geometry(size, 700, 640)
        for point in Gomoku(size=size).points:
            assert at.point(*at.centre(point)) == point
        assert at.point(-100, 0) is None
    assert PlayMode("pvp") is PlayMode.PVP
