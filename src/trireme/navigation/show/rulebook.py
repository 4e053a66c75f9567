"""The rules of Battle Navigation for players, by the settings of a game, with a legend."""

from __future__ import annotations

from trireme.core.game import AnyGame
from trireme.core.rulebook import Figure, Rulebook, RuleSection
from trireme.navigation.rules import Navigation, as_navigation
from trireme.navigation.ships import CANNONBALLS

SEAT_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth")


def rulebook(game: AnyGame) -> Rulebook:
    """The rules, short enough for one page."""
    rules = as_navigation(game)
    sections = (
        _turn(rules),
        _moving(rules),
        _hazards(),
        _guns(rules),
        _grappling(rules),
        _ships(rules),
        _end(rules),
    )
    goal = (
        "Sink the enemy's ship, or grapple it. Both captains plan in secret; then both plans are "
        "carried out at once. There is no chance anywhere."
        if rules.seats == 2
        else f"{rules.seats // 2} ships a side, each with a captain of its own: the even seats "
        "fight the odd ones. Sink or grapple all enemies. All captains plan in secret; then all "
        "plans are carried out at once. There is no chance anywhere."
    )
    return Rulebook("Battle Navigation", goal, sections)


def _turn(game: Navigation) -> RuleSection:
    all_ = "both" if game.seats == 2 else "all"
    text: tuple[str, ...] = (
        f"A plan has {game.phases} phases. Each phase orders one move and one action: shoot or "
        "grapple, to port (left) or to starboard (right), or nothing.",
        f"In each phase {all_} ships move, then wind and whirlpools work on them, then {all_} act, "
        "and then it is checked whether somebody has won.",
    )
    if game.ammo_per_turn is not None:
        text += (f"A plan may fire {game.ammo_per_turn} shots in all.",)
    return RuleSection("A turn", text)


def _moving(game: Navigation) -> RuleSection:
    other = "the other" if game.seats == 2 else "another"
    blocked = (
        f"A ship that is in the way of rocks, the edge or {other} ship keeps the part of its path "
        "that it could sail"
        if game.turns == "advance"
        else f"A ship that would meet a rock, the edge or {other} ship stays where it was"
    )
    text: tuple[str, ...] = (f"{blocked}; a turn still swings its bow.",)
    if game.ram_damage:
        text += (f"Running into something costs {game.ram_damage} hit points, both ships if it was "
                 f"{other} one.",)  # fmt: skip
    return RuleSection(
        "Moves",
        text,
        (
            ("Forward", "one tile ahead"),
            (
                "Turn left or right",
                "one tile ahead and one to that side, with the bow the new way",
            ),
            ("None", "the ship holds its place"),
        ),
        (Figure((".+>", ".^.", "..."), "A turn to the right: one ahead, then one to the side."),),
    )


def _hazards() -> RuleSection:
    return RuleSection(
        "What is on the sea",
        ("The tile on which a ship ends its move works on it once, whether it moved or not.",),
        (
            ("Wind (→)", "pushes the ship one tile the way it blows, if that tile is free"),
            (
                "Whirlpool (↻)",
                "turns the bow a quarter and carries the ship to the opposite corner of its "
                "four tiles",
            ),
            ("Small rock (o)", "blocks ships; shots fly over it"),
            ("Large rock (O)", "blocks ships, and stops shots"),
        ),
        (
            Figure((".→→→.", ".....", "o...O"), "A lane of wind, a small and a large rock."),
            Figure(("....", ".↻↻.", ".↻↻.", "...."), "A whirlpool has four tiles."),
        ),
    )


def _guns(game: Navigation) -> RuleSection:
    damages = tuple(
        (f"{ball.capitalize()} ball", f"{damage} hit point{'s' if damage > 1 else ''} a hit")
        for ball, damage in CANNONBALLS.items()
    )
    return RuleSection(
        "Broadsides",
        (
            "Guns fire straight out of the side, never ahead or astern: as far as the ship's "
            "range, until a ship, a large rock or the edge stops the shot. You may fire "
            "fewer shots than the ship has."
            + ("" if game.seats == 2 else " Ships of your own side stop shots unharmed."),
        ),
        damages,
        (Figure(("..*..", "..*..", "..*..", "..>..", "....."), "A broadside to port, range 3."),),
    )


def _grappling(game: Navigation) -> RuleSection:
    catches = "A grapple catches a ship on the tile right beside the named side. "
    effect = (
        "**It wins the game at once**, even if your ship is sunk in the same phase. If both "
        "grapple, it is a draw."
        if game.seats == 2
        else "**The ship that is caught is out of the game.** If two ships catch each other, both "
        "are. Grappling the last enemy wins at once, even if your last ship is sunk in that phase."
    )
    return RuleSection(
        "Grappling",
        (catches + effect,),
        figures=(
            Figure(
                (".....", "..>..", "..<..", "....."),
                "Side by side: both ships may grapple to starboard.",
            ),
        ),
    )


def _ships(game: Navigation) -> RuleSection:
    terms = tuple(
        (
            f"{ship.label} ({seat})",
            f"{ship.hp} hit points, range {ship.range}, {ship.shots} "
            f"{ship.cannonball} ball{'s' if ship.shots > 1 else ''} a broadside: "
            f"{ship.shots * ship.damage} damage",
        )
        for seat, ship in zip(SEAT_WORDS, game.types, strict=False)
    )
    return RuleSection("The ships of this game", (), terms)


def _end(game: Navigation) -> RuleSection:
    return RuleSection(
        "The end",
        (
            (
                "A ship without hit points has lost; if both have none, it is a draw."
                if game.seats == 2
                else "A ship without hit points is out of the game. The side whose ships are all "
                "out has lost; if both have none left, it is a draw."
            )
            + f" After {game.turn_limit} turns the larger share of hit points left wins.",
        ),
    )
