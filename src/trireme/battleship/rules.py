"""The rules of Battleship, whole, with every variant as a setting of one game.

**The board** has 5 to 12 rows (letters) and as many or other columns (numbers). Its fleet goes by
the smaller side: up to 7, a cruiser of 3 and a destroyer of 2; up to 9, a submarine of 3 as well;
from 10 on, a battleship of 4 and a carrier of 5 as well. A setting names another fleet by sizes.

**Placing.** Ships are straight, lie inside the board and never overlap; unless `touching` is set,
one cell of water keeps any two apart, diagonally too (the water is shared: one cell is enough).
Alone, nature places. *Sequential*: ship by ship, the largest first, orientation and then position
uniform, redrawn until the ship lies free; a fleet that runs into a dead end is redrawn whole.
*Uniform*: every fleet is equally likely. *Manual*: nobody draws; the fleet is nature's first move,
given by hand as the game's opening. Should 10,000 draws in a row fail, the sea is so crowded that
the ships lie as an exact search finds them. A fleet that doesn't fit is refused with the settings.

**Firing.** A turn fires one shot at a cell not yet shot at. The answer is *miss*, *hit*, or *sunk*
with the ship's name when its last cell was hit. All ships sunk: the game is over. Alone, the score
is minus the shots fired.

**Duel.** Two seats place fleets in secret, each on its own board (the second may have another
size), then fire at each other's in turn, or, with `simultaneous`, both at once. Whose fleet is
sunk has lost; fleets that go down together are a draw.

**Salvo.** A turn fires as many shots, at different cells, as the shooter has ships afloat (alone:
as the hunted fleet has), or as many as there are cells left. They are answered together, cell by
cell from the top left.

**Mines.** Each board hides this many mines, one a cell, in water. A shot that strikes one is a
miss, and costs the shooter a turn, for each mine struck: in a duel the seat sits it out, alone it
counts as one more shot. Where both seats of a duel owe turns, they cancel out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from numpy.random import Generator

from trireme.battleship.belief.determinization import determinize_fleet
from trireme.core.action_input import cell_of
from trireme.core.errors import BadSettings, IllegalAction
from trireme.core.game import CHANCE, Actions, Game, Listed, Seat
from trireme.core.options import option

from .board import LARGEST, SMALLEST, Board, Cell, standard_sizes, write_cell
from .fleets import Fleet, LegalFleets, check_fleet, first_layout, ship_at
from .notation import read_action, write_action
from .shots import LegalSalvos, Result, Salvo, Shot

Action = Salvo | Fleet
Stage = Literal["placing", "firing", "over"]


@dataclass(frozen=True)
class Sea:
    """One board during a game; in views, `fleet` is None while the viewer may not see it."""

    fleet: Fleet | None
    shots: tuple[Shot, ...]
    afloat: tuple[str, ...]
    """The ships not yet sunk, by name."""


@dataclass(frozen=True)
class BattleshipState:
    """A position: the seas by owner (alone, the only sea is nature's)."""

    seas: tuple[Sea, ...]
    turn: Seat = 0
    """Who fires next, where seats fire in turn."""
    owed: tuple[int, ...] = (0, 0)
    """The turns that each seat has yet to sit out; alone, the shots that mines have cost."""


@dataclass(frozen=True)
class BattleshipView:
    """What a seat (None: a spectator) may know: all answers, and no fleet but its own."""

    seat: Seat | None
    stage: Stage
    seas: tuple[Sea, ...]
    turn: Seat
    owed: tuple[int, ...]

    @property
    def target(self) -> Sea:
        """The sea that this seat fires at; a spectator's is that of seat 0."""
        return self.seas[_target(self.seat or 0, len(self.seas))]


@dataclass(frozen=True)
class Battleship(Game[BattleshipState, Action, BattleshipView]):
    """Find and sink a fleet that you can't see."""

    name: ClassVar[str] = "battleship"
    action_forms: ClassVar[str] = "a cell (row, col) or its index row × cols + col, all from 0"

    rows: int = option(10, "rows of the board, 5 to 12")
    cols: int = option(10, "columns of the board, 5 to 12")
    fleet: tuple[int, ...] | None = option(None, "sizes of the ships; none: by the smaller side")
    touching: bool = option(False, "ships may touch each other")
    placement: Literal["sequential", "uniform", "manual"] = option(
        "sequential",
        "how chance places: ship by ship, all fleets alike, or manual (the opening)",
    )
    duel: bool = option(False, "two seats place in secret and fire at each other")
    simultaneous: bool = option(False, "in a duel both seats fire at once")
    rival_rows: int | None = option(None, "rows of the second seat's board; none: the same")
    rival_cols: int | None = option(None, "columns of the second seat's board; none: the same")
    salvo: bool = option(False, "a turn fires a shot for every ship that the shooter has afloat")
    mines: int = option(0, "hidden mines on each board; striking one costs a turn")

    def __post_init__(self) -> None:
        if self.fleet is not None and len(self.fleet) > LARGEST**2:
            raise BadSettings(
                f"a fleet may have at most {LARGEST**2} ships, a cell each, not {len(self.fleet)}"
            )
        if not self.duel:
            for name in ("simultaneous", "rival_rows", "rival_cols"):
                if getattr(self, name):
                    raise BadSettings(f"{name} needs a duel: set duel=true as well")
        if self.placement not in ("sequential", "uniform", "manual"):
            raise BadSettings(
                f"placement must be sequential, uniform or manual, not {self.placement!r}"
            )
        for board in self.boards:
            _check_board(board)
            water = board.rows * board.cols - sum(board.sizes)
            if not 0 <= self.mines <= water // 2:
                raise BadSettings(
                    f"mines must be 0 to {water // 2} (half the water), not {self.mines}"
                )

    @property
    def seats(self) -> int:
        return 2 if self.duel else 1

    @cached_property
    def boards(self) -> tuple[Board, ...]:
        """The boards, each by its owner's seat; alone, nature's."""
        sides = [(self.rows, self.cols)]
        if self.duel:
            sides.append((self.rival_rows or self.rows, self.rival_cols or self.cols))
        return tuple(
            Board(
                rows,
                cols,
                standard_sizes(rows, cols) if self.fleet is None else _sorted_fleet(self.fleet),
                self.touching,
            )
            for rows, cols in sides
        )

    def target(self, seat: Seat | None) -> Board:
        """The board that `seat` fires at."""
        return self.boards[_target(seat or 0, len(self.boards))]

    def start(self) -> BattleshipState:
        return BattleshipState(tuple(Sea(None, (), board.names) for board in self.boards))

    def stage(self, state: BattleshipState) -> Stage:
        if any(sea.fleet is None for sea in state.seas):
            return "placing"
        return "firing" if all(sea.afloat for sea in state.seas) else "over"

    def to_move(self, state: BattleshipState) -> tuple[Seat, ...]:
        match self.stage(state):
            case "placing":
                return (0, 1) if self.duel else (CHANCE,)
            case "over":
                return ()
        if self.simultaneous:
            return tuple(seat for seat in (0, 1) if not state.owed[seat])
        return (state.turn,)

    def legal(self, state: BattleshipState, seat: Seat) -> Actions[Action]:
        if self.stage(state) == "placing":
            board = self.boards[max(seat, 0)]
            return LegalFleets(board, self.mines, uniform=self.placement == "uniform")
        fired = {shot.cell for shot in self._aim(state, seat).shots}
        open_cells = tuple(cell for cell in self.target(seat).cells() if cell not in fired)
        size = self._salvo_size(state, seat)
        if size == 1:
            return Listed(Salvo((cell,)) for cell in open_cells)
        return LegalSalvos(open_cells, size)

    def check(self, state: BattleshipState, seat: Seat, action: Action) -> None:
        if seat not in self.to_move(state):
            raise IllegalAction(f"it is not the turn of seat {seat}")
        if self.stage(state) == "placing":
            if not isinstance(action, Fleet):
                raise IllegalAction(f"expected a fleet, not the shot {self.write(action)}")
            check_fleet(self.boards[max(seat, 0)], action, self.mines)
            return
        if not isinstance(action, Salvo):
            raise IllegalAction("expected a shot such as B7, not a fleet")
        board, fired = self.target(seat), {shot.cell for shot in self._aim(state, seat).shots}
        for cell in action.cells:
            if not board.holds(cell):
                raise IllegalAction(
                    f"{write_cell(cell)} is not on the board of {board.rows}×{board.cols}"
                )
            if cell in fired:
                raise IllegalAction(f"{write_cell(cell)} has been shot at already")
        size = self._salvo_size(state, seat)
        if not len(set(action.cells)) == len(action.cells) == size:
            cells = "one cell" if size == 1 else f"{size} different cells"
            raise IllegalAction(f"expected a shot at {cells}, not {self.write(action)!r}")

    def draw(self, state: BattleshipState, rng: Generator) -> Action:
        if self.placement == "manual":
            raise IllegalAction("this fleet is placed by hand: give it as the game's opening")
        return super().draw(state, rng)

    def apply(self, state: BattleshipState, actions: Mapping[Seat, Action]) -> BattleshipState:
        seas, owed = list(state.seas), list(state.owed)
        for seat, action in actions.items():
            if isinstance(action, Fleet):
                seas[max(seat, 0)] = replace(seas[max(seat, 0)], fleet=action)
                continue
            aim = _target(seat, len(seas))
            for cell in action.cells:
                seas[aim] = _fire(self.boards[aim], seas[aim], cell)
                owed[seat] += seas[aim].shots[-1].result == "mine"
        moved = replace(state, seas=tuple(seas), owed=tuple(owed))
        return self._next_turn(moved, state) if self.duel else moved

    def view(self, state: BattleshipState, seat: Seat | None) -> BattleshipView:
        stage = self.stage(state)
        seas = tuple(
            sea if stage == "over" or (self.duel and owner == seat) else replace(sea, fleet=None)
            for owner, sea in enumerate(state.seas)
        )
        return BattleshipView(seat, stage, seas, state.turn, state.owed)

    def determinize(self, view: BattleshipView, rng: Generator) -> BattleshipState:
        """Hidden fleets are drawn by a random search that always finds one, not by their exact
        probabilities: for those, see the posterior agent."""
        seas = tuple(
            replace(sea, fleet=determinize_fleet(board, sea.shots, self.mines, rng))
            if sea.fleet is None and view.stage != "placing"
            else sea
            for board, sea in zip(self.boards, view.seas, strict=True)
        )
        return BattleshipState(seas, view.turn, view.owed)

    def returns(self, state: BattleshipState) -> tuple[float, ...]:
        if not self.duel:
            return (-float(len(state.seas[0].shots) + state.owed[0]),)
        if self.stage(state) != "over":
            return (0.0, 0.0)
        alive = [bool(sea.afloat) for sea in state.seas]
        return (float(alive[0] - alive[1]), float(alive[1] - alive[0]))

    def forfeit(self, state: BattleshipState, culprits: Collection[Seat]) -> tuple[float, ...]:
        """Alone, as if every cell had been needed and every mine struck."""
        if self.duel:
            return super().forfeit(state, culprits)
        return (-float(self.rows * self.cols + self.mines),)

    def hides(self, actor: Seat, action: Action, viewer: Seat | None) -> bool:
        return isinstance(action, Fleet) and actor != viewer

    def write(self, action: Action) -> str:
        return write_action(action)

    def read(self, text: str) -> Action:
        return read_action(text)

    def convert(self, value: Any, seat: Seat) -> Action | None:
        """A shot by its cell's index or `(row, col)`; a salvo as a list of such pairs."""
        board = self.target(seat)
        cell = cell_of(value, board.rows, board.cols)
        if cell is not None:
            return Salvo((cell,))
        if isinstance(value, list | tuple):
            cells = [c for pair in value if (c := cell_of(pair, board.rows, board.cols))]
            return Salvo(tuple(cells)) if cells and len(cells) == len(value) else None
        return None

    def details(self, state: BattleshipState, seat: Seat, action: Action) -> dict[str, int | str]:
        if isinstance(action, Salvo) and len(action.cells) == 1:
            return {"row": action.cells[0][0], "col": action.cells[0][1]}
        return {}

    def salvo_size(self, view: BattleshipView) -> int:
        """How many shots the viewer's next turn fires."""
        return self._salvo_size(BattleshipState(view.seas), view.seat or 0)

    def _aim(self, state: BattleshipState, seat: Seat) -> Sea:
        return state.seas[_target(seat, len(state.seas))]

    def _salvo_size(self, state: BattleshipState, seat: Seat) -> int:
        if not self.salvo:
            return 1
        board, aim = self.target(seat), self._aim(state, seat)
        own = state.seas[seat if self.duel else 0]
        return min(len(own.afloat), board.rows * board.cols - len(aim.shots))

    def _next_turn(self, moved: BattleshipState, before: BattleshipState) -> BattleshipState:
        """Pass the turn on, over turns to be sat out."""
        owed = list(moved.owed)
        if self.stage(before) == "placing":
            return moved
        if self.simultaneous:
            owed = [owe - (was > 0) for owe, was in zip(owed, before.owed, strict=True)]
        both = min(owed)
        owed = [owe - both for owe in owed]
        turn = 1 - moved.turn
        if not self.simultaneous and owed[turn]:
            owed[turn] -= 1
            turn = 1 - turn
        return replace(moved, turn=0 if self.simultaneous else turn, owed=tuple(owed))


def _target(seat: Seat, seas: int) -> int:
    """Whose sea `seat` fires at."""
    return 0 if seas == 1 else 1 - seat


def _fire(board: Board, sea: Sea, cell: Cell) -> Sea:
    """The sea after one more shot, answered."""
    assert sea.fleet is not None
    cells = ship_at(sea.fleet)
    ship = cells.get(cell)
    result: Result = "mine" if cell in sea.fleet.mines else "miss"
    name, afloat = "", sea.afloat
    if ship is not None:
        hits = sum(cells.get(shot.cell) == ship for shot in sea.shots) + 1
        result = "hit"
        if hits == board.sizes[ship]:
            result, name = "sunk", board.names[ship]
            afloat = tuple(other for other in afloat if other != name)
    return Sea(sea.fleet, (*sea.shots, Shot(cell, result, name)), afloat)


def _sorted_fleet(sizes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(sizes, reverse=True))


def _check_board(board: Board) -> None:
    """Refuse a board that is too small or large, or on which the fleet does not fit."""
    rows, cols, sizes = board.rows, board.cols, board.sizes
    for what, side in (("rows", rows), ("cols", cols)):
        if not SMALLEST <= side <= LARGEST:
            raise BadSettings(f"{what} must be {SMALLEST} to {LARGEST}, not {side}")
    if not sizes or min(sizes) < 1:
        raise BadSettings(f"a fleet needs ships of at least 1 cell, not {_list(sizes) or 'none'}")
    if first_layout(board) is not None:
        return
    raise BadSettings(
        f"the fleet {_list(sizes)} does not fit on {rows}×{cols}"
        f"{'' if board.touching else ' with water between the ships'}; {_suggestion(board)}"
    )


SUGGESTION_NODES = 10_000
"""Nodes of each search for a fleet or a board to suggest: an error message may not take seconds."""


def _suggestion(board: Board) -> str:
    for side in range(max(board.rows, board.cols), LARGEST + 1):
        larger = replace(board, rows=side, cols=side)
        if first_layout(larger, SUGGESTION_NODES) is not None:
            return f"it fits on {side}×{side}"
    smaller = board.sizes
    while smaller and first_layout(replace(board, sizes=smaller), SUGGESTION_NODES) is None:
        smaller = smaller[1:]
    return f"fleet={_list(smaller or standard_sizes(board.rows, board.cols), '+')} would fit"


def _list(sizes: tuple[int, ...], joint: str = " ") -> str:
    return joint.join(map(str, sizes))
