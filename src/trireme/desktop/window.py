"""The Gomoku window in Tk: a clickable board, a panel of settings, a status line."""

from __future__ import annotations

import tkinter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tkinter import filedialog, simpledialog, ttk
from typing import Any

from trireme.core.errors import TriremeError
from trireme.core.play import HUMAN, PlayMode
from trireme.core.registry import find
from trireme.core.seeding import fresh_seed
from trireme.core.spec import with_option
from trireme.gomoku.rules import Choice, Gomoku, Point, read_points

from .board import Geometry, draw
from .game import DesktopGame
from .worker import InsightJob, JobReply, MoveJob, PrepareJob, Worker

POLL = 25
"""Milliseconds between looks for the worker's replies."""
SEARCH_LEVELS = ("search:level=easy", "search:level=medium", "search:level=hard", "search")
EPSILONS = ("0", "0.02", "0.05", "0.1", "0.25")
SECONDS = ("0.3", "1", "2", "5", "10")
VARIANTS = ("standard", "freestyle", "swap2", "small")
ENGINE, NETWORKS = "search", ("dqn", "zero")
"""The evaluators of hints: the engine, or a network as a second opinion."""
FILES = [("records", "*.jsonl *.psq *.sgf"), ("all files", "*")]


class Window:
    """The window and all it holds. `root` is its Tk top level."""

    def __init__(self, game: DesktopGame | None = None) -> None:
        self.root = tkinter.Tk(className="Trireme")
        self.root.title("Trireme · Gomoku")
        self.root.geometry("920x700")
        self.root.minsize(720, 640)
        ttk.Style(self.root).theme_use("clam")
        self.game = game or DesktopGame()
        self.worker = Worker()
        self.hints: dict[Point, str] = {}
        self._insight: dict[str, Any] = {}
        self._hover: Point | None = None
        self._thinking: int | None = None
        self._hinting: int | None = None
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
        panel = ttk.Frame(self.root, padding=10)
        self.status = ttk.Label(self.root, anchor="w", padding=(10, 6), relief="sunken")
        self.status.pack(side="bottom", fill="x")
        panel.pack(side="right", fill="y")
        self.canvas.pack(side="left", fill="both", expand=True)
        self.canvas.bind("<Button-1>", self._clicked)
        self.canvas.bind("<Motion>", self._moved)
        self.canvas.bind("<Leave>", lambda _: self._point_at(None))
        self.canvas.bind("<Configure>", lambda _: self.redraw())
        self._choices(panel)
        self._buttons(panel)
        self._swap2 = ttk.Frame(self.root, padding=6)
        for key, run in (("n", self.new_game), ("u", self.undo), ("h", self.show_hints)):
            self.root.bind(f"<Control-{key}>", partial(self._pressed, run))

    def _choices(self, panel: ttk.Frame) -> None:
        plain = [name for name in find("gomoku").agents if name not in ("search", "gomocup")]
        agents = (*plain, *SEARCH_LEVELS)
        self.boxes: dict[str, ttk.Combobox] = {}
        for name, label, values, value in (
            ("variant", "Variant", VARIANTS, "standard"),
            ("mode", "PlayMode", tuple(m.value for m in PlayMode), self.game.mode.value),
            ("side", "You play", ("black", "white"), "black"),
            ("black", "Black agent", agents, "search"),
            ("white", "White agent", agents, "search"),
            ("seconds", "Seconds a move", SECONDS, "1"),
            ("epsilon", "ε (random moves)", EPSILONS, "0"),
        ):
            ttk.Label(panel, text=label).pack(anchor="w")
            self._box(panel, name, values, value, 22).pack(anchor="w", pady=(0, 6))
            if name in ("black", "white", "seconds", "epsilon"):
                self.boxes[name].configure(state="normal")

    def _box(
        self, parent: ttk.Frame, name: str, values: tuple[str, ...], value: str, width: int
    ) -> ttk.Combobox:
        """A drop-down that the window listens to."""
        box = ttk.Combobox(parent, values=values, width=width, name=name, state="readonly")
        box.set(value)
        for event in ("<<ComboboxSelected>>", "<Return>", "<FocusOut>"):
            box.bind(event, partial(self._pressed, partial(self._chosen, name)))
        self.boxes[name] = box
        return box

    def _buttons(self, panel: ttk.Frame) -> None:
        self.buttons: dict[str, ttk.Button] = {}
        for name, label, action in (
            ("new", "New game", self.new_game),
            ("undo", "Undo", self.undo),
            ("hints", "Hints by", self.show_hints),
            ("position", "Set up position…", self.ask_position),
            ("save", "Save record…", self.ask_save),
            ("open", "Open record…", self.ask_open),
            ("model", "Load model…", self.ask_model),
        ):
            row = ttk.Frame(panel)
            row.pack(fill="x", pady=2)
            button = ttk.Button(row, text=label, command=action, name=name)
            button.pack(side="left", fill="x", expand=True)
            if name == "hints":
                self._box(row, "evaluator", (ENGINE, *NETWORKS), ENGINE, 8).pack(
                    side="left", padx=(4, 0)
                )
            self.buttons[name] = button

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
                    game.rules, game.state, game.session.to_move[0], self.seconds, fresh_seed()
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
        self._try(lambda: self.game.open(path))

    def ask_model(self) -> None:
        name = filedialog.askopenfilename(
            parent=self.root, filetypes=[("models", "*.pt *.onnx"), ("all files", "*")]
        )
        if name:
            self.load_model(Path(name))

    def load_model(self, path: Path) -> None:
        """Offer a trained network as an agent of both sides, and seat it where an agent sits."""
        spec = with_option("dqn", "model", str(path))
        for name in ("black", "white"):
            box = self.boxes[name]
            box.configure(values=(*box["values"], spec))
        self.boxes[("black", "white")[1 - self.game.side]].set(spec)
        self._chosen("black")

    # What follows from it

    @property
    def seconds(self) -> float:
        return _number(self.boxes["seconds"].get(), 1.0)

    @property
    def epsilon(self) -> float:
        return _number(self.boxes["epsilon"].get(), 0.0)

    def _chosen(self, name: str) -> None:
        """A drop-down has changed: go on with other players, or start anew with other rules."""
        if name == "variant":
            self.new_game()
            return
        if name == "evaluator":
            if self._insight:
                self._hint()
                self.redraw()
            return
        before = self.game.seats()
        self.game.mode = PlayMode(self.boxes["mode"].get())
        self.game.side = 0 if self.boxes["side"].get() == "black" else 1
        self.game.agents = [self.boxes["black"].get(), self.boxes["white"].get()]
        if self.game.seats() != before:
            self._thinking = None
            self._ready_agents()
        self.redraw()

    def _start(self, game: Gomoku, opening: list[Point] | None = None) -> None:
        self._forget()
        self.game.begin(game, tuple(opening or ()))
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
        for seat, spec in enumerate(self.game.seats()):
            if spec != HUMAN:
                self.worker.ask(PrepareJob(self.game.rules, seat, spec))

    def _clicked(self, event: Any) -> None:
        point = self._geometry().point(event.x, event.y)
        if point is None:
            return
        if self.game.mover != HUMAN:
            self._message = "It is not your turn." if self.game.mover else "The game is over."
            self.redraw()
            return
        self._try(lambda: self.game.play(point))

    def _pressed(self, run: Callable[[], None], _: Any) -> None:
        run()

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
        mover = self.game.mover
        if mover is not None and mover != HUMAN and self._thinking is None:
            turn = self.game.turn(self.seconds)
            self._thinking = self.worker.ask(MoveJob(mover, turn, self.epsilon))
            self.redraw()
        self._timer = self.root.after(POLL, self._poll)

    def _take(self, reply: JobReply) -> None:
        if reply.number == self._hinting:
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
        """Bring board, buttons and status line up to date."""
        if self.canvas.winfo_width() > 1:
            draw(self.canvas, self.game.rules, self.game.state, self.hints, self._hover)
        thinks = " · thinking …" if self._thinking is not None else ""
        message = f" · {self._message}" if self._message else ""
        self.status.configure(text=f"{self.game.status()}{thinks}{message}")
        self._offer(self.game.rules.choosing(self.game.state) if self.game.mover == HUMAN else ())

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


def _number(text: str, otherwise: float) -> float:
    try:
        return max(0.0, float(text))
    except ValueError:
        return otherwise


def _label(move: dict[str, Any]) -> str:
    if "plies" in move:
        return f"{'W' if move['value'] > 0 else 'L'}{move['plies']}"
    return f"{round(100 * move['value']):+d}"
