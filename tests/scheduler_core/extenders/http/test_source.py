"""Against a real server. The texts of failures are Go's, as kube-scheduler reports them."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from scheduler_core.api.config import Extender, ExtenderTLS
from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply
from scheduler_core.extenders.http import source as http_source
from scheduler_core.extenders.http.source import CUT_OFF, READING, TOO_LONG, HttpSource
from scheduler_core.extenders.http.trust import TrustError
from tests.patience import PATIENCE
from tests.scheduler_core.extenders.http.raw_server import asked, call, raw, respond, serving

SHORT = 0.3
"""Seconds of httpTimeout where the time-out is what is tested."""
EXTENDER = Extender(http_timeout=PATIENCE)


def reply_to(answer, timeout=PATIENCE):
    with serving(answer) as server:
        return asked(server.url("/filter"), timeout)


def test_the_request_is_a_post_of_the_json_body():
    with serving(respond(b'{"NodeNames":["n1"]}')) as server:
        assert asked(server.url("/scheduler/fil%20ter?a=b")) == ExtenderReply(200, b'{"NodeNames":["n1"]}')
        ((method, path, headers, body),) = server.requests
    assert (method, path) == ("POST", "/scheduler/fil%20ter?a=b")
    assert headers["content-type"] == "application/json"
    assert headers["host"] == f"127.0.0.1:{server.port}"
    assert json.loads(body) == call("").request


def test_a_user_in_the_address_is_sent_as_authorization_and_its_password_is_in_no_error():
    with serving(respond()) as server:
        url = f"http://me:s%3Acret@127.0.0.1:{server.port}/filter"
        assert asked(url).status == 200
        assert server.requests[0][2]["authorization"] == "Basic bWU6czpjcmV0"
    reply = asked(url)
    assert "cret" not in reply.fault_text(call(url))
    assert "me:***@" in reply.fault_text(call(url))


@pytest.mark.parametrize("status", ["201 Created", "204 No Content", "404 Not Found", "500 Internal Server Error"])
def test_of_another_status_only_the_status_counts(status):
    assert reply_to(respond(b"why", status)) == ExtenderReply(int(status[:3]))


@pytest.mark.parametrize(
    "data",
    [
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{"a"\r\n3\r\n:1}\r\n0\r\n\r\n',
        b'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"a":1}',
        b'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n{"a":1}',
        b'HTTP/1.0 200 OK\r\n\r\n{"a":1}',
    ],
)
def test_every_way_to_frame_an_answer_is_read(data):
    assert reply_to(raw(data, then_close=True)) == ExtenderReply(200, b'{"a":1}')


# --- connections -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ],
)
def test_a_connection_is_kept_for_the_next_call(data):
    with serving(raw(data)) as server, HttpSource([EXTENDER]) as source:
        replies = [source.ask([call(server.url("/filter"))])[0] for _ in range(3)]
    assert replies == [ExtenderReply(200, b"{}")] * 3
    assert (server.n_connections, len(server.requests)) == (1, 3)


def test_a_connection_that_the_server_closed_meanwhile_is_opened_again():
    answer = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", then_close=True)
    with serving(answer) as server, HttpSource([EXTENDER]) as source:
        for _ in range(3):
            assert source.ask([call(server.url("/filter"))]) == [ExtenderReply(200, b"{}")]
            assert server.closed.acquire(timeout=PATIENCE)
    assert server.n_connections == 3


def test_calls_of_one_moment_are_sent_at_the_same_time():
    both = threading.Barrier(2)

    def answer(connection, request):
        both.wait(PATIENCE)
        return respond(request[1].encode())(connection, request)

    with serving(answer) as server, HttpSource([EXTENDER] * 2) as source:
        for _ in range(3):
            replies = source.ask([call(server.url(f"/{i}"), extender=i, verb="prioritize") for i in range(2)])
            assert [reply.body for reply in replies] == [b"/0", b"/1"]
    assert server.n_connections == 2


# --- time-outs -------------------------------------------------------------------------------------------------------


def wait_for_the_end(connection, request):
    """Answer nothing until the client gives up."""
    assert connection.recv(1) == b""
    return False


def drip(head):
    """Send one more byte now and then, until the client gives up."""

    def answer(connection, request):
        connection.sendall(head)
        while True:
            connection.sendall(b" ")
            threading.Event().wait(SHORT / 20)

    return answer


@pytest.mark.slow
@pytest.mark.parametrize("answer", [wait_for_the_end, drip(b""), drip(b"HTTP/1.1 200 OK\r\nX:")])
def test_a_server_that_gives_no_answer_in_time_is_a_time_out(answer):
    assert reply_to(answer, SHORT) == ExtenderReply(fault="timeout")


@pytest.mark.slow
def test_the_time_out_covers_the_whole_answer():
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
    assert reply_to(drip(head + b"{"), SHORT) == ExtenderReply(fault=READING)
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"
    assert reply_to(drip(chunks), SHORT) == ExtenderReply(fault=READING)
    reply = reply_to(drip(head + b"{} "), SHORT)
    assert (reply.status, reply.body.strip(), reply.fault) == (200, b"{}", "")


@pytest.mark.slow
def test_a_server_that_does_not_read_a_long_request_is_a_time_out():
    long = ["n" * 1000] * 20_000
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/filter"
    request = call(url).request | {"NodeNames": long}
    with listener, HttpSource([Extender(http_timeout=SHORT)]) as source:
        (reply,) = source.ask([ExtenderCall(step=1, extender=0, verb="filter", url=url, request=request)])
    assert reply == ExtenderReply(fault="timeout")


# --- answers that break off or lie -----------------------------------------------------------------------------------

FULL = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"


@pytest.mark.parametrize(
    ("data", "reply"),
    [
        (b"", ExtenderReply(fault="closed")),
        (FULL, ExtenderReply(fault=CUT_OFF)),
        (FULL + b'{"a"', ExtenderReply(fault=CUT_OFF)),
        (FULL + b'{"a":1}', ExtenderReply(200, b'{"a":1}')),
        (FULL + b"<html>", ExtenderReply(200, b"<html>")),
        (FULL + b'{"a":1}   and much more', ExtenderReply(200, b'{"a":1}   ')),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{", ExtenderReply(fault=CUT_OFF)),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}", ExtenderReply(fault=CUT_OFF)),
    ],
)
def test_what_broke_off_is_what_go_makes_of_it(data, reply):
    assert reply_to(raw(data, then_close=True)) == reply


@pytest.mark.parametrize(
    "data", [b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200]
)
def test_what_is_not_http_is_told(data):
    reply = reply_to(raw(data, then_close=True))
    assert reply.status == 0
    assert "net/http: HTTP/1.x transport connection broken: malformed HTTP response " in reply.fault


def test_a_server_that_answers_before_it_has_read_everything_is_heard():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/filter"

        def serve():
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 16):
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        assert asked(url) == ExtenderReply(413)
        thread.join(PATIENCE)


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 1001\r\n\r\n",
        b"\r\n" + b" " * 1001,
        b"Transfer-Encoding: chunked\r\n\r\n7d1\r\n" + b" " * 2001,
    ],
)
def test_an_answer_that_is_too_long_is_an_error_of_its_own(head, monkeypatch):
    monkeypatch.setattr(http_source, "MAX_ANSWER_BYTES", 1000)
    assert reply_to(raw(b"HTTP/1.1 200 OK\r\n" + head, then_close=True)) == ExtenderReply(fault=TOO_LONG)


def test_a_huge_answer_within_the_limit_is_read_whole():
    body = b"[" + b" " * (20 << 20) + b"]"
    assert reply_to(respond(body)) == ExtenderReply(200, body)


# --- redirects -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "method", "has_body"),
    [(301, "GET", False), (302, "GET", False), (303, "GET", False), (307, "POST", True), (308, "POST", True)],
)
def test_redirects_are_followed_as_go_does(status, method, has_body):
    def answer(connection, request):
        if request[1] == "/filter":
            return respond(b"", f"{status} Moved", ["Location: other?x=1"])(connection, request)
        return respond(b'{"NodeNames":[]}')(connection, request)

    with serving(answer) as server:
        assert asked(server.url("/filter")) == ExtenderReply(200, b'{"NodeNames":[]}')
        assert server.requests[1][:2] == (method, "/other?x=1")
        assert bool(server.requests[1][3]) == has_body


def test_a_redirect_to_nowhere_is_an_answer():
    assert reply_to(respond(b"", "307 Moved")) == ExtenderReply(307)


@pytest.mark.parametrize(
    ("location", "n_requests", "reason"),
    [("/filter", 10, "stopped after 10 redirects"), ("ftp://elsewhere/", 1, 'unsupported protocol scheme "ftp"')],
    ids=["in a circle", "to where no HTTP is spoken"],
)
def test_a_redirect_that_fails_names_the_last_address_that_answered(location, n_requests, reason):
    with serving(respond(b"", "307 Moved", [f"Location: {location}"])) as server:
        url = server.url("/filter")
        assert asked(url) == ExtenderReply(fault=f'Post "{url}": {reason}')
        assert len(server.requests) == n_requests


# --- no connection ---------------------------------------------------------------------------------------------------


def test_a_refused_connection_is_told():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    url = f"http://127.0.0.1:{port}/filter"
    text = f'Post "{url}": dial tcp 127.0.0.1:{port}: connect: connection refused'
    assert asked(url) == ExtenderReply(fault=text)


def test_a_host_without_an_address_is_told(monkeypatch):
    def lookup(host, *_args, **_kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    url = "http://ext.example/filter"
    assert asked(url) == ExtenderReply(fault=f'Post "{url}": dial tcp: lookup ext.example: no such host')


@pytest.mark.slow
def test_a_lookup_that_hangs_is_a_time_out(monkeypatch):
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_kwargs: over.wait(PATIENCE) and [])
    assert asked("http://ext.example/filter", SHORT) == ExtenderReply(fault="timeout")
    over.set()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://a.example/filter", 'unsupported protocol scheme "ftp"'),
        ("/filter", 'unsupported protocol scheme ""'),
        ("http:///filter", "http: no Host in request URL"),
        ("http://a:b/filter", "the address cannot be read: Port could not be cast to integer value as 'b'"),
        ("http://a\n.example/filter", "net/url: invalid control character in URL"),
        (f"http://{'a' * 70}.example/filter", f"dial tcp: lookup {'a' * 70}.example: no such host"),
    ],
)
def test_an_address_that_is_none_is_told(url, reason):
    assert asked(url) == ExtenderReply(fault=f'Post "{url}": {reason}')


@pytest.mark.parametrize(
    ("ca_file", "sentence"),
    [("/none", "extenders[1].tlsConfig.caFile: /none cannot be read: No such file or directory")],
)
def test_words_of_settings_before_anything_is_asked(ca_file, sentence):
    with pytest.raises(TrustError) as refused:
        HttpSource([Extender(), Extender(tls=ExtenderTLS(ca_file=ca_file))])
    assert str(refused.value) == sentence
