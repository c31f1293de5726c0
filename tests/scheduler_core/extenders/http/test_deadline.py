from __future__ import annotations

import socket

import pytest

from scheduler_core.extenders.http.deadline import Deadline, DeadlineSocket, connect, resolve
from tests.patience import PATIENCE


@pytest.fixture
def both_ends():
    ends = socket.socketpair()
    yield ends
    for end in ends:
        end.close()


def test_a_moment_that_has_come_is_a_time_out():
    with pytest.raises(TimeoutError):
        Deadline(-1).remaining()
    assert 0 < Deadline(PATIENCE).remaining() <= PATIENCE
    assert Deadline(None).remaining() is None


def test_nothing_is_sent_or_received_after_the_deadline(both_ends):
    sock = DeadlineSocket(both_ends[0], Deadline(-1))
    both_ends[1].sendall(b"x")
    for operation in (lambda: sock.sendall(b"x"), lambda: sock.makefile("rb").read1(1)):
        with pytest.raises(TimeoutError):
            operation()
    sock.deadline = Deadline(PATIENCE)
    assert sock.makefile("rb").read1(1) == b"x"


def test_a_connection_is_idle_until_something_comes_or_it_ends(both_ends):
    sock = DeadlineSocket(both_ends[0], Deadline(None))
    assert sock.is_idle()
    both_ends[1].sendall(b"x")
    assert not sock.is_idle()
    assert sock.is_idle()
    both_ends[1].close()
    assert not sock.is_idle()


def test_the_next_address_of_a_host_is_tried(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_server(("127.0.0.1", 0)) as other:
        port, refusing = listener.getsockname()[1], other.getsockname()[1]
        other.close()
        kind = (socket.AF_INET, socket.SOCK_STREAM, 0, "")
        addresses = [(*kind, ("127.0.0.1", refusing)), (*kind, ("127.0.0.1", port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_kwargs: addresses)
        with connect("any.example", 80, Deadline(PATIENCE)) as sock:
            assert sock.getpeername() == ("127.0.0.1", port)
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_kwargs: addresses[:1])
        with pytest.raises(ConnectionRefusedError):
            connect("any.example", 80, Deadline(PATIENCE))


@pytest.mark.parametrize(
    ("family", "address"),
    [
        (socket.AF_INET, ("169.254.169.254", 1)),
        (socket.AF_INET, ("100.100.100.200", 1)),
        (socket.AF_INET6, ("::ffff:169.254.169.254", 1, 0, 0)),
        (socket.AF_INET6, ("fe80::1%lo", 1, 0, 1)),
        (socket.AF_INET6, ("fd00:ec2::254", 1, 0, 0)),
    ],
)
def test_where_clouds_keep_credentials_is_called_only_where_the_configuration_names_it(monkeypatch, family, address):
    called = []
    monkeypatch.setattr(socket.socket, "connect", lambda _sock, to: called.append(to))
    listed = [(family, socket.SOCK_STREAM, 0, "", address)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_kwargs: listed)
    for named in ("", "any.example", "10.0.0.1"):
        with pytest.raises(OSError, match="not called unless urlPrefix names one"):
            connect("any.example", 1, Deadline(PATIENCE), named)
    assert called == []
    connect(address[0], 1, Deadline(PATIENCE), address[0]).close()
    assert called == [address]


def test_a_name_that_cannot_be_one_has_no_address():
    with pytest.raises(socket.gaierror):
        resolve("a" * 70 + ".example", 80, Deadline(PATIENCE))
