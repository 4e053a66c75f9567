"""Stages the pages under build/manual and lets Zensical make the site of them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from . import cli_reference, protocol_reference

ROOT = Path(__file__).resolve().parents[2]
STAGE = ROOT / "build" / "manual"
SITE = ROOT / "src" / "trireme" / "server" / "manual"
SOURCE = "https://github.com/trireme-lab/trireme/blob/main"
TOP_PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
"""Pages at the root of the repository, where people expect them, and their names in the manual."""
FETCHING = re.compile(
    r"""<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//[^>]*>"""
)
LINK = re.compile(r"(\]\()(?![a-z]+:|#|/)([^)\s#]+)")


def stage() -> None:
    """Write every page of the site into STAGE: ours, those of the root, and generated ones."""
    shutil.rmtree(STAGE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", STAGE)
    for page in STAGE.rglob("*.md"):
        _rewrite(page, ROOT / "docs" / page.relative_to(STAGE))
    for name, target in TOP_PAGES.items():
        shutil.copy(ROOT / name, STAGE / target)
        _rewrite(STAGE / target, ROOT / name)
    shutil.copy(ROOT / "web" / "public" / "favicon.svg", STAGE / "assets" / "emblem.svg")
    for name, text in generated().items():
        (STAGE / name).write_text(text, "utf-8")


def generated() -> dict[str, str]:
    """The text of the pages that are made from the code, by name."""
    protocol = (ROOT / "docs" / "web-protocol.md").read_text("utf-8")
    meanings = protocol_reference.code_meanings(protocol)
    return {
        "reference/cli.md": cli_reference.markdown(),
        "reference/protocol.md": protocol_reference.markdown(meanings),
    }


def _rewrite(page: Path, origin: Path) -> None:
    """Point links that leave the manual, such as `../src/…`, to the source on the web."""

    def moved(match: re.Match[str]) -> str:
        target = (origin.parent / match[2]).resolve()
        inside = target.is_relative_to(ROOT / "docs")
        if inside and origin.is_relative_to(ROOT / "docs"):
            return match[0]
        path = target.relative_to(ROOT).as_posix()
        if path in TOP_PAGES or inside:
            return match[1] + TOP_PAGES.get(path, path.removeprefix("docs/"))
        if not target.exists():
            raise SystemExit(f"{origin.relative_to(ROOT)}: there is no {match[2]}")
        return f"{match[1]}{SOURCE}/{path}"

    page.write_text(LINK.sub(moved, page.read_text("utf-8")), "utf-8")


def foreign_resources(site: Path) -> list[str]:
    """Scripts, styles, fonts and pictures that a page would fetch from another host."""
    return [
        f"{page.relative_to(site)}: {tag}"
        for page in site.rglob("*.html")
        for tag in FETCHING.findall(page.read_text("utf-8"))
    ]


def build() -> int:
    """The status of a strict build: not 0 where anything is doubtful."""
    stage()
    shutil.rmtree(SITE, ignore_errors=True)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    made = subprocess.run(
        command, cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    print(made.stdout)
    doubts = [line for line in made.stdout.splitlines() if line.startswith(("griffe", "WARN"))]
    for foreign in foreign_resources(SITE):
        print(f"fetched from another host: {foreign}")
        doubts.append(foreign)
    return made.returncode or bool(doubts)
