"""Pictures of every page, light and dark, on a desk and on a phone, into docs/screenshots.

Start a server first, then: python web/screenshots.py --url http://127.0.0.1:8000
"""

from __future__ import annotations

import argparse
import base64
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

OUT = Path(__file__).parents[1] / "docs" / "screenshots"
DESK = {"viewport": {"width": 1280, "height": 860}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "device_scale_factor": 2}
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--enable-unsafe-swiftshader",
]
WEBP = """async ([png, quality]) => {
  const data = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([data], { type: "image/png" }));
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext("2d").drawImage(image, 0, 0);
  const blob = await canvas.convertToBlob({ type: "image/webp", quality });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}"""

SECOND_PHASE = """() => {
  if (!document.querySelector(".arena-bar")?.textContent.includes("phase 2")) return false;
  window.runOn = requestAnimationFrame;
  requestAnimationFrame = () => 0;  // the playback stands still while the picture is taken
  return true;
}"""

expect.set_options(timeout=90_000)

STATUS = ".status h1"
NAMED = "localStorage['trireme.prefs'] ??= JSON.stringify({ name: 'Ada' })"


class Camera:
    """Takes a picture under a page's name, the look and the screen."""

    def __init__(self, page: Page, suffix: str, quality: float) -> None:
        self.page, self._suffix, self._quality = page, suffix, quality

    def take(self, name: str, showing: str | None = None) -> None:
        """The top of the page, or as far down as the element `showing` needs."""
        self.page.mouse.move(0, 0)
        self.page.evaluate("scrollTo(0, 0)")
        if showing is not None:
            self.page.locator(showing).first.scroll_into_view_if_needed()
        self.page.wait_for_timeout(400)
        png = base64.b64encode(self.page.screenshot()).decode()
        webp = base64.b64decode(self.page.evaluate(WEBP, [png, self._quality]))
        (OUT / f"{name}-{self._suffix}.webp").write_bytes(webp)
        print(f"{name}-{self._suffix}: {len(webp) // 1000} kB")


def quick(page: Page, url: str, game: str) -> None:
    page.goto(url)
    page.get_by_role("button", name=f"Play {game} against the computer").click()
    expect(page.locator(STATUS)).to_have_text("Your turn", timeout=60_000)


def shoot_home(camera: Camera, url: str) -> None:
    camera.page.goto(url)
    expect(camera.page.get_by_text(re.compile("Opponent: ")).first).to_be_visible()
    expect(camera.page.get_by_text("Loading…")).to_have_count(0)
    camera.take("home")


def shoot_lobby(camera: Camera, url: str) -> None:
    for game in ("battleship", "gomoku", "navigation"):
        camera.page.goto(f"{url}/new/{game}")
        expect(camera.page.get_by_role("button", name="Start the game")).to_be_visible()
        expect(camera.page.locator(".lobby-picture svg")).to_be_visible()
        camera.take(f"lobby-{game}")


def shoot_learn(camera: Camera, url: str) -> None:
    page = camera.page
    page.goto(f"{url}/learn")
    page.get_by_role("link", name="All lessons of Gomoku").wait_for()
    camera.take("learn")
    page.goto(f"{url}/learn/navigation")
    page.get_by_role("button", name="Start Broadside").wait_for()
    camera.take("lessons")
    page.get_by_role("button", name="Start Broadside").click()
    page.get_by_role("button", name="Phase 1, move: hold").click()
    page.locator(".ghost .track").wait_for(state="attached")
    camera.take("lesson")
    page.keyboard.press("?")
    page.locator(".rules-sheet h3").first.wait_for()
    camera.take("rules")


def shoot_gomoku(camera: Camera, url: str) -> None:
    page = camera.page
    quick(page, url, "Gomoku")
    page.get_by_role("button", name="Hints").click()
    for stones in range(0, 10, 2):  # before anybody can have won
        best = page.locator(".thought td.mono").first
        best.wait_for()
        page.get_by_role("gridcell", name=best.inner_text(), exact=True).click()
        expect(page.locator(".chart .stone:not(.ghost)")).to_have_count(stones + 2, timeout=60_000)
        expect(page.locator(STATUS)).to_have_text("Your turn", timeout=60_000)
    page.locator(".hint").first.wait_for()
    camera.take("gomoku")


def wait_for_heatmap(page: Page) -> None:
    """A busy machine may refuse the analysis: then it is asked again."""
    while True:
        page.locator(".best-cell, .trouble.note").first.wait_for()
        if page.locator(".best-cell").count():
            return
        for _ in range(2):
            page.get_by_role("button", name="Heatmap").click()


def shoot_battleship(camera: Camera, url: str) -> None:
    page = camera.page
    quick(page, url, "Battleship")
    page.locator(".piece").first.wait_for()
    camera.take("battleship-placing")
    page.get_by_role("button", name="Place the fleet here").click()
    for cell in ("E5", "C3", "G7", "C7", "G3", "E9", "B5", "H5", "I9", "A1", "D8", "F2"):
        expect(page.locator(STATUS)).to_have_text("Your turn", timeout=60_000)
        target = page.get_by_role("gridcell", name=cell, exact=True)
        if target.count():
            target.click()
            expect(target).to_have_count(0)
    expect(page.locator(STATUS)).to_have_text("Your turn", timeout=60_000)
    page.get_by_role("button", name="Heatmap").click()
    wait_for_heatmap(page)
    camera.take("battleship", showing=".heat-slot .chart")


