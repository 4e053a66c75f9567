"""What a player's hands do: start games, and play them through the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import expect

OVER = re.compile(r"won|lost|Drawn|Finished")
OURS = re.compile(r"Your turn|to move")


def status(page: Any) -> Any:
    """The line that says what is going on."""
    return page.locator(".status h1")


def open_lobby(page: Any, game: str) -> None:
    """From home to the lobby of a game, by clicks."""
    page.get_by_role("link", name=f"More options for {game}").click()
    expect(page.get_by_role("heading", level=1, name=game)).to_be_visible()


def choose(page: Any, label: str, option: str) -> None:
    """Pick one of a row of choices."""
    page.get_by_role("radiogroup", name=label).get_by_role("radio", name=option).click()


def pick_agent(page: Any, name: str) -> None:
    """Choose an agent by its name, past the named opponents."""
    page.get_by_text("Other agents, with their options").click()
    page.locator("details .agent-picker select").first.select_option(name)


def start(page: Any) -> None:
    page.get_by_role("button", name=re.compile("Start the game|Open the room|^Watch")).click()
    page.wait_for_url("**/room/*")


def ask_for_hints(page: Any) -> None:
    """From the lobby of Gomoku into a game against random, and to its hints after a move."""
    pick_agent(page, "random")
    start(page)
    place(page, "h8")
    expect(status(page)).to_have_text("Your turn")
    page.get_by_role("button", name="Hints").click()


def ask_for_heatmap(page: Any, board: str | None = None) -> None:
    """From the lobby of Battleship into a game alone, and to its heatmap."""
    page.get_by_role("radio", name="Alone").click()
    if board is not None:
        page.get_by_label("Board").select_option(board)
    start(page)
    page.get_by_role("button", name="Heatmap").click()
    expect(page.locator(".chance").first).to_be_visible(timeout=90_000)


def cell(page: Any, name: str) -> Any:
    """The cell of a board that is called `name`, whatever lies on it."""
    return page.get_by_role("gridcell", name=re.compile(rf"^{name}( |$)"))


def stones(page: Any) -> dict[tuple[int, int], str]:
    """The stones on a Gomoku board, by column and row."""
    names = page.get_by_role("gridcell").evaluate_all("cells => cells.map(c => c.ariaLabel)")
    words = [name.split() for name in names]
    return {
        (ord(word[0][0]) - 97, int(word[0][1:]) - 1): word[1] for word in words if len(word) == 2
    }


def best_point(taken: dict[tuple[int, int], str], colour: str, size: int) -> str:
    """The point that adds to the longest row of five still open."""
    best, chosen = -1, ""
    for row in range(size):
        for col in range(size - 4):
            five = [(col + i, row) for i in range(5)]
            if any(taken.get(p, colour) != colour for p in five):
                continue
            ends = [(col - 1, row), (col + 5, row)]
            if any(taken.get(p) == colour for p in ends):
                continue
            own = sum(p in taken for p in five)
            if own > best:
                best = own
                free = next(p for p in five if p not in taken)
                chosen = f"{chr(97 + free[0])}{free[1] + 1}"
    return chosen


def play_gomoku(page: Any, size: int, colour: str = "black") -> None:
    """Put stones until the game is over."""
    for _ in range(size * size):
        expect(status(page)).to_have_text(re.compile(f"{OURS.pattern}|{OVER.pattern}"))
        if OVER.search(status(page).inner_text()):
            return
        before = len(stones(page))
        cell(page, best_point(stones(page), colour, size)).click()
        expect(page.locator(".gomoku .stone:not(.ghost)")).not_to_have_count(before)


FIVE = ("a1", "a9", "b1", "b9", "c1", "c9", "d1", "d9", "e1")
"""A whole game of Gomoku, won by black with the ninth stone."""


def place(page: Any, point: str) -> None:
    """Put a stone and see it lie."""
    page.get_by_role("gridcell", name=point, exact=True).click()
    expect(page.get_by_role("gridcell", name=re.compile(f"^{point} "))).to_be_visible()


def play_on_one_screen(page: Any, url: str) -> str:
    """A whole game of Gomoku on one screen; gives the room's id."""
    page.goto(f"{url}/new/gomoku")
    choose(page, "Mode", "Same screen")
    page.get_by_label("Board").select_option("9")
    start(page)
    for point in FIVE:
        place(page, point)
    expect(status(page)).to_have_text(OVER)
    return str(page.url).rpartition("/")[2]


def cells_of(rows: int, cols: int) -> Iterator[str]:
    """Every cell, the two colours of a chessboard one after the other."""
    for parity in (0, 1):
        for row in range(rows):
            for col in range(cols):
                if (row + col) % 2 == parity:
                    yield f"{chr(65 + row)}{col + 1}"


def hide_fleet(page: Any) -> None:
    button = page.get_by_role("button", name="Place the fleet here")
    expect(button).to_be_enabled()
    button.click()


def play_battleship(page: Any, rows: int, cols: int) -> None:
    """Fire at every cell in turn until the game is over."""
    for name in cells_of(rows, cols):
        expect(status(page)).to_have_text(re.compile(f"{OURS.pattern}|{OVER.pattern}"))
        if OVER.search(status(page).inner_text()):
            return
        target = cell(page, name)
        target.click()
        expect(target).not_to_have_attribute("aria-label", name)


def box_of(element: Any) -> dict[str, float]:
    """Where an element is, once it is drawn: one that is just being replaced has no box."""
    for _ in range(100):
        expect(element).to_be_visible()
        box: dict[str, float] | None = element.bounding_box()
        if box is not None:
            return box
    raise AssertionError(f"{element} is never drawn for long")


def lock_in(page: Any) -> None:
    """Lock the plan in, and skip what it led to."""
    page.get_by_role("button", name="Lock in").click()
    page.get_by_role("button", name="Skip").click()


def play_navigation(page: Any, turns: int = 50) -> None:
    """Sail on with both guns until the game is over."""
    for _ in range(turns):
        expect(status(page)).to_have_text(re.compile(f"{OURS.pattern}|{OVER.pattern}"))
        if OVER.search(status(page).inner_text()):
            return
        page.get_by_role("button", name="Phase 1, move: hold").click()
        page.get_by_role("button", name="Phase 2, starboard: nothing").click()
        page.get_by_role("button", name="Phase 3, port: nothing").click()
        lock_in(page)
