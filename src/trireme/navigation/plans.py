"""Plans: what one captain orders for the phases of a turn, as values, as text, and all of them.

One phase is two characters, a move and an action, and phases are simply joined:

    move    F forward   L turn left   R turn right   - none
    action  p cannons to port          s cannons to starboard
            g grapple to port          h grapple to starboard (as the keys g and h lie)
            - none

A digit after `p` or `s` fires fewer shots than the ship has. `FpL-Rs1-h` sails forward and fires
to port, turns left, turns right and fires one shot to starboard, then grapples to starboard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from numpy.random import Generator

from trireme.core.errors import BadText, IllegalAction

from .ships import ShipType

MOVES = ("none", "forward", "turn_left", "turn_right")
ACTIONS = ("none", "shoot_port", "shoot_starboard", "grapple_port", "grapple_starboard")
MOVE_LETTERS = dict(zip("-FLR", MOVES, strict=True))
ACTION_LETTERS = dict(zip("-psgh", ACTIONS, strict=True))
_MOVE_TEXT = {move: letter for letter, move in MOVE_LETTERS.items()}
_ACTION_TEXT = {action: letter for letter, action in ACTION_LETTERS.items()}


@dataclass(frozen=True)
class Order:
    """One phase of a plan."""

    move: str = "none"
    action: str = "none"
    shots: int | None = None
    """How many shots a shooting action fires; None: all that the ship has."""

    @property
    def shoots(self) -> bool:
        return self.action.startswith("shoot")

    @property
    def grapples(self) -> bool:
        return self.action.startswith("grapple")

    @property
    def side(self) -> str | None:
        """The side that the action works on: `port`, `starboard`, or None without an action."""
        return None if self.action == "none" else self.action.partition("_")[2]


Plan = tuple[Order, ...]

_ORDER = re.compile(r"[-FLR][-psgh]\d?", re.IGNORECASE)


def write_plan(plan: Plan) -> str:
    """The plan as text.

    >>> write_plan((Order("forward", "shoot_port"), Order("turn_left"), Order(), Order()))
    'FpL-----'
    """
    return "".join(
        f"{_MOVE_TEXT[o.move]}{_ACTION_TEXT[o.action]}{'' if o.shots is None else o.shots}"
        for o in plan
    )


def read_plan(text: str, phases: int) -> Plan:
    """The plan that text stands for; letters of either case, and spaces, commas or bars between
    phases, are welcome.

    >>> read_plan("fp l- rs1 -h", 4)[2]
    Order(move='turn_right', action='shoot_starboard', shots=1)
    """
    compact = re.sub(r"[\s,|/]+", "", text).replace(".", "-")
    orders: list[Order] = []
    at = 0
    while at < len(compact):
        match = _ORDER.match(compact, at)
        if match is None:
            raise _bad_order(text, compact[at:], len(orders) + 1)
        orders.append(_read_order(match[0], text, len(orders) + 1))
        at = match.end()
    if len(orders) != phases:
        raise BadText(f"a plan has {phases} phases, not {len(orders)}, as in {text!r}")
    return tuple(orders)


def _read_order(code: str, text: str, phase: int) -> Order:
    action = ACTION_LETTERS[code[1].lower()]
    shots = int(code[2:]) if code[2:] else None
    if shots is not None and not action.startswith("shoot"):
        raise BadText(f"phase {phase} of {text!r}: only p and s take a number of shots")
    if shots == 0:
        raise BadText(f"phase {phase} of {text!r}: shots must be 1 or more; for none write '-'")
    return Order(MOVE_LETTERS[code[0].upper()], action, shots)


def _bad_order(text: str, rest: str, phase: int) -> BadText:
    if rest[0].upper() not in MOVE_LETTERS:
        what = f"a move must be one of F L R -, not {rest[0]!r}"
    elif len(rest) == 1:
        what = f"the move {rest!r} lacks its action, one of p s g h -"
    else:
        what = f"an action must be one of p s g h -, not {rest[1]!r}"
    return BadText(f"phase {phase} of {text!r}: {what}")


def check_plan(plan: object, ship: ShipType, phases: int, ammo: int | None) -> None:
    """Raise `IllegalAction`, saying why, unless a captain of `ship` may order `plan`."""
    if not isinstance(plan, tuple) or not all(isinstance(order, Order) for order in plan):
        raise IllegalAction(f"a plan is a tuple of orders, not {plan!r}")
    if len(plan) != phases:
        raise IllegalAction(f"a plan has {phases} phases, not {len(plan)}")
    for phase, order in enumerate(plan, 1):
        _check_order(order, ship, phase)
    fired = sum(shots_fired(order, ship) for order in plan)
    if ammo is not None and fired > ammo:
        raise IllegalAction(f"{ammo} shots may be fired in a turn, and the plan fires {fired}")


def _check_order(order: Order, ship: ShipType, phase: int) -> None:
    if order.move not in MOVES:
        raise IllegalAction(
            f"phase {phase}: move must be one of {', '.join(MOVES)}, not {order.move!r}"
        )
    if order.action not in ACTIONS:
        raise IllegalAction(
            f"phase {phase}: action must be one of {', '.join(ACTIONS)}, not {order.action!r}"
        )
    if order.shots is None:
        return
    if not order.shoots:
        raise IllegalAction(f"phase {phase}: {order.action} takes no shots, not {order.shots!r}")
    if type(order.shots) is not int or not 1 <= order.shots <= ship.shots:
        allowed = "1" if ship.shots == 1 else f"1 to {ship.shots}"
        raise IllegalAction(
            f"phase {phase}: a {ship.label.lower()} fires {allowed} shots, not {order.shots!r}"
        )


def shots_fired(order: Order, ship: ShipType) -> int:
    """How many shots the order spends."""
    if not order.shoots:
        return 0
    return ship.shots if order.shots is None else order.shots


# Orders are numbered for kernels and learners: move + 4 × act, where act counts none, grapple
# port, grapple starboard, then shoot port and starboard with 1 shot, with 2 shots, and so on.
# A number means the same for every ship; ships with fewer shots have fewer numbers.

_ACT_NAMES = ("none", "grapple_port", "grapple_starboard")


def order_count(ship: ShipType) -> int:
    """How many different orders a captain of `ship` has for one phase."""
    return 4 * (3 + 2 * ship.shots)


def order_at(index: int, ship: ShipType) -> Order:
    """The order with this number."""
    act, move = divmod(index, 4)
    if act < 3:
        return Order(MOVES[move], _ACT_NAMES[act])
    more, starboard = divmod(act - 3, 2)
    action = "shoot_starboard" if starboard else "shoot_port"
    return Order(MOVES[move], action, None if more + 1 == ship.shots else more + 1)


def order_index(order: Order, ship: ShipType) -> int:
    """The number of this order: the inverse of `order_at`."""
    if order.shoots:
        act = 3 + 2 * (shots_fired(order, ship) - 1) + (order.side == "starboard")
    else:
        act = _ACT_NAMES.index(order.action)
    return MOVES.index(order.move) + 4 * act


class LegalPlans:
    """All plans that one captain may order: iterate, test, count, sample uniformly.

    A plan that names all of a ship's shots is the same plan as one that leaves them out; it is
    legal, and listed in the shorter form.
    """

    def __init__(self, ship: ShipType, phases: int, ammo: int | None = None) -> None:
        self.ship = ship
        self.phases = phases
        self.ammo = ammo
        self._orders = [order_at(i, ship) for i in range(order_count(ship))]
        self._cost = [shots_fired(order, ship) for order in self._orders]
        most = ship.shots * phases
        self._budget = most if ammo is None else min(ammo, most)
        # ways[n][b]: how many ways n phases can be ordered with b shots to spend
        self.ways = [[1] * (self._budget + 1)]
        for _ in range(phases):
            last = self.ways[-1]
            self.ways.append(
                [sum(last[b - c] for c in self._cost if c <= b) for b in range(self._budget + 1)]
            )

    def __len__(self) -> int:
        return self.ways[self.phases][self._budget]

    def __getitem__(self, index: int) -> Plan:
        """The plan with this index: the same for every run, so a number can stand for a plan."""
        if not 0 <= index < len(self):
            raise IndexError(f"expected an index below {len(self)}, not {index}")
        orders: list[Order] = []
        budget = self._budget
        for left in range(self.phases - 1, -1, -1):
            chosen = 0
            while index >= (ways := self._ways_after(chosen, left, budget)):
                index -= ways
                chosen += 1
            orders.append(self._orders[chosen])
            budget -= self._cost[chosen]
        return tuple(orders)

    def _ways_after(self, order: int, left: int, budget: int) -> int:
        """How many ways the phases left after this order can be filled."""
        cost = self._cost[order]
        return self.ways[left][budget - cost] if cost <= budget else 0

    def __iter__(self) -> Iterator[Plan]:
        return (self[i] for i in range(len(self)))

    def __contains__(self, plan: object) -> bool:
        try:
            check_plan(plan, self.ship, self.phases, self.ammo)
        except IllegalAction:
            return False
        return True

    def sample(self, rng: Generator) -> Plan:
        return self[int(rng.integers(len(self)))]
