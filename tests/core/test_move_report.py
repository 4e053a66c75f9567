"""What agents report of their moves: bounded, rounded, and never a reason to fail."""

from dataclasses import dataclass
from typing import Any

import pytest

from trireme.core.move_report import MOST_NOTE, MoveReport, read_report, report_fields


@dataclass
class Says:
    value: Any = None
    note: Any = None


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (0.25, 0.25), (-0.25, -0.25), (1, 1.0), (0, 0.0), (7.0, 1.0), (-7.0, -1.0),
        (None, None), (True, None), (False, None), ("1", None), (float("nan"), None),
        (float("inf"), None), (float("-inf"), None), (10**400, None),
    ],
)  # fmt: skip
def test_a_value_lies_between_lost_and_won(value: Any, kept: float | None) -> None:
    assert read_report(Says(value), 2.0) == MoveReport(2.0, kept)


@pytest.mark.parametrize(
    ("note", "kept"),
    [
        ("hm", "hm"),
        ("x" * MOST_NOTE, "x" * MOST_NOTE),
        ("x" * (MOST_NOTE + 1), "x" * (MOST_NOTE - 1) + "…"),
        ("a\ud800b", "a?b"),
        (None, ""),
        (5, ""),
        (b"x", ""),
        (type("Text", (str,), {})("x"), ""),
    ],
)
def test_a_note_is_text_of_bounded_length(note: Any, kept: str) -> None:
    assert read_report(Says(note=note), 2.0) == MoveReport(2.0, None, kept)


class Fails:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    @property
    def value(self) -> float:
        raise self.error


def test_attributes_that_fail_say_nothing_but_an_interrupt_is_passed_on() -> None:
    for error in (ValueError(), SystemExit()):
        assert read_report(Fails(error), 2.0) == MoveReport(2.0)
    with pytest.raises(KeyboardInterrupt):
        read_report(Fails(KeyboardInterrupt()), 2.0)
    assert read_report(object(), 2.0) == MoveReport(2.0)


def test_fields_are_rounded_and_leave_out_what_was_not_said() -> None:
    reports = {1: MoveReport(0.12345678), 0: MoveReport(0.5, 0.123456, "hm")}
    assert report_fields(reports) == {
        "seconds": {"0": 0.5, "1": 0.123457},
        "values": {"0": 0.1235},
        "notes": {"0": "hm"},
    }
    assert list(report_fields(reports)["seconds"]) == ["0", "1"]
    assert report_fields({}) == {}
