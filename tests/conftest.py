"""Settings, servers and the temporary folder that all tests share."""

import gc
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings

# A kernel's first call compiles, which no deadline should punish; the examples are the same on
# every run, so that a red test stays red until its cause is mended.
settings.register_profile(
    "trireme", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fast", settings.get_profile("trireme"), max_examples=30)


TEMPORARY = pytest.StashKey[tuple[Path, set[str]]]()


def pytest_configure(config: pytest.Config) -> None:
    """Give the session, its workers and all their child processes one temporary folder.

    Its path is short, because sockets of Ray and Chromium lie in it and may not exceed some
    hundred characters. Without the slow tests, properties are tried on fewer examples.
    """
    gc.disable()  # until all is collected: what is imported stays, and is many objects
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        # Small matrices gain nothing by threads, which wait for the next one in a busy loop.
        os.environ.setdefault(variable, "1")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Started in the background of a script: programs under test would ignore Ctrl-C as well.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.load_profile("fast" if config.option.markexpr == "not slow" else "trireme")
    tempfile.tempdir = None  # read the variables again
    if hasattr(config, "workerinput"):
        return
    system = Path(tempfile.gettempdir())
    before = set(os.listdir(system))
    private = tempfile.mkdtemp(prefix="tr-")
    os.chmod(private, 0o711)  # the database's own user must reach its folder in it
    for variable in ("TMPDIR", "TEMP", "TMP"):
        os.environ[variable] = private
    tempfile.tempdir = None
    config.stash[TEMPORARY] = Path(private), before


def pytest_collection_finish() -> None:
    """Collect garbage again, but do not look for it among modules and tests, time and again."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder, and see that nothing was left beside it."""
    if TEMPORARY not in config.stash:
        return
    private, before = config.stash[TEMPORARY]
    shutil.rmtree(private, ignore_errors=True)
    left = sorted(set(os.listdir(private.parent)) - before)
    if private.exists() or (left and os.environ.get("CI")):
        # Elsewhere other programs use the system's folder at the same time.
        pytest.exit(f"tests left something in {private.parent}: {left}", returncode=1)


@pytest.fixture(scope="session", autouse=True)
def _commands_are_built_once() -> Iterator[None]:
    """Typer builds all commands of an app whenever one is called, which takes some 50 ms."""
    import typer.main
    import typer.testing

    build = cache(typer.main.get_command)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", build)
        patch.setattr(typer.testing, "_get_command", build)
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a real PostgreSQL server: that of TRIREME_TEST_POSTGRES, else one that is started
    for these tests and stopped after them."""
    if given := os.environ.get("TRIREME_TEST_POSTGRES"):
        yield given
        return
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("PostgreSQL's server is not installed (Debian: apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="trireme-postgres-"))
    as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_postgres:
        shutil.chown(folder, "postgres", "postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def run(program: str, *arguments: str) -> None:
        command = [*as_postgres, str(found[-1].with_name(program)), *arguments]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)

    data = str(folder / "data")
    run("initdb", "-D", data, "--auth=trust", "--username=trireme", "--no-sync")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
    run("pg_ctl", "-D", data, "-o", options, "-l", str(folder / "log"), "-w", "start")
    yield f"postgresql://trireme@127.0.0.1:{port}"
    run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database; a test that takes it runs once on either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture(scope="session")
def new_postgres(postgres_server: str) -> Callable[[], str]:
    """Makes an empty PostgreSQL database and returns its URL."""
    from sqlalchemy import create_engine, text

    def make() -> str:
        name = f"test_{uuid4().hex[:12]}"
        maker = create_engine(
            f"{postgres_server.replace('://', '+psycopg://')}/postgres",
            isolation_level="AUTOCOMMIT",
        )
        with maker.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        maker.dispose()
        return f"{postgres_server}/{name}"

    return make


@pytest.fixture
def postgres_url(new_postgres: Callable[[], str]) -> str:
    """The URL of an empty PostgreSQL database."""
    return new_postgres()


def _add_node(cluster: Any, **options: Any) -> None:
    """Ray gives a node 30 s to start, which a busy machine may miss: then it is asked again."""
    for timeout in (2, 1, 0):
        try:
            cluster.add_node(num_cpus=2, **options)
            return
        except Exception as error:
            if not timeout or "timed out" not in str(error):
                raise


@pytest.fixture
def two_nodes() -> Iterator[Any]:
    """A Ray cluster of two nodes with two cores each; this process is connected to the first."""
    ray = pytest.importorskip("ray", reason="Ray is not installed (pip install 'trireme-lab[ray]')")
    from ray.cluster_utils import Cluster

    made = Cluster()
    _add_node(made, include_dashboard=False)
    _add_node(made)
    made.wait_for_nodes()
    ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
    yield made
    ray.shutdown()
    made.shutdown()
