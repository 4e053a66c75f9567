"""The Gomoku window in Tk: a board to click on, a menu, a panel and a status line."""

from __future__ import annotations

import time
import tkinter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tkinter import filedialog, simpledialog, ttk
from typing import Any

from trireme.core.errors import TriremeError
from trireme.core.registry import find
from trireme.core.seeding import fresh_seed
from trireme.core.session import HUMAN, PlayMode
from trireme.core.spec import with_option
from trireme.gomoku.rules import Choice, Gomoku, Point, read_points

from .board import Geometry, draw
from .game import DesktopGame
from .game_clock import GameClock
from .menu import MenuItem, add_menu
from .panel import ENGINE, SIDES, ControlPanel
from .theme import THEMES, use_theme
from .worker import InsightJob, JobReply, MoveJob, PrepareJob, Worker

POLL = 25
"""Milliseconds between looks for the worker's replies."""
FILES = [("records", "*.jsonl *.psq *.sgf"), ("all files", "*")]


class Window:
    """The window and all it holds. `root` is its Tk top level."""

    def __init__(self, game: DesktopGame | None = None) -> None:
        self.root = tkinter.Tk(className="Trireme")
        self.root.title("Trireme · Gomoku")
        self.root.geometry("1000x720")
        self.root.minsize(860, 620)
        use_theme(self.root, THEMES[0])
        self.game = game or DesktopGame()
        self.worker = Worker()
        self.clock = GameClock()
        self.hints: dict[Point, str] = {}
        self._insight: dict[str, Any] = {}
        self._hover: Point | None = None
        self._thinking: int | None = None
        self._hinting: int | None = None
        self._preparing: dict[int, tuple[int, str]] = {}
        """The preparations asked of the worker: seat and spec, by job."""
        self._unready: dict[tuple[int, str], str] = {}
        """Seats whose agents can't play this game, with the reason: they are not asked."""
        self._message = ""
        self._offered: tuple[Choice, ...] = ()
        self._build()
        self.root.protocol("WM_DELETE_WINDOW", self.close)
        self._ready_agents()
        self._poll()

    def run(self) -> None:
        """Show the window until it is closed."""
        self.root.mainloop()

    def close(self) -> None:
        """Close the window and end the thinking process."""
        self.root.after_cancel(self._timer)
        self.worker.close()
        self.root.destroy()

    # Building

    def _build(self) -> None:
        self.canvas = tkinter.Canvas(self.root, highlightthickness=0)
        actions = {"new": self.new_game, "undo": self.undo, "hints": self.show_hints}
        self.panel = ControlPanel(self.root, self._chosen, actions)
        self.boxes, self.buttons = self.panel.boxes, self.panel.buttons
        self.status = ttk.Label(self.root, anchor="w", padding=(12, 8))
        self.status.pack(side="bottom", fill="x")
        self.panel.pack(side="right", fill="y")
        self.canvas.pack(side="left", fill="both", expand=True)
        self.canvas.bind("<Button-1>", self._clicked)
        self.canvas.bind("<Motion>", self._moved)
        self.canvas.bind("<Leave>", lambda _: self._point_at(None))
        self.canvas.bind("<Configure>", lambda _: self.redraw())
        self._swap2 = ttk.Frame(self.root, padding=6)
        self.menu = add_menu(self.root, self._menus())

    def _menus(self) -> dict[str, list[MenuItem | None]]:
        return {
            "Game": [
                MenuItem("New game", self.new_game, "n"),
                MenuItem("Undo", self.undo, "u"),
                MenuItem("Set up position…", self.ask_position, "p"),
                None,
                MenuItem("Open record…", self.ask_open, "o"),
                MenuItem("Save record…", self.ask_save, "s"),
                None,
                MenuItem("Quit", self.close, "q"),
            ],
            "Engine": [
                MenuItem("Hints", self.show_hints, "h"),
                MenuItem("Load model…", self.ask_model, "l"),
            ],
            "View": [
                MenuItem(theme.capitalize(), partial(use_theme, self.root, theme))
                for theme in THEMES
            ],
        }

    # What the player does

    def new_game(self) -> None:
        """Begin again with the chosen variant."""
        variant = find("gomoku").variants[self.boxes["variant"].get()]
        self._start(Gomoku(**variant))

    def undo(self) -> None:
        """Take a move back; while an agent thinks, its answer is dropped."""
        self._thinking = None
        self._try(self.game.undo)

    def show_hints(self) -> None:
        """Ask for the best moves; they are drawn when they come. Asked again, they go away."""
        if self.hints:
            self._drop_hints()
            self._message = ""
        elif self.game.session.over or self.game.rules.choosing(self.game.state):
            self._message = "There is no stone to put now."
        elif self._hinting is None:
            game = self.game
            self._message = "Looking for the best moves …"
            self._hinting = self.worker.ask(
                InsightJob(
                    game.rules,
                    game.state,
                    game.session.to_move[0],
                    self.panel.numbers["seconds"],
                    fresh_seed(),
                )
            )
        self.redraw()

    def ask_position(self) -> None:
        """Ask for stones in order of play and go on from there."""
        text = simpledialog.askstring(
            "Set up a position", "Stones in order, black first, such as h8 i9 h9:", parent=self.root
        )
        if text is not None:
            self.set_up(text)

    def set_up(self, text: str) -> None:
        """Go on from the position in `text`."""
        rules = self.game.rules
        self._try(lambda: self._start(Gomoku(rules.size, rules.rule), read_points(rules, text)))

    def ask_save(self) -> None:
        name = filedialog.asksaveasfilename(
            parent=self.root, defaultextension=".jsonl", filetypes=FILES
        )
        if name:
            self.save(Path(name))

    def save(self, path: Path) -> None:
        """Write the record; the file name's suffix decides the format."""
        if self._try(lambda: self.game.save(path)):
            self._message = f"Saved {path}"
            self.redraw()

    def ask_open(self) -> None:
        name = filedialog.askopenfilename(parent=self.root, filetypes=FILES)
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Go on from the last position of a record."""
        self._forget()
        if self._try(lambda: self.game.open(path)):
            self.clock = GameClock()
            self._ready_agents()

    def ask_model(self) -> None:
        name = filedialog.askopenfilename(
            parent=self.root, filetypes=[("models", "*.pt *.onnx"), ("all files", "*")]
        )
        if name:
            self.load_model(Path(name))

    def load_model(self, path: Path) -> None:
        """Offer a trained network as an agent of both sides, and seat it where an agent sits."""
        spec = with_option("dqn", "model", str(path))
        for name in SIDES:
            box = self.boxes[name]
            box.configure(values=(*box["values"], spec))
        side = SIDES[1 - self.game.side]
        self.boxes[side].set(spec)
        self._chosen(side)

    # What follows from it

    def _chosen(self, name: str) -> None:
        """A drop-down has changed: go on with other players, or start anew with other rules."""
        if name == "variant":
            self.new_game()
        elif name == "evaluator":
            if self._insight:
                self._hint()
        elif name in self.panel.numbers:
            self._message = self.panel.take_number(name)
        elif name in SIDES:
            self._choose_agent(SIDES.index(name))
        else:
            self._choose_players()
        self.redraw()

    def _choose_players(self) -> None:
        before = self.game.seats()
        self.game.mode = PlayMode(self.boxes["mode"].get())
        self.game.side = SIDES.index(self.boxes["side"].get())
        if self.game.seats() != before:
            self._thinking = None
            self._ready_agents()

    def _choose_agent(self, seat: int) -> None:
        """Let another agent get ready for a seat; until then, and if it can't play, the one before
        keeps it."""
        spec = self.boxes[SIDES[seat]].get().strip()
        if (seat, spec) in self._preparing.values():
            return
        if spec == self.game.agents[seat] and (seat, spec) not in self._unready:
            return
        self._message = ""
        self._prepare(seat, spec)

    def _start(self, game: Gomoku, opening: list[Point] | None = None) -> None:
        self._forget()
        self.game.begin(game, tuple(opening or ()))
        self.clock = GameClock()
        self._ready_agents()
        self.redraw()

    def _forget(self) -> None:
        self._thinking = None
        self._drop_hints()
        self._message = ""

    def _drop_hints(self) -> None:
        self.hints, self._insight, self._hinting = {}, {}, None

    def _try(self, action: Callable[[], object]) -> bool:
        """Do what the player asked; an error goes to the status line."""
        self._message = ""
        try:
            action()
        except (TriremeError, OSError) as error:
            self._message = str(error)
            self.redraw()
            return False
        self._drop_hints()
        self.redraw()
        return True

    def _ready_agents(self) -> None:
        """Let the agents get ready before their first move is due."""
        self._unready.clear()
        for seat, player in enumerate(self.game.seats()):
            if player != HUMAN:
                self._prepare(seat, self.boxes[SIDES[seat]].get().strip())

    def _prepare(self, seat: int, spec: str) -> None:
        self._preparing[self.worker.ask(PrepareJob(self.game.rules, seat, spec))] = seat, spec

    def _prepared(self, seat: int, spec: str, error: str | None) -> None:
        """Seat an agent that is ready; one that can't play gives its box back."""
        if error is None:
            self.game.agents[seat] = spec
            self._unready.pop((seat, spec), None)
        elif spec == self.game.agents[seat]:
            self._unready[seat, spec] = error
        else:
            before = self.game.agents[seat]
            self._message = f"{error} ({before} stays)"
            if self.boxes[SIDES[seat]].get().strip() == spec:
                self.boxes[SIDES[seat]].set(before)
        self.redraw()

    def _clicked(self, event: Any) -> None:
        point = self._geometry().point(event.x, event.y)
        if point is None:
            return
        if self.game.mover != HUMAN:
            self._message = "It is not your turn." if self.game.mover else "The game is over."
            self.redraw()
            return
        self._try(lambda: self.game.play(point))

    def _choose(self, action: Any) -> None:
        self._try(lambda: self.game.play(action))

    def _moved(self, event: Any) -> None:
        self._point_at(self._geometry().point(event.x, event.y))

    def _point_at(self, point: Point | None) -> None:
        mine = point is not None and self.game.mover == HUMAN
        hover = point if mine and not self.game.rules.choosing(self.game.state) else None
        if hover != self._hover:
            self._hover = hover
            self.redraw()

    # Polling: ask agents, take their answers

    def _poll(self) -> None:
        for reply in self.worker.replies():
            self._take(reply)
        if self._thinking is None and self._agent_is_due():
            turn = self.game.turn(self.panel.numbers["seconds"])
            job = MoveJob(self.game.agents[turn.seat], turn, self.panel.numbers["epsilon"])
            self._thinking = self.worker.ask(job)
            self.redraw()
        self._show_clocks()
        self._timer = self.root.after(POLL, self._poll)

    def _agent_is_due(self) -> bool:
        """Whether an agent that is ready is to move."""
        if self.game.mover in (None, HUMAN):
            return False
        (seat,) = self.game.session.to_move
        waits = seat in (waiting for waiting, _ in self._preparing.values())
        return not waits and not self._why_unready()

    def _why_unready(self) -> str:
        """Why the agent to move is not asked."""
        if self.game.mover in (None, HUMAN):
            return ""
        (seat,) = self.game.session.to_move
        why = self._unready.get((seat, self.game.agents[seat]))
        return f"{SIDES[seat]} can't play: {why}. Choose another agent" if why else ""

    def _take(self, reply: JobReply) -> None:
        if reply.number in self._preparing:
            self._prepared(*self._preparing.pop(reply.number), reply.error)
        elif reply.number == self._hinting:
            self._hinting = None
            self._show(reply)
        elif reply.number == self._thinking:
            self._thinking = None
            if reply.error is not None:
                self.game.forfeit(reply.error)
                self.redraw()
            else:
                self._try(lambda: self.game.play(reply.value))
        elif reply.error is not None:
            self._message = reply.error
            self.redraw()

    def _show(self, reply: JobReply) -> None:
        if reply.error is not None:
            self._message = reply.error
        else:
            self._insight = reply.value
            self._hint()
        self.redraw()

    def _hint(self) -> None:
        """Show the hints of the chosen evaluator, out of the insight at hand."""
        found, evaluator = self._insight, self.boxes["evaluator"].get()
        if evaluator in found["unavailable"]:
            self.hints, self._message = {}, found["unavailable"][evaluator]
            return
        if evaluator == ENGINE:
            self._message = f"Depth {found['depth']}: {' '.join(found['line'][:10])}"
        else:
            found = found["opinions"][evaluator]
            self._message = f"Values of {evaluator}, in percent"
        read = self.game.rules.read
        self.hints = {read(m["action"]): _label(m) for m in found["moves"]}  # type: ignore[misc]

    # Drawing

    def redraw(self) -> None:
        """Bring board, list of moves, buttons and status line up to date."""
        if self.canvas.winfo_width() > 1:
            draw(self.canvas, self.game.rules, self.game.state, self.hints, self._hover)
        self.panel.show_moves(self.game.rules, self.game.state)
        thinks = " · thinking …" if self._thinking is not None else ""
        says = [self.game.status() + thinks, self._message, self._why_unready()]
        self.status.configure(text=" · ".join(text for text in says if text))
        self._offer(self.game.rules.choosing(self.game.state) if self.game.mover == HUMAN else ())

    def _show_clocks(self) -> None:
        mover = next(iter(self.game.session.to_move), None)
        self.clock.tick(mover, time.monotonic())
        for seat in range(2):
            name = self.game.name(seat).capitalize()
            self.panel.show_clock(seat, name, self.clock.text(seat), running=seat == mover)

    def _offer(self, choices: tuple[Choice, ...]) -> None:
        """Show the buttons of swap2; unchanged ones are left alone, or no click would land."""
        if choices == self._offered:
            return
        self._offered = choices
        for child in self._swap2.winfo_children():
            child.destroy()
        for choice in choices:
            label = {"black": "Play black", "white": "Play white", "more": "Put two more"}[choice]
            choose = partial(self._choose, choice)
            ttk.Button(self._swap2, text=label, command=choose).pack(side="left", padx=4)
        if choices:
            self._swap2.pack(side="bottom", fill="x", after=self.status)
        else:
            self._swap2.pack_forget()

    def _geometry(self) -> Geometry:
        return Geometry(self.game.rules.size, self.canvas.winfo_width(), self.canvas.winfo_height())


def _label(move: dict[str, Any]) -> str:
    if "plies" in move:
        return f"{'W' if move['value'] > 0 else 'L'}{move['plies']}"
    return f"{round(100 * move['value']):+d}"
