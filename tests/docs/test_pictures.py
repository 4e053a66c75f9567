"""The gallery has every picture that `web/screenshots.py` takes, and each one is there."""

from __future__ import annotations

import re

from .blocks import ROOT

SHOTS = (ROOT / "web/screenshots.py").read_text("utf-8")
GALLERY = (ROOT / "docs/gallery.md").read_text("utf-8")
PICTURES = {file.name for file in (ROOT / "docs/screenshots").iterdir()}
LOOKS = [f"{screen}-{look}" for screen in ("desk", "phone") for look in ("light", "dark")]


def taken() -> set[str]:
    """The names of all pictures, with the lobby of every game."""
    names = set(re.findall(r'camera\.take\(f?"([^"]+)"', SHOTS))
    games = re.search(r'for game in \(([^)]+)\):\s+camera\.page\.goto\(f"\{url\}/new', SHOTS)
    assert games is not None
    lobbies = {f"lobby-{game}" for game in re.findall(r'"(\w+)"', games[1])}
    return (names - {"lobby-{game}"}) | lobbies


def test_every_picture_is_taken_in_both_looks_on_both_screens() -> None:
    assert len(taken()) > 20
    assert {f"{name}-{look}.webp" for name in taken() for look in LOOKS} == PICTURES


def test_the_gallery_shows_every_picture_once() -> None:
    shown = re.findall(r"\(screenshots/([^)]+)\)", GALLERY)
    assert sorted(shown) == sorted(PICTURES)
