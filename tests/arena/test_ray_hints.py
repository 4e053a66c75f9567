"""Connecting to Ray: what is told where no cluster answers, or where it refuses us."""

import socket
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from trireme.arena.executors import ArenaError
from trireme.arena.executors.ray import connect


class RayError(Exception):
    """Stands for the base of Ray's exceptions."""


class FakeRay(SimpleNamespace):
    """A Ray whose `init` raises what it is given."""

    error: BaseException | None = None
    exceptions = SimpleNamespace(RayError=RayError)

    def is_initialized(self) -> bool:
        return False

    def init(self, **options: Any) -> None:
        self.options = options
        if self.error is not None:
            raise self.error


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    fake = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", fake)
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    return fake


@pytest.fixture
def address() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize(
    "error",
    [
        ConnectionError("Failed to connect to Ray cluster"),
        RuntimeError("Failed to connect to Ray cluster"),
        RayError("Failed to connect to Ray cluster"),
        Exception("The current node timed out during startup"),
    ],
)
def test_a_cluster_that_refuses_names_the_token(
    ray: FakeRay, address: str, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    ray.error = error
    for where, said in (
        (address, f"the Ray cluster at '{address}'"),
        (None, "Ray on this machine"),
    ):
        with pytest.raises(ArenaError) as refused:
            connect(where)
        text = str(refused.value)
        assert text.startswith(f"{said} can't be used: {error}.")
        for word in ("RAY_AUTH_MODE=token", "RAY_AUTH_TOKEN,", "RAY_AUTH_TOKEN_PATH"):
            assert word in text
        assert text.endswith("RAY_AUTH_MODE is disabled here")


def test_nothing_at_the_address_is_no_matter_of_tokens(ray: FakeRay, address: str) -> None:
    host, port = address.split(":")
    with pytest.raises(ArenaError, match=r"no Ray cluster answers at '127\.0\.0\.1:99999'"):
        connect(f"{host}:99999")
    assert not hasattr(ray, "options")
    assert connect(f"{host}:{port}")
    assert ray.options["address"] == address


def test_a_connected_process_stays_as_it_is(ray: FakeRay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeRay, "is_initialized", lambda _: True)
    assert not connect(None)
