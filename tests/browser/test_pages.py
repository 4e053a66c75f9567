"""Maps from editor to game, replays by link and by file, the third dimension, hints, drafts."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

import trireme
from trireme.core.transcript import append_transcript, transcript_path
from trireme.llm.scripted import ScriptedEndpoint

from .hands import (
    OVER,
    ask_for_heatmap,
    ask_for_hints,
    box_of,
    hide_fleet,
    lock_in,
    pick_agent,
    place,
    play_on_one_screen,
    start,
    status,
)
from .site import Site

Visit = Callable[..., Any]

COLOURS = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(image.width, image.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const pixels = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  return new Set(pixels).size;
}"""


def draw_narrow_sea(page: Any) -> None:
    """A map on which two ships lie side by side, with rocks wherever they could go."""
    page.get_by_label("Name").fill("The Narrows")
    page.get_by_label("Width").fill("5")
    page.get_by_label("Height").fill("5")
    page.get_by_label("Height").blur()
    expect(page.get_by_role("gridcell")).to_have_count(25)  # the larger map has an e5, too
    page.get_by_label("Symmetric").uncheck()
    page.get_by_role("radio", name="Large rock").click()
    page.get_by_role("gridcell", name=re.compile("^e5 ")).click()  # where the second ship was put
    expect(page.get_by_text("is blocked by").first).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    page.get_by_role("button", name="Undo").click()
    for tool, tile in (("First ship", "c2"), ("Second ship", "c3")):
        page.get_by_role("radio", name=tool).click()
        page.get_by_role("gridcell", name=re.compile(f"^{tile} ")).click()
    page.get_by_role("radio", name="Large rock").click()
    for tile in ("b1", "c1", "d1", "b2", "d2", "b3", "d3", "b4", "c4", "d4"):
        page.get_by_role("gridcell", name=re.compile(f"^{tile} ")).click()
    expect(page.get_by_text("This map is valid.")).to_be_visible()


def test_a_map_is_drawn_saved_chosen_and_played(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/maps")
    draw_narrow_sea(page)
    page.get_by_role("button", name="Save").click()
    page.goto(f"{site.url}/new/navigation")
    page.get_by_role("combobox", name=re.compile("^Map")).select_option(label="The Narrows")
    pick_agent(page, "random")
    expect(page.locator(".lobby-picture .rock")).to_have_count(10)
    start(page)
    for words in ("nothing", "1 shot", "2 shots"):
        page.get_by_role("button", name=f"Phase 1, starboard: {words}").click()
    lock_in(page)
    expect(status(page)).to_have_text(OVER)


def test_a_map_is_exported_and_imported(site: Site, visit: Visit, tmp_path: Path) -> None:
    page = visit(f"{site.url}/maps")
    draw_narrow_sea(page)
    with page.expect_download() as coming:
        page.get_by_role("button", name="Export").click()
    file = tmp_path / coming.value.suggested_filename
    coming.value.save_as(file)
    page.get_by_role("button", name="Empty map").click()
    expect(page.locator(".chart .rock")).to_have_count(0)
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(".chart .rock")).to_have_count(10)
    expect(page.get_by_label("Name")).to_have_value("The Narrows")


def test_a_link_leads_to_a_position(site: Site, visit: Visit) -> None:
    room = play_on_one_screen(visit(site.url), site.url)
    page = visit(f"{site.url}/replay/{room}?turn=4")
    stones = page.locator(".chart .stone")
    expect(stones).to_have_count(4)
    page.get_by_role("button", name="Step forward").click()
    expect(stones).to_have_count(5)
    expect(page).to_have_url(re.compile(r"turn=5$"))
    page.get_by_role("button", name="To the end").click()
    expect(stones).to_have_count(9)
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("ArrowLeft")
    expect(stones).to_have_count(8)
    page.get_by_role("button", name="To the start").click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(stones).to_have_count(9)


def test_a_record_is_exported_and_imported(site: Site, visit: Visit, tmp_path: Path) -> None:
    page = visit(site.url)
    room = play_on_one_screen(page, site.url)
    page.goto(f"{site.url}/replay/{room}")
    with page.expect_download() as coming:
        page.get_by_role("button", name="Record").click()
    file = tmp_path / "game.jsonl"
    coming.value.save_as(file)
    page.goto(f"{site.url}/replay")
    page.get_by_label("Or paste its text").fill("this is no record")
    page.get_by_role("button", name="Open the replay").click()
    expect(page.get_by_text("line 1")).to_be_visible()
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="To the end").click()
    expect(page.locator(".chart .stone")).to_have_count(9)


