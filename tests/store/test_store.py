"""The store: the same schema and the same behaviour on SQLite and on PostgreSQL."""

import threading
from pathlib import Path

import pytest
from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from trireme.core.errors import TriremeError
from trireme.store import MIGRATIONS, Migration, migrate, open_store
from trireme.store.database import StoreError

RUN = "INSERT INTO arena_runs VALUES ('r', 'gomoku', '{}', 1, NULL, 'a', 'b', '2026', '0', '{}')"
GAME = "INSERT INTO arena_games VALUES ('{run}', 0, '0', 'a', 'b', 1, -1, 9, NULL, 'f')"


def test_the_migrations_are_numbered_in_order() -> None:
    assert [m.number for m in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


def test_opening_a_store_makes_its_tables_once(store_url: str) -> None:
    first = open_store(store_url)
    with first.begin() as connection:
        connection.execute(text(RUN))
    first.dispose()
    second = open_store(store_url)
    assert {"arena_runs", "arena_games", "migrations"} <= set(inspect(second).get_table_names())
    with second.begin() as connection:
        assert connection.execute(text("SELECT game FROM arena_runs")).scalars().all() == ["gomoku"]
    second.dispose()


def test_a_later_step_is_taken_by_an_older_database(store_url: str) -> None:
    engine = open_store(store_url)
    number = len(MIGRATIONS) + 1
    step = Migration(number, "a table more", ("CREATE TABLE more (id TEXT PRIMARY KEY)",))
    assert migrate(engine, (*MIGRATIONS, step)) == number
    assert "more" in inspect(engine).get_table_names()
    with pytest.raises(TriremeError, match="update Trireme"):
        migrate(engine)
    engine.dispose()


def test_a_step_that_fails_leaves_the_schema_as_it_was(store_url: str) -> None:
    engine = open_store(store_url)
    number = len(MIGRATIONS) + 1
    step = Migration(number, "broken", ("CREATE TABLE half (id TEXT)", "CREATE NONSENSE"))
    with pytest.raises(DBAPIError):
        migrate(engine, (*MIGRATIONS, step))
    assert "half" not in inspect(engine).get_table_names()
    assert migrate(engine) == len(MIGRATIONS)
    engine.dispose()


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
    with engine.begin() as connection:
        count = connection.execute(text("SELECT count(*) FROM migrations")).scalar()
    assert count == len(MIGRATIONS)
    engine.dispose()


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
