"""Second opinions: every evaluator that can answer does, and the others say why they can't."""

import pytest

from trireme.core.errors import BadSpec
from trireme.core.opinions import Opinion, gather_opinions


def not_installed() -> Opinion:
    raise BadSpec("not installed")


def test_an_evaluator_without_an_answer_withholds_nothing_of_the_others() -> None:
    found = gather_opinions({"one": lambda: {"value": 1}, "two": not_installed})
    assert found == {"opinions": {"one": {"value": 1}}, "unavailable": {"two": "not installed"}}


def test_a_bug_in_an_evaluator_is_raised() -> None:
    def broken() -> Opinion:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        gather_opinions({"one": broken})