def plan(page: Page) -> None:
    for name in (
        "Phase 1, move: hold",
        "Phase 2, move: hold",
        "Phase 2, move: forward",
        "Phase 3, starboard: nothing",
        "Phase 3, move: hold",
        "Phase 4, move: hold",
        "Phase 4, port: nothing",
    ):
        page.get_by_role("button", name=name).click()


def shoot_navigation(camera: Camera, url: str) -> None:
    page = camera.page
    quick(page, url, "Battle Navigation")
    plan(page)
    page.locator(".ghost .track").wait_for(state="attached")
    camera.take("navigation-planning")
    page.get_by_role("button", name="Lock in").click()
    page.wait_for_function(SECOND_PHASE, timeout=60_000)
    camera.take("navigation-playback")
    expect(page.locator(STATUS)).to_have_text("Playing the turn")
    page.evaluate("void (window.requestAnimationFrame = window.runOn)")
    page.get_by_role("button", name="Skip").click()
    expect(page.get_by_role("button", name="Lock in")).to_be_enabled()
    plan(page)
    page.get_by_role("button", name="3D").click()
    page.locator("canvas").wait_for()
    page.wait_for_timeout(1500)
    camera.take("navigation-3d")
    page.get_by_role("button", name="3D").click()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    page.get_by_role("button", name="Rematch").wait_for()
    camera.take("navigation-end")


def shoot_editor(camera: Camera, url: str) -> None:
    camera.page.goto(f"{url}/maps")
    camera.page.get_by_role("button", name="The Three Lanes").click()
    expect(camera.page.get_by_text("This map is valid.")).to_be_visible()
    camera.take("map-editor")


def shoot_replay(camera: Camera, url: str) -> None:
    page = camera.page
    page.goto(f"{url}/new/gomoku")
    page.get_by_role("radio", name="Watch").click()
    page.get_by_label("Second agent").select_option("heuristic")
    page.get_by_role("radio", name="Quick").click()
    page.get_by_role("button", name="Watch", exact=True).click()
    expect(page.locator(STATUS)).to_have_text(re.compile("won|Drawn"), timeout=120_000)
    page.get_by_role("link", name="Replay and analysis").click()
    page.get_by_role("button", name="Step back").click()
    page.get_by_role("button", name="Step back").click()
    page.get_by_role("button", name="Step back").click()
    page.get_by_role("button", name="Analysis").click()
    page.locator(".hint").first.wait_for(timeout=60_000)
    camera.take("replay")
    page.get_by_role("button", name="Analysis").click()
    page.get_by_role("button", name="Review").click()
    page.get_by_role("heading", name="Moments that mattered").wait_for(timeout=120_000)
    camera.take("review")
    page.goto(f"{url}/replay")
    page.get_by_role("link", name=re.compile("^Replay Gomoku")).first.wait_for()
    camera.take("replays")


def shoot_invitation(camera: Camera, url: str) -> None:
    page = camera.page
    page.goto(f"{url}/new/gomoku?mode=friend")
    page.get_by_role("button", name="Open the room").click()
    page.get_by_text("Only this computer can open the link now.").wait_for()
    camera.take("invitation")


def shoot_puzzles(camera: Camera, url: str) -> None:
    page = camera.page
    page.goto(f"{url}/puzzles")
    page.get_by_role("button", name="Today's puzzle of Gomoku").wait_for()
    camera.take("puzzles")
    page.get_by_role("button", name="Today's puzzle of Gomoku").click()
    expect(page.locator(STATUS)).to_have_text("Your turn", timeout=60_000)
    camera.take("puzzle")


SHOTS: dict[str, Callable[[Camera, str], None]] = {
    "lobby": shoot_lobby,
    "learn": shoot_learn,
    "gomoku": shoot_gomoku,
    "battleship": shoot_battleship,
    "navigation": shoot_navigation,
    "editor": shoot_editor,
    "replay": shoot_replay,
    "puzzles": shoot_puzzles,
    "invitation": shoot_invitation,
    "home": shoot_home,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--only", nargs="*", choices=SHOTS, default=list(SHOTS))
    parser.add_argument("--looks", nargs="*", default=["light", "dark"])
    parser.add_argument("--screens", nargs="*", default=["desk", "phone"])
    chosen = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    binary = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=ARGUMENTS)
        for screen in chosen.screens:
            for look in chosen.looks:
                options: dict[str, Any] = DESK if screen == "desk" else PHONE
                page = browser.new_page(color_scheme=look, **options)
                page.set_default_timeout(60_000)
                page.add_init_script(NAMED)
                camera = Camera(page, f"{screen}-{look}", 0.82 if screen == "desk" else 0.6)
                for name in chosen.only:
                    SHOTS[name](camera, chosen.url)
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
