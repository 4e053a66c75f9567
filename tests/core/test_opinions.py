"""Second opinions: all who can speak are heard, and the silent ones say why."""

import pytest

from trireme.core.errors import BadSpec
from trireme.core.opinions import Opinion, heard


def silent() -> Opinion:
    raise BadSpec("not installed")


def test_a_silent_voice_withholds_nothing_of_the_others() -> None:
    told = heard({"one": lambda: {"value": 1}, "two": silent})
    assert told == {"opinions": {"one": {"value": 1}}, "unavailable": {"two": "not installed"}}


def test_a_fault_in_a_program_is_no_silence() -> None:
    def broken() -> Opinion:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        heard({"one": broken})