def test_a_replay_shows_what_a_language_model_said(
    site: Site, visit: Visit, tmp_path: Path
) -> None:
    attack = "<img src=x onerror=document.title='taken'>"
    with ScriptedEndpoint(lambda _: f'Well {attack} {{"action": "c3"}}') as endpoint:
        model = f"llm:model=script,provider=compatible,url={endpoint.url},retries=0"
        game = trireme.play("gomoku:size=5", [model, "random"], seed=1)
    record = tmp_path / "game.jsonl"
    game.record.save(record)
    append_transcript(record, game.exchanges)
    page = visit(f"{site.url}/replay")
    chooser = page.locator("input[type=file]")
    chooser.set_input_files(transcript_path(record))
    expect(page.get_by_text("choose the record of its game as well")).to_be_visible()
    chooser.set_input_files([record, transcript_path(record)])
    said = page.get_by_role("region", name="What it said")
    expect(said.get_by_text("Nothing about this move.")).to_be_visible()
    page.get_by_role("button", name="Step forward").click()
    expect(said.get_by_text(f'Well {attack} {{"action": "c3"}}')).to_be_visible()
    expect(said.get_by_text("(script): ")).to_be_visible()
    page.get_by_role("button", name="To the end").click()
    expect(said.get_by_text("has a stone already")).to_be_visible()
    assert page.title() != "taken"


def test_the_sea_is_drawn_in_three_dimensions(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    page.get_by_role("button", name="Play Battle Navigation against the computer").click()
    page.get_by_role("button", name="3D").click()
    canvas = page.locator(".stage canvas")
    expect(canvas).to_be_visible()
    page.wait_for_function("document.querySelector('.stage canvas').width > 300")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    png = base64.b64encode(canvas.screenshot()).decode()
    assert page.evaluate(COLOURS, png) > 1000
    page.get_by_role("button", name="Phase 1, move: hold").click()
    lock_in(page)
    expect(canvas).to_be_visible()
    page.get_by_role("button", name="3D").click()
    expect(canvas).to_have_count(0)


def test_a_plan_shows_its_ghost_and_is_kept_as_a_draft(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    page.get_by_role("button", name="Play Battle Navigation against the computer").click()
    page.get_by_role("button", name="Phase 1, move: hold").click()
    page.get_by_role("button", name="Phase 2, move: hold").click()
    expect(page.locator(".ghost .track")).to_have_count(1)
    expect(page.locator(".ghost .phase-tag")).to_have_count(4)
    page.get_by_label("Guess the enemy").check()
    expect(page.locator(".planner")).to_have_count(2)
    page.reload()
    expect(page.get_by_role("button", name="Phase 2, move: forward")).to_be_visible()


def test_ships_are_dragged_turned_and_refused_where_they_touch(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    page.get_by_role("button", name="Play Battleship against the computer").click()
    ships = page.locator(".piece")
    expect(ships).to_have_count(5)
    carrier = page.get_by_role("button", name=re.compile("^carrier"))
    carrier.focus()
    for _ in range(10):
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowLeft")
    box = box_of(page.locator(".pieces"))
    battleship = page.get_by_role("button", name=re.compile("^battleship"))
    battleship.hover()
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] + 20, steps=5)
    page.mouse.up()
    expect(page.get_by_text(re.compile("overlap|touch")).first).to_be_visible()
    expect(page.get_by_role("button", name="Place the fleet here")).to_be_disabled()
    page.get_by_role("button", name="Random").click()
    hide_fleet(page)
    expect(page.get_by_role("heading", name="Your board")).to_be_visible()


def test_hints_show_values_and_an_evaluation(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku")
    ask_for_hints(page)
    expect(page.locator(".hint").first).to_be_visible(timeout=90_000)
    expect(page.get_by_role("meter", name=re.compile("Evaluation"))).to_be_visible()


def test_the_heatmap_stands_beside_the_hidden_waters(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/battleship")
    ask_for_heatmap(page, board="6")
    best = page.get_by_role("img", name=re.compile("most likely")).get_attribute("aria-label")
    page.get_by_role("gridcell", name=best.split()[-1], exact=True).click()
    expect(page.locator(".curve .line")).to_have_attribute("d", re.compile("L"))


def test_the_board_does_not_move_while_the_game_goes_on(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku")
    pick_agent(page, "random")
    start(page)
    expect(status(page)).to_have_text("Your turn")
    board = box_of(page.locator(".chart"))
    log = box_of(page.locator(".log"))
    for point in ("h8", "i9", "g3"):
        if page.get_by_role("gridcell", name=point, exact=True).count():
            place(page, point)
            expect(status(page)).to_have_text("Your turn")
        assert box_of(page.locator(".chart")) == board
        assert box_of(page.locator(".log")) == log
