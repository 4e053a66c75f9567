"""A whole game of each kind through the page: against a program, and two at one screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from .hands import (
    OVER,
    choose,
    hide_fleet,
    open_lobby,
    pick_agent,
    place,
    play_battleship,
    play_gomoku,
    play_navigation,
    play_on_one_screen,
    start,
    status,
)
from .site import Site

Visit = Callable[..., Any]


@pytest.mark.parametrize("game", ["Battleship", "Gomoku", "Battle Navigation"])
def test_one_click_starts_a_game_against_the_program(site: Site, visit: Visit, game: str) -> None:
    page = visit(site.url)
    page.get_by_role("button", name=f"Play {game} against the computer").click()
    expect(status(page)).to_have_text("Your turn")


def test_gomoku_against_the_program(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    open_lobby(page, "Gomoku")
    pick_agent(page, "random")
    page.get_by_label("Board").select_option("9")
    start(page)
    play_gomoku(page, 9)
    expect(status(page)).to_have_text("You won")
    expect(page.locator(".five")).to_have_count(1)
    page.get_by_role("link", name="Replay and analysis").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("beat random")


def test_battleship_alone(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    open_lobby(page, "Battleship")
    choose(page, "Mode", "Alone")
    page.get_by_label("Board").select_option("6")
    start(page)
    play_battleship(page, 6, 6)
    expect(status(page)).to_have_text(re.compile(r"Finished with \d+ shots"))
    expect(page.locator(".ship-status .gone")).to_have_count(2)


def test_battleship_duel_against_the_program(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    open_lobby(page, "Battleship")
    pick_agent(page, "random")
    page.get_by_label("Board").select_option("6")
    start(page)
    hide_fleet(page)
    play_battleship(page, 6, 6)
    expect(status(page)).to_have_text(OVER)


def test_navigation_against_the_program(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    open_lobby(page, "Battle Navigation")
    pick_agent(page, "greedy")
    start(page)
    play_navigation(page)
    expect(status(page)).to_have_text(OVER)
    expect(page.get_by_role("button", name="Rematch with sides swapped")).to_be_visible()


def test_two_at_one_screen(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    play_on_one_screen(page, site.url)
    expect(status(page)).to_have_text(re.compile("(black|first player) won", re.IGNORECASE))


def test_two_at_one_screen_do_not_see_each_others_waters(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/battleship")
    choose(page, "Mode", "Same screen")
    page.get_by_label("Board").select_option("6")
    start(page)
    hide_fleet(page)
    expect(page.get_by_role("heading", name="Hand over to the second player")).to_be_visible()
    expect(page.locator(".hull")).to_have_count(0)
    page.get_by_role("button", name="I am the second player").click()
    hide_fleet(page)
    page.get_by_role("button", name="I am the first player").click()
    expect(page.get_by_role("heading", name="Your board")).to_be_visible()


def test_undo_takes_back_the_players_own_move(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku")
    pick_agent(page, "random")
    start(page)
    place(page, "h8")
    expect(page.locator(".chart .stone:not(.ghost)")).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".chart .stone:not(.ghost)")).to_have_count(0)
    expect(status(page)).to_have_text("Your turn")


def test_four_players_two_ships_a_side(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    open_lobby(page, "Battle Navigation")
    page.get_by_label("Players").select_option("4")
    expect(page.locator(".lobby-picture .ship")).to_have_count(4)
    expect(page.get_by_label("Fourth ship, second side")).to_have_value("cutter")
    choose(page, "You play", "Third")
    pick_agent(page, "moored")
    start(page)
    expect(page.locator(".players li")).to_have_count(4)
    expect(page.locator(".chart .ship.side-0")).to_have_count(2)
    expect(page.locator(".chart .own-ring")).to_have_count(1)
    page.get_by_label("Guess the nearest enemy’s plan").check()
    page.get_by_role("button", name="Lock in").click()
    expect(page.locator(".two-plans .planner")).to_have_count(4)
    page.get_by_role("button", name="Skip").click()
    expect(status(page)).to_have_text("Your turn")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    expect(status(page)).to_contain_text("You lost")
    expect(page.locator(".players li").get_by_text("winner")).to_have_count(2)
    page.get_by_role("link", name="Replay and analysis").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Ensign Wick and Ensign Wick beat Ensign Wick, you"
    )
