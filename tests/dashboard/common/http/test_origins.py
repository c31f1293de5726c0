"""Which pages may open sockets, and where links to others lead."""

from __future__ import annotations

import asyncio

import pytest
from django.test import RequestFactory

from dashboard.common.http.clients import TrustedProxies
from dashboard.common.http.origins import is_own, parse_origin, site_address


def opened_by(origin, host="localhost:8000", scheme="ws", **headers):
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    origins = [(b"origin", text.encode()) for text in ([origin] if isinstance(origin, str) else origin)]
    return is_own({"type": "websocket", "scheme": scheme, "headers": [(b"host", host.encode()), *origins, *named]})


@pytest.mark.parametrize(
    ("origin", "host", "scheme"),
    [
        ("http://localhost:8000", "localhost:8000", "ws"),
        ("http://LOCALHOST:8000", "localhost:8000", "ws"),
        ("http://127.0.0.1", "127.0.0.1", "ws"),
        ("http://127.0.0.1:80", "127.0.0.1", "ws"),
        ("https://localhost", "localhost", "wss"),
        ("https://localhost:8443", "localhost:8443", "wss"),
    ],
)
def test_own_page_opens_a_socket(origin, host, scheme):
    assert opened_by(origin, host, scheme)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        pytest.param("http://localhost:9000", "localhost:8000", id="another port of this host"),
        pytest.param("http://localhost", "localhost:8000", id="the usual port where ours is another"),
        pytest.param("https://localhost:8000", "localhost:8000", id="another scheme"),
        pytest.param("http://evil.example", "localhost:8000", id="another host"),
        pytest.param("http://evil.example", "evil.example", id="a host that is not ours, in both headers"),
        pytest.param("null", "localhost:8000", id="a sandboxed page"),
        pytest.param("", "localhost:8000", id="empty"),
        pytest.param([], "localhost:8000", id="none"),
        pytest.param(["http://localhost:8000", "http://evil.example"], "localhost:8000", id="two"),
        pytest.param("http://localhost:8000/page", "localhost:8000", id="with a path"),
        pytest.param("http://localhost:x", "localhost:8000", id="a port that is no number"),
        pytest.param("chrome-extension://localhost:8000", "localhost:8000", id="no page of the web"),
    ],
)
def test_foreign_page_is_refused(origin, host):
    assert not opened_by(origin, host)


@pytest.mark.parametrize(("peer", "believed"), [("10.0.0.7", True), ("127.0.0.1", False), ("192.0.2.9", False)])
def test_proxy_that_ends_tls_is_believed_where_the_settings_name_it(peer, believed):
    """The scheme of pages and sockets is what the application behind TrustedProxies sees."""
    seen = []

    async def application(scope, _receive, _send):
        seen.append((scope["scheme"], is_own(scope) if scope["type"] == "websocket" else None))

    headers = [(b"host", b"localhost"), (b"origin", b"https://localhost"), (b"x-forwarded-proto", b"https")]
    for kind, scheme in (("websocket", "ws"), ("http", "http")):
        scope = {"type": kind, "scheme": scheme, "client": (peer, 1), "headers": headers}
        asyncio.run(TrustedProxies(application, ["10.0.0.0/24"])(scope, None, None))
    assert seen == ([("wss", True), ("https", None)] if believed else [("ws", False), ("http", None)])


def test_nobody_s_word_on_the_scheme_reaches_a_page(settings):
    settings.HTTPS = True
    request = RequestFactory().get("/", headers={"X-Forwarded-Proto": "https"})
    assert not request.is_secure()
    assert site_address(request) == "https://testserver"


@pytest.mark.parametrize(
    ("trusted", "origin", "expected"),
    [
        ("https://box.example:8443", "https://box.example:8443", True),
        ("https://box.example:8443", "https://box.example", False),
        ("https://*.example", "https://box.example", True),
        ("https://*.example", "https://example", False),
        ("https://*.example", "http://box.example", False),
        ("https://*.example", "https://boxexample", False),
    ],
)
def test_trusted_origins_are_let_in_beside_our_own(settings, trusted, origin, expected):
    settings.CSRF_TRUSTED_ORIGINS = [trusted]
    assert opened_by(origin, "localhost") is expected


def test_origin_is_scheme_host_and_port():
    assert parse_origin("https://[::1]:8443") == ("https", "::1", 8443)
    assert parse_origin("http://localhost/") == ("http", "localhost", 80)


def test_links_to_others_begin_with_the_first_origin_of_the_settings(settings):
    request = RequestFactory().get("/", headers={"Host": "localhost:6666"})
    assert site_address(request) == "http://localhost:6666"
    settings.ORIGINS = ["https://box.example", "https://other.example"]
    assert site_address(request) == "https://box.example"
