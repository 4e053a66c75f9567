"""What keeps tests of training cheap."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _speed_is_measured_in_a_moment() -> Iterator[None]:
    """A run of `gomoku-zero` measures its network whenever it is saved, for one batch here."""
    from trireme.training import gomoku_zero

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gomoku_zero, "MEASURED_SECONDS", 0.0)
        yield
