"""Links for guests: what another machine can open, and what it can't."""

from __future__ import annotations

import pytest

from trireme.server import addresses
from trireme.server.addresses import guest_link, is_loopback, qr_rows

from .live import Running


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]"])
def test_these_hosts_are_this_machine_only(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["192.168.1.7", "example.org", "0.0.0.0", "fe80::1", ""])
def test_these_hosts_may_be_reached_by_others(host: str) -> None:
    assert not is_loopback(host)


def test_a_guest_gets_the_address_in_the_local_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "lan_address", lambda: "192.168.1.7")
    link = guest_link("http", "127.0.0.1", 8000, "/room/abc", lan=True)
    assert link == "http://192.168.1.7:8000/room/abc"
    assert guest_link("http", "127.0.0.1", 8000, "/room/abc", lan=False) is None
    monkeypatch.setattr(addresses, "lan_address", lambda: None)
    assert guest_link("http", "localhost", 8000, "/room/abc", lan=True) is None


def test_a_guest_gets_the_address_that_the_host_used_if_others_can_reach_it() -> None:
    for lan in (True, False):
        link = guest_link("https", "play.example.org", None, "/room/abc", lan=lan)
        assert link == "https://play.example.org/room/abc"


def test_a_qr_code_is_a_square_of_known_size() -> None:
    rows = qr_rows("http://192.168.1.7:8000/room/abcdefghjkmn")
    assert {len(row) for row in rows} == {len(rows)}
    assert len(rows) in range(21, 178, 4)
    assert [row[:7] for row in rows[:2]] == ["1111111", "1000001"], "the finder pattern"


def test_the_invitation_to_a_server_that_others_can_not_reach_says_so(server: Running) -> None:
    room = server.create(seats=[{"kind": "me"}, {"kind": "open"}])["room"]
    answer = server.http.get(f"/api/rooms/{room}/invite")
    assert answer.json() == {"link": None, "qr": []}
    outside = server.http.get(f"/api/rooms/{room}/invite", headers={"Host": "10.0.0.9:8000"})
    assert outside.json()["link"] == f"http://10.0.0.9:8000/room/{room}"
    assert server.http.get("/api/rooms/nothing/invite").status_code == 404
