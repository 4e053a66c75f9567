"""The store: the same schema and the same behaviour on SQLite and on PostgreSQL."""

import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from trireme.core.errors import TriremeError
from trireme.store import StoreError, database, open_store, upgrade
from trireme.store.schema import MIGRATIONS

NEWEST = "0004"
RUN = "INSERT INTO arena_runs VALUES ('r', 'gomoku', '{}', 1, NULL, 'a', 'b', '2026', '0', '{}')"
GAME = "INSERT INTO arena_games VALUES ('{run}', 0, '0', 'a', 'b', 1, -1, 9, NULL, 'f')"


def with_step(folder: Path, body: str) -> tuple[Path, str]:
    """The migrations with one more at the end, as a later version of the program has them."""
    migrations = folder / "migrations"
    shutil.copytree(MIGRATIONS, migrations, ignore=shutil.ignore_patterns("__pycache__"))
    revision = f"{int(NEWEST) + 1:04}"
    source = f"""
from alembic import op

revision = "{revision}"
down_revision = "{NEWEST}"


def upgrade() -> None:
    {body}
"""
    (migrations / "versions" / f"v{revision}_later.py").write_text(source)
    return migrations, revision


def revision_of(engine: Engine) -> list[str]:
    with engine.begin() as connection:
        return list(connection.execute(text("SELECT version_num FROM alembic_version")).scalars())


def test_file_names_and_revisions_of_the_migrations_agree() -> None:
    script = ScriptDirectory(str(MIGRATIONS))
    found = {Path(step.path).name[1:5]: step.revision for step in script.walk_revisions()}
    assert found == {name: name for name in found}
    assert script.get_heads() == [NEWEST]


def test_opening_a_store_makes_its_tables_once(store_url: str) -> None:
    first = open_store(store_url)
    with first.begin() as connection:
        connection.execute(text(RUN))
    first.dispose()
    second = open_store(store_url)
    assert {"arena_runs", "arena_games", "rooms"} <= set(inspect(second).get_table_names())
    assert revision_of(second) == [NEWEST]
    with second.begin() as connection:
        assert connection.execute(text("SELECT game FROM arena_runs")).scalars().all() == ["gomoku"]
    second.dispose()


def test_a_later_migration_runs_on_an_older_database(store_url: str, tmp_path: Path) -> None:
    engine = open_store(store_url)
    migrations, revision = with_step(
        tmp_path, 'op.execute("CREATE TABLE more (id TEXT PRIMARY KEY)")'
    )
    assert upgrade(engine, migrations) == revision
    assert "more" in inspect(engine).get_table_names()
    with pytest.raises(TriremeError, match=f"schema {revision}, newer than .*: update Trireme"):
        upgrade(engine)
    engine.dispose()


def test_a_migration_that_fails_leaves_the_schema_as_it_was(store_url: str, tmp_path: Path) -> None:
    body = 'op.execute("CREATE TABLE half (id TEXT)"); op.execute("CREATE NONSENSE")'
    migrations, _ = with_step(tmp_path, body)
    engine = open_store(store_url)
    with pytest.raises(DBAPIError):
        upgrade(engine, migrations)
    assert "half" not in inspect(engine).get_table_names()
    assert upgrade(engine) == NEWEST
    assert revision_of(engine) == [NEWEST]
    engine.dispose()


@pytest.mark.parametrize("steps", [1, 2])
def test_a_database_made_before_alembic_is_adopted(store_url: str, steps: int) -> None:
    """Its table `migrations` holds the numbers of the steps that it has; the rest are added."""
    engine = open_store(store_url)
    made_later = ["server_state"]
    if steps == 1:
        made_later += ["room_drafts", "room_events", "rooms"]
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE rooms DROP COLUMN owner"))
        for table in ["alembic_version", "servers", *made_later]:
            connection.execute(text(f"DROP TABLE {table}"))
        connection.execute(text("CREATE TABLE migrations (number BIGINT PRIMARY KEY)"))
        for number in range(1, steps + 1):
            connection.execute(text("INSERT INTO migrations VALUES (:n)"), {"n": number})
        connection.execute(text(RUN))
    engine.dispose()
    again = open_store(store_url)
    assert revision_of(again) == [NEWEST]
    assert {"room_drafts", "room_events", "rooms", "server_state"} <= set(
        inspect(again).get_table_names()
    )
    with again.begin() as connection:
        assert connection.execute(text("SELECT count(*) FROM arena_runs")).scalar() == 1
    again.dispose()


def test_a_store_that_is_up_to_date_opens_without_alembic(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    open_store(url).dispose()
    code = "import sys; from trireme.store import open_store; open_store(sys.argv[1])"
    code += "; sys.exit('alembic' in sys.modules)"
    subprocess.run([sys.executable, "-c", code, url], check=True)


def test_programs_that_open_a_new_store_at_once_make_one_schema(store_url: str) -> None:
    faults: list[Exception] = []

    def open_it() -> None:
        try:
            open_store(store_url).dispose()
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    engine = open_store(store_url)
    assert revision_of(engine) == [NEWEST]
    engine.dispose()


def test_a_new_sqlite_store_waits_for_a_program_that_locks_it(tmp_path: Path) -> None:
    """To begin a write-ahead log SQLite does not wait by itself: it refuses at once."""
    path = tmp_path / "new.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE busy (n INTEGER)")
    release = threading.Timer(0.3, lambda: other.execute("ROLLBACK"))
    release.start()
    try:
        open_store(f"sqlite:///{path}").dispose()
    finally:
        release.join()
        other.close()


def test_a_sqlite_store_that_stays_locked_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    path = tmp_path / "new.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE busy (n INTEGER)")
    with pytest.raises(StoreError, match="locked"):
        open_store(f"sqlite:///{path}")
    other.close()


def test_games_belong_to_a_run_and_leave_with_it(store_url: str) -> None:
    engine = open_store(store_url)
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.execute(text(GAME.format(run="nobody")))
    with engine.begin() as connection:
        connection.execute(text(RUN))
        connection.execute(text(GAME.format(run="r")))
        connection.execute(text("DELETE FROM arena_runs"))
        assert connection.execute(text("SELECT count(*) FROM arena_games")).scalar() == 0
    engine.dispose()


def test_the_variable_names_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIREME_DATABASE", f"sqlite:///{tmp_path / 'deep' / 'mine.db'}")
    open_store().dispose()
    assert (tmp_path / "deep" / "mine.db").is_file()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "expected a URL such as"),
        ("mysql://host/name", "expected a sqlite or postgresql URL"),
        ("sqlite://", "expected a SQLite file"),
        ("postgresql://nobody:secret@127.0.0.1:1/none", "can't open the database"),
    ],
)
def test_a_bad_url_is_explained(url: str, message: str) -> None:
    with pytest.raises(StoreError, match=message) as caught:
        open_store(url)
    assert "secret" not in str(caught.value)
