"""The live page of a match in a real browser: standings, filters, and a game move by move."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from trireme import make_game
from trireme.arena import Match, entrants, run_match, start
from trireme.arena.live import LiveServer


def test_a_match_is_watched_filtered_and_replayed(
    visit: Callable[..., Any], tmp_path: Path
) -> None:
    game = make_game("gomoku", size=7)
    folder = start(Match(game, entrants(game, ["random", "heuristic"]), games=6), tmp_path / "run")
    done = run_match(folder, executor="serial")
    with LiveServer(folder, done) as server:
        page = visit(server.address)
        expect(page.locator("#progress")).to_have_text("6 of 6 games")
        expect(page.locator("#report")).to_contain_text("Cross table")
        expect(page.locator("#games tr")).to_have_count(6)
        late: list[Any] = []
        page.route("**/games.json?agent=random&result=any*", lambda route: late.append(route))
        page.select_option("#agent", "random")
        page.select_option("#result", "won")
        won = sum(done.outcomes[f.number].returns[f.seats.index(0)] > 0 for f in done.fixtures)
        expect(page.locator("#games tr")).to_have_count(won)
        with page.expect_response("**/games.json?agent=random&result=any*"):
            late[0].continue_()
        page.wait_for_timeout(100)
        expect(page.locator("#games tr")).to_have_count(won)  # not what was asked for before
        page.unroute("**/games.json?agent=random&result=any*")
        page.select_option("#result", "any")
        page.route("**/game.json?number=0", lambda route: late.append(route))
        page.locator("#games tr").last.click()
        page.locator("#games tr").first.click()
        expect(page.locator("#viewed")).to_contain_text("Game 5:")
        with page.expect_response("**/game.json?number=0"):
            late[1].continue_()
        page.wait_for_timeout(100)
        expect(page.locator("#viewed")).to_contain_text("Game 5:")
        page.unroute("**/game.json?number=0")
        page.locator("#games tr").last.click()
        expect(page.locator("#viewed")).to_contain_text("Game 0: random – heuristic")
        first = page.locator("#board").inner_text()
        page.click("#last")
        moves = done.outcomes[0].moves
        expect(page.locator("#move")).to_have_text(f"move {moves} of {moves}")
        assert page.locator("#board").inner_text() != first
        page.click("#back")
        expect(page.locator("#move")).to_have_text(f"move {moves - 1} of {moves}")
        expect(page.locator("#moves tr")).to_have_count(moves)
