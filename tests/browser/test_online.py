"""Two browsers at one table, and what lost connections and killed servers do: nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from .hands import FIVE, OVER, cell, choose, place, start, status
from .site import Site

Visit = Callable[..., Any]


def open_room(visit: Visit, site: Site, **options: Any) -> Any:
    """A page that has opened a room for a friend and waits there."""
    page = visit(f"{site.url}/new/gomoku", **options)
    choose(page, "Mode", "Friend online")
    page.get_by_label("Board").select_option("9")
    page.get_by_label("Your name").fill("Ada")
    start(page)
    expect(page.get_by_label("Link to this room")).to_have_value(page.url)
    return page


def sit_down(visit: Visit, url: str) -> Any:
    page = visit(url)
    page.get_by_role("button", name="Join as").click()
    return page


def sees(page: Any, point: str) -> None:
    expect(page.get_by_role("gridcell", name=re.compile(f"^{point} "))).to_be_visible()


def test_two_browsers_play_a_whole_game_online(site: Site, visit: Visit) -> None:
    host = open_room(visit, site)
    guest = sit_down(visit, host.url)
    expect(status(host)).to_have_text("Your turn")
    expect(status(guest)).to_have_text("Waiting for Ada")
    for number, point in enumerate(FIVE):
        mover, other = (host, guest) if number % 2 == 0 else (guest, host)
        place(mover, point)
        sees(other, point)
    expect(status(host)).to_have_text("You won")
    expect(status(guest)).to_have_text("You lost")
    host.get_by_role("button", name="Rematch").click()
    guest.get_by_role("button", name="Accept").click()
    expect(status(guest)).to_have_text("Your turn")
    expect(host.locator(".stone:not(.ghost)").and_(host.locator(".chart *"))).to_have_count(0)


def test_a_spectator_watches_and_holds_no_seat(site: Site, visit: Visit) -> None:
    host = open_room(visit, site)
    sit_down(visit, host.url)
    watcher = visit(host.url)
    place(host, "e5")
    sees(watcher, "e5")
    expect(cell(watcher, "a1")).to_have_attribute("aria-disabled", "true")


def test_a_cut_socket_comes_back_and_has_missed_nothing(site: Site, visit: Visit) -> None:
    sockets: list[Any] = []

    def through(route: Any) -> None:
        route.connect_to_server()
        sockets.append(route)

    host = open_room(
        visit, site, prepare=lambda page: page.route_web_socket(re.compile("/ws/"), through)
    )
    guest = sit_down(visit, host.url)
    place(host, "e5")
    sees(guest, "e5")
    sockets[-1].close(code=4000, reason="cut by the test")
    place(guest, "a1")
    sees(host, "a1")
    assert len(sockets) > 1
    place(host, "e6")
    sees(guest, "e6")


def test_a_game_goes_on_after_the_server_was_killed(own_site: Site, visit: Visit) -> None:
    host = open_room(visit, own_site)
    guest = sit_down(visit, host.url)
    place(host, "e5")
    sees(guest, "e5")
    own_site.kill()
    expect(host.get_by_text("Connection lost")).to_be_visible()
    own_site.start()
    expect(host.get_by_text("Connection lost")).to_be_hidden()
    place(guest, "a1")
    sees(host, "a1")
    sees(host, "e5")


def test_a_page_loaded_anew_holds_its_seat(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    page.get_by_role("button", name="Play Gomoku against the computer").click()
    expect(status(page)).to_have_text("Your turn")
    place(page, "h8")
    page.reload()
    sees(page, "h8")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    expect(status(page)).to_have_text(OVER)


def test_a_game_goes_on_from_another_device(site: Site, visit: Visit) -> None:
    host = open_room(visit, site)
    guest = sit_down(visit, host.url)
    place(host, "e5")
    sees(guest, "e5")
    guest.get_by_role("button", name="Continue on another device").click()
    link = guest.get_by_label("Private link").input_value()
    assert "#seat=" in link
    other = visit(link)
    expect(status(other)).to_have_text("Your turn")
    assert "#" not in other.url
    place(other, "d4")
    sees(host, "d4")


def test_engine_help_needs_both_players(site: Site, visit: Visit) -> None:
    host = open_room(visit, site)
    guest = sit_down(visit, host.url)
    host.get_by_role("button", name="Propose engine help").click()
    expect(host.get_by_role("button", name="Engine help proposed")).to_be_disabled()
    guest.get_by_role("button", name="Accept").click()
    expect(host.get_by_role("button", name="Engine help proposed")).to_have_count(0)
    expect(guest.get_by_role("log")).to_contain_text("Everybody agrees: engine help is on.")


def test_a_replay_is_marked_as_verified(site: Site, visit: Visit) -> None:
    host = open_room(visit, site)
    sit_down(visit, host.url)
    host.get_by_role("button", name="Resign").click()
    host.get_by_role("button", name="Really resign?").click()
    expect(status(host)).to_contain_text("You lost")
    host.get_by_role("link", name="Replay and analysis").click()
    expect(host.get_by_text("Verified: played on this server")).to_be_visible()
