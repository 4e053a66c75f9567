"""Leases: which of several servers owns a room, held in PostgreSQL, with fencing of stale owners.

A server is a row of `servers`, and holds the advisory lock of its id in a session of its own. The
lock says that the server lives: PostgreSQL releases it as soon as the process dies, and ends the
session itself (`idle_session_timeout`) when the process hangs or its machine is gone. Compared with
a row that expires, a killed server is noticed at once, no clocks are compared, and a server under
load keeps its rooms as long as it renews at all.

A room belongs to the server in its column `owner`; a room whose owner has no row in `servers`
belongs to nobody. Who finds the owner's lock free deletes the owner's row and takes the room over.

Fencing: every transaction that writes to a room locks its owner's row (`FOR KEY SHARE`,
`check_lease`). Deleting the row waits for such transactions, and whoever comes later fails with
`LeaseLost`. So a server that was taken for dead can't write any more, and whoever reads a room
after taking it over reads everything that its last owner committed.
"""

from __future__ import annotations

import secrets
from contextlib import suppress

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from trireme.core.errors import TriremeError

RENEW_SECONDS = 2.0
"""How often a server renews its lease and publishes its list of rooms."""
HUNG_SECONDS = 15
"""A server that does not renew for so long loses its rooms."""
WAIT_SECONDS = 5
"""How long taking a room over waits for its last owner's transactions."""


class LeaseLost(TriremeError):
    """This server was taken for dead: its rooms belong to whoever claims them."""


class OwnedElsewhere(Exception):
    """Another server owns the room."""

    def __init__(self, room: str, address: str) -> None:
        super().__init__(f"room {room} is at {address or 'an unknown address'}")
        self.room = room
        self.address = address
        """HOST:PORT at which other servers reach it."""


class RoomLeases:
    """The lease of one server on its rooms. All methods block; each is safe in any thread."""

    def __init__(self, engine: Engine, address: str) -> None:
        """`address`: HOST:PORT at which other servers reach this one."""
        self._engine = engine
        self.address = address
        self.id = 0
        """Under which this server owns rooms now; a new one after the lease was lost."""
        self.peers = 0
        """How many other servers there were at the last renewal."""
        self._session: Connection | None = None
        self._published = ""

    def open(self) -> None:
        """Register this server under a new id."""
        self._end_session()
        self.id, self._published = secrets.randbits(62), ""
        self._begin_session()
        with self._engine.begin() as connection:
            connection.execute(
                text("INSERT INTO servers VALUES (:id, :address, '[]')"),
                {"id": self.id, "address": self.address},
            )

    def close(self) -> None:
        """Give all rooms up: the next server that is asked for one takes it over."""
        with suppress(SQLAlchemyError), self._engine.begin() as connection:
            connection.execute(text("DELETE FROM servers WHERE server_id = :id"), {"id": self.id})
        self._end_session()

    def renew(self, listed: str) -> list[str]:
        """Keep the lease, remove dead servers, publish this server's list of rooms (JSON); returns
        what the other servers have published."""
        self._keep_session()
        me = {"id": self.id}
        with self._engine.begin() as connection:
            _limit_waiting(connection)
            connection.execute(
                text(
                    "DELETE FROM servers"
                    " WHERE server_id <> :id AND pg_try_advisory_xact_lock(server_id)"
                ),
                me,
            )
            if listed != self._published:
                connection.execute(
                    text("UPDATE servers SET listed = :listed WHERE server_id = :id"),
                    {**me, "listed": listed},
                )
            rows = connection.execute(text("SELECT server_id, listed FROM servers")).all()
        if self.id not in [row.server_id for row in rows]:
            raise LeaseLost("the lease on all rooms was lost")
        self._published, self.peers = listed, len(rows) - 1
        return [row.listed for row in rows if row.server_id != self.id]

    def peer_addresses(self) -> list[str]:
        """HOST:PORT of every other server that lives."""
        with self._engine.begin() as connection:
            found = connection.execute(
                text(
                    "SELECT address FROM servers"
                    " WHERE server_id <> :id AND NOT pg_try_advisory_xact_lock(server_id)"
                ),
                {"id": self.id},
            )
            return [*found.scalars()]

    def claim(self, room: str) -> int:
        """Own the room: returns the id to write with. Raises `OwnedElsewhere` while another server
        lives that owns it, `LeaseLost` if this one was taken for dead."""
        lease = self.id
        with self._engine.begin() as connection:
            _limit_waiting(connection)
            check_lease(connection, lease)
            values: dict[str, object] = {"room": room, "me": lease}
            while True:
                owner = connection.execute(
                    text("SELECT owner FROM rooms WHERE room_id = :room"), values
                ).scalar_one_or_none()
                if owner == lease:
                    return lease
                if owner is not None:
                    _require_dead(connection, owner, room)
                taken = connection.execute(
                    text(
                        "UPDATE rooms SET owner = :me"
                        " WHERE room_id = :room AND owner IS NOT DISTINCT FROM :owner"
                    ),
                    {**values, "owner": owner},
                )
                if taken.rowcount or not _exists(connection, room):
                    return lease

    def _begin_session(self) -> None:
        """Open the session that holds the lock; PostgreSQL ends it if this process hangs."""
        session = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        session.detach()  # it must end when it is closed, not return to the pool
        try:
            session.execute(text(f"SET idle_session_timeout = '{HUNG_SECONDS}s'"))
            locked = session.execute(
                text("SELECT pg_try_advisory_lock(:id)"), {"id": self.id}
            ).scalar_one()
            if not locked:
                raise LeaseLost("another server is taking the rooms over")
        except BaseException:
            session.close()
            raise
        self._session = session

    def _keep_session(self) -> None:
        """Show PostgreSQL that this process lives; after a broken connection, take the lock again:
        the lease holds as long as nobody has deleted its row."""
        if self._session is not None:
            try:
                self._session.execute(text("SELECT 1"))
                return
            except SQLAlchemyError:
                self._end_session()
        self._begin_session()

    def _end_session(self) -> None:
        if self._session is not None:
            with suppress(SQLAlchemyError):
                # Without this the lock ends only when PostgreSQL notices that the connection has.
                self._session.execute(text("SELECT pg_advisory_unlock_all()"))
            with suppress(SQLAlchemyError):
                self._session.close()
            self._session = None


def check_lease(connection: Connection, lease: int) -> None:
    """Hold off a takeover until the end of this transaction, or raise `LeaseLost` after one."""
    found = connection.execute(
        text("SELECT 1 FROM servers WHERE server_id = :id FOR KEY SHARE"), {"id": lease}
    ).first()
    if found is None:
        raise LeaseLost("this server's rooms were taken over by another one")


def _require_dead(connection: Connection, owner: int, room: str) -> None:
    """Return when the owner of the room is gone and can't write any more."""
    row = connection.execute(
        text("SELECT address FROM servers WHERE server_id = :owner"), {"owner": owner}
    ).first()
    if row is None:
        return
    dead = connection.execute(
        text("SELECT pg_try_advisory_xact_lock(:owner)"), {"owner": owner}
    ).scalar_one()
    if not dead:
        raise OwnedElsewhere(room, row.address)
    connection.execute(text("DELETE FROM servers WHERE server_id = :owner"), {"owner": owner})


def _exists(connection: Connection, room: str) -> bool:
    query = text("SELECT 1 FROM rooms WHERE room_id = :room")
    return connection.execute(query, {"room": room}).first() is not None


def _limit_waiting(connection: Connection) -> None:
    connection.execute(text(f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s'"))
