"""On a phone, by keyboard alone, for a screen reader, and quick to load."""

from __future__ import annotations

import gzip
import re
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from trireme.server.protocol import schema

from .hands import choose, hide_fleet, play_on_one_screen, start, status
from .site import ROOT, Site, build_client

Visit = Callable[..., Any]

PHONE = {
    "viewport": {"width": 390, "height": 780},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
GAMES = ("Battleship", "Gomoku", "Battle Navigation")
ROUTES = ROOT / "web" / "src" / "route.ts"
PATHS = {"home": "", "lost": "nowhere"}
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
FAULTS = """async () => {
  const found = await axe.run(document, { resultTypes: ["violations"] });
  return found.violations
    .filter((v) => v.impact === "serious" || v.impact === "critical")
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(" | ")}`);
}"""

HIDDEN_MENU = """() => {
  const menu = document.querySelector(".masthead nav");
  return menu.scrollWidth - menu.clientWidth;
}"""
LARGEST_ICON = """() =>
  Math.max(...[...document.querySelectorAll("svg.icon")].map((icon) => icon.clientWidth))
"""


def pages(page: Any, site: Site) -> Iterator[str]:
    """Every kind of page, one after another."""
    page.goto(site.url)
    expect(page.get_by_text("Recent games")).to_be_visible()
    yield "home"
    page.goto(f"{site.url}/learn")
    expect(page.get_by_role("link", name="All lessons of Gomoku")).to_be_visible()
    yield "lessons"
    page.goto(f"{site.url}/puzzles")
    expect(page.get_by_role("button", name="Today's puzzle of Gomoku")).to_be_visible()
    yield "puzzles"
    page.get_by_role("button", name="Today's puzzle of Gomoku").click()
    expect(page.locator(".puzzle")).to_be_visible()
    yield "a puzzle"
    page.goto(f"{site.url}/puzzles/navigation")
    expect(page.locator(".puzzle-list li").first).to_be_visible()
    yield "puzzles of a game"
    for game in ("battleship", "gomoku", "navigation"):
        page.goto(f"{site.url}/new/{game}")
        expect(page.get_by_role("button", name="Start the game")).to_be_visible()
        yield f"lobby of {game}"
        page.keyboard.press("?")
        expect(page.locator(".rules-sheet h3").first).to_be_visible()
        yield f"rules of {game}"
        page.goto(f"{site.url}/learn/{game}")
        expect(page.get_by_role("button", name=re.compile("^Start")).first).to_be_visible()
        yield f"lessons of {game}"
    page.goto(f"{site.url}/learn/navigation")
    page.get_by_role("button", name="Start Broadside").click()
    expect(page.locator(".lesson")).to_be_visible()
    yield "a lesson"
    yield from menus_of_the_lobby(page, site)
    yield from invitations(page, site)
    yield from games(page, site)
    page.goto(f"{site.url}/maps")
    expect(page.get_by_text("This map is valid.")).to_be_visible()
    yield "map editor"
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Delete My map").click()
    yield "a saved map"
    yield from replays(page, site)
    for place in ("nowhere", "room/zzzzzzzzzzzz", "replay/zzzzzzzzzzzz", "new/chess"):
        page.goto(f"{site.url}/{place}")
        expect(page.get_by_role("link", name="Back to the home page")).to_be_visible()
        yield f"what is not at {place}"


def menus_of_the_lobby(page: Any, site: Site) -> Iterator[str]:
    """What the lobby shows in its other modes, and behind its fold."""
    for mode in ("friend", "hotseat", "watch", "alone"):
        page.goto(f"{site.url}/new/battleship?mode={mode}")
        expect(page.get_by_role("radiogroup", name="Mode")).to_be_visible()
        yield f"lobby, {mode}"
    page.goto(f"{site.url}/new/gomoku")
    page.get_by_text("Other agents, with their options").click()
    expect(page.locator("details .agent-picker select").first).to_be_visible()
    yield "other agents"


def invitations(page: Any, site: Site) -> Iterator[str]:
    """A room that waits, as its host and as a guest see it."""
    page.goto(f"{site.url}/new/gomoku?mode=friend")
    page.get_by_role("button", name="Open the room").click()
    expect(page.get_by_text("Only this computer can open the link now.")).to_be_visible()
    yield "an invitation"
    page.evaluate("localStorage.removeItem('trireme.tokens')")
    page.reload()
    expect(page.get_by_role("button", name="Join as white")).to_be_visible()
    yield "an invitation, for the guest"


def games(page: Any, site: Site) -> Iterator[str]:
    """Every game at play, with what can be opened beside it, and the end."""
    for game in GAMES:
        page.goto(site.url)
        page.get_by_role("button", name=f"Play {game} against the computer").click()
        expect(status(page)).to_have_text("Your turn")
        yield game
        if game == "Battleship":
            hide_fleet(page)
            page.get_by_role("button", name="Heatmap").click()
            expect(page.locator(".heat-slot")).to_be_visible()
        elif game == "Gomoku":
            page.get_by_role("button", name="Hints").click()
            expect(page.locator(".hint").first).to_be_visible(timeout=90_000)
        else:
            page.get_by_label("Guess the enemy’s plan").check()
        page.get_by_role("button", name="Continue on another device").click()
        expect(page.get_by_label("Private link")).to_be_visible()
        yield f"{game} with help"
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("button", name="Really resign?").click()
        expect(page.get_by_role("link", name="Review")).to_be_visible()
        yield f"{game} lost"
    page.goto(f"{site.url}/new/battleship")
    choose(page, "Mode", "Same screen")
    start(page)
    hide_fleet(page)
    expect(page.get_by_role("button", name="I am the second player")).to_be_visible()
    yield "the curtain"


def replays(page: Any, site: Site) -> Iterator[str]:
    """A finished game, its replay with analysis and review, and the list of replays."""
    room = play_on_one_screen(page, site.url)
    yield "end of a game"
    page.goto(f"{site.url}/replay/{room}?turn=4")
    expect(page.get_by_role("button", name="Step back")).to_be_enabled()
    yield "replay"
    page.get_by_role("button", name="Analysis").click()
    expect(page.locator(".hint").first).to_be_visible(timeout=90_000)
    yield "analysis"
    page.get_by_role("button", name="Review").click()
    expect(page.get_by_role("heading", name="Moments that mattered")).to_be_visible(timeout=90_000)
    yield "review"
    page.goto(f"{site.url}/replay")
    expect(page.get_by_role("heading", name="Games on this server")).to_be_visible()
    yield "import"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_accessibility_fault(site: Site, visit: Visit, scheme: str) -> None:
    page = visit(site.url, color_scheme=scheme, reduced_motion="reduce")
    faults, seen = {}, set()
    for name in pages(page, site):
        seen.add(page.evaluate("location.pathname").split("/")[1])
        page.evaluate(AXE.read_text(encoding="utf-8"))  # a script tag is against the policy
        if found := page.evaluate(FAULTS):
            faults[name] = found
    assert faults == {}
    listed = ROUTES.read_text(encoding="utf-8").partition("export type Route =")[2]
    routes = re.findall(r'\{ page: "(\w+)"', listed.partition("\n\n")[0])
    assert len(routes) > 7
    assert {PATHS.get(route, route) for route in routes} == seen, "a page that was not looked at"


@pytest.mark.parametrize("width", [320, 390])
def test_every_page_fits_on_a_phone(site: Site, visit: Visit, width: int) -> None:
    phone = {**PHONE, "has_touch": False, "viewport": {"width": width, "height": 780}}
    page = visit(site.url, reduced_motion="reduce", **phone)
    for name in pages(page, site):
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is {wide} pixels wide"
        assert page.evaluate(HIDDEN_MENU) <= 0, f"{name} does not show its whole menu"
        assert page.evaluate(LARGEST_ICON) <= 64, f"{name} has an icon without a size"


@pytest.mark.parametrize(
    "place", ["room/zzzzzzzzzzzz", "replay/zzzzzzzzzzzz", "new/chess", "x/y", "%E0%A4%A"]
)
def test_there_is_a_way_back_from_what_is_not_there(site: Site, visit: Visit, place: str) -> None:
    page = visit(f"{site.url}/{place}")
    page.get_by_role("link", name="Back to the home page").click()
    expect(page.get_by_role("heading", name="Three games worth thinking about")).to_be_visible()


def test_on_a_phone_a_first_tap_aims_and_a_second_plays(site: Site, visit: Visit) -> None:
    page = visit(site.url, **PHONE)
    page.get_by_role("button", name="Play Gomoku against the computer").tap()
    point = page.get_by_role("gridcell", name="h8", exact=True)
    point.tap()
    expect(page.locator(".aim")).to_have_count(1)
    point.tap()
    expect(page.get_by_role("gridcell", name="h8 black")).to_be_visible()


def reach(page: Any, wanted: str) -> None:
    """Press Tab until the focus is on an element that matches."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches({wanted!r})"):
            return
    raise AssertionError(f"{wanted} can't be reached by keyboard")


def test_gomoku_by_keyboard_alone(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    expect(page.get_by_text("Recent games")).to_be_visible()
    reach(page, ".game-card:nth-child(2) .button.primary")
    page.keyboard.press("Enter")
    expect(status(page)).to_have_text("Your turn")
    reach(page, "[role=gridcell]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("gridcell", name="i8 black")).to_be_visible()
    expect(page.get_by_role("log")).to_contain_text("i8")


def test_navigation_by_keyboard_alone(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    expect(page.get_by_text("Recent games")).to_be_visible()
    reach(page, ".game-card:nth-child(3) .button.primary")
    page.keyboard.press("Enter")
    expect(status(page)).to_have_text("Your turn")
    reach(page, ".phase button")
    for key in ("w", "e", "2", "a", "q"):
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="Phase 1, move: forward")).to_be_visible()
    expect(page.get_by_role("button", name="Phase 1, starboard: 1 shot")).to_be_visible()
    expect(page.get_by_role("button", name="Phase 2, move: turn left")).to_be_visible()
    reach(page, ".plan-panel .button.primary")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Skip")).to_be_visible()


def test_the_first_load_is_small() -> None:
    build_client()
    static = ROOT / "src" / "trireme" / "server" / "static"
    html = (static / "index.html").read_text()
    first = [static / "index.html", *(static / p for p in re.findall(r'"/(assets/[^"]+)"', html))]
    assert len(first) > 2
    first += static.glob("assets/*.woff2")
    assert sum(len(gzip.compress(file.read_bytes())) for file in first) < 100_000


def npm(*arguments: str) -> subprocess.CompletedProcess[str]:
    build_client()
    binary = ROOT / "web" / "node_modules" / ".bin" / arguments[0]
    return subprocess.run(
        [binary, *arguments[1:]], cwd=ROOT / "web", capture_output=True, text=True, check=False
    )


def test_the_client_is_typed_strictly() -> None:
    checked = npm("tsc", "--noEmit")
    assert checked.returncode == 0, checked.stdout


def test_the_pure_parts_of_the_client() -> None:
    ran = npm("vitest", "run")
    assert ran.returncode == 0, ran.stdout


def test_the_types_of_messages_are_the_servers(capsys: pytest.CaptureFixture[str]) -> None:
    schema.main()
    generated = subprocess.run(
        ["node", ROOT / "web" / "scripts" / "types.mjs"],
        input=capsys.readouterr().out,
        capture_output=True,
        text=True,
        check=True,
    )
    written = (ROOT / "web" / "src" / "wire.ts").read_text()
    assert _without_comments(generated.stdout) == _without_comments(written)


def _without_comments(types: str) -> str:
    return re.sub(r"\s*/\*\*.*?\*/", "", types, flags=re.DOTALL)
