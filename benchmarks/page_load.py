"""How fast the home page is there: in Chromium, from a server of its own on this machine.

Every visit is a new profile with an empty cache. Times count from the start of the navigation;
`paint` is the first contentful paint, `ready` the moment at which every game can be started and all
lists are filled. `kB` is what went over the wire, compressed. The first visit comes while the
server is still starting.

    python benchmarks/page_load.py --visits 10
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from playwright.sync_api import Browser, sync_playwright

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
MEASURED = """async () => {
  const busy = () => [...document.querySelectorAll("p")].some((p) => p.textContent === "Loading…");
  while (document.querySelectorAll("main button:enabled").length < 3 || busy())
    await new Promise(requestAnimationFrame);
  const ready = performance.now();
  const [page] = performance.getEntriesByType("navigation");
  const painted = () => performance.getEntriesByName("first-contentful-paint")[0];
  while (document.readyState !== "complete" || !painted())
    await new Promise(requestAnimationFrame);
  const parts = performance.getEntriesByType("resource");
  const bytes = parts.reduce((sum, part) => sum + part.transferSize, page.transferSize);
  return { paint: painted().startTime, load: page.loadEventEnd, ready, kB: bytes / 1000 };
}"""


def visit(browser: Browser, url: str) -> dict[str, float]:
    """What one new visitor sees, in milliseconds."""
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    page = context.new_page()
    page.goto(url, wait_until="commit")
    measured: dict[str, float] = page.evaluate(MEASURED)
    context.close()
    return measured


def main(visits: int) -> None:
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        command = [sys.executable, "-m", "trireme", "serve", "--port", "0"]
        command += ["--database", f"sqlite:///{folder}/store.db"]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert server.stderr is not None
        try:
            found = re.search(r"http://\S+", server.stderr.readline())
            assert found is not None
            browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
            seen = [visit(browser, found[0]) for _ in range(visits)]
            browser.close()
        finally:
            server.terminate()
            server.wait()
    show(seen)


def show(seen: list[dict[str, Any]]) -> None:
    print(f"{'':>8} {'first':>8} {'median':>8} {'most':>8}")
    for key in seen[0]:
        values = [one[key] for one in seen]
        told = (values[0], statistics.median(values), max(values))
        print(f"{key:>8} " + " ".join(f"{value:8.0f}" for value in told))
    print(f"load of the machine {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--visits", type=int, default=10)
    main(parser.parse_args().visits)
