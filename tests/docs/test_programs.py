"""The protocol of programs as the manual shows it: the very conversation, and pieces of scenes."""

import json
from typing import Any, ClassVar

import msgspec
import pytest
from numpy.random import default_rng

from trireme import make_game
from trireme.core import external_agent
from trireme.core.process_agent import ProcessAgent, announcement
from trireme.core.session import Session
from trireme.core.simulation import Simulator

from .blocks import ROOT, blocks_of

SHOWN = [json.loads(b.text) for b in blocks_of(ROOT / "docs" / "agents.md") if b.language == "json"]
BYE = next(at for at, block in enumerate(SHOWN) if block.get("type") == "bye")


class Scripted:
    """A program that says what the manual says, and keeps what it is sent."""

    sent: ClassVar[list[Any]] = []
    answers: ClassVar[list[Any]] = []

    def __init__(self, command: list[str]) -> None: ...

    def send(self, line: bytes, seconds: float = 0.0) -> None:
        assert b'": ' not in line
        self.sent.append(json.loads(line))

    def receive(self, seconds: float) -> bytes:
        return json.dumps(self.answers.pop(0)).encode()

    def end(self, goodbye: bytes) -> None:
        self.send(goodbye)

    def take_stderr(self) -> str:
        return ""


def test_the_conversation_of_the_manual_takes_place(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = SHOWN[: BYE + 1]
    monkeypatch.setattr(external_agent, "LineProcess", Scripted)
    monkeypatch.setattr(Scripted, "sent", [])
    monkeypatch.setattr(Scripted, "answers", [said for said in talk if "type" not in said])
    game = make_game("gomoku", size=5, position="a1a2b1b2c1c2d1d2")
    agent = ProcessAgent("program")
    agent.prepare(game)
    assert agent.act(Session(game, ["a", "b"], seed=1).turn(0, 1.0)) == game.read("e1")
    assert agent.note == "five in a row"
    agent.prepare(make_game("battleship", rows=5, cols=5))
    agent.close()
    assert Scripted.sent == [told for told in talk if "type" in told]
    assert Scripted.answers == []


def test_the_supposed_fleet_of_the_manual_can_be_simulated() -> None:
    (shown,) = [block for block in SHOWN[BYE:] if "simulate" in block]
    game = make_game("battleship", rows=5, cols=5)
    (outcome,) = Simulator(game, None, default_rng(0), float("inf")).answer(shown["simulate"])
    assert [shot["result"] for shot in outcome["state"]["seas"][0]["shots"]] == ["miss", "hit"]


def test_the_scene_of_the_manual_is_part_of_the_real_one() -> None:
    (shown,) = [block for block in SHOWN[BYE:] if "map" in block]
    told = announcement("hello", make_game("navigation"))["scene"]
    real = msgspec.json.decode(msgspec.json.encode(told))
    for key, value in shown["map"].items():
        if isinstance(value, list):
            assert all(piece in real["map"][key] for piece in value)
        else:
            assert real["map"][key] == value
    assert shown["ships"] == real["ships"][:1]
