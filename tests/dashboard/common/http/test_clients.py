"""Where a request comes from, and whose word on that is taken."""

from __future__ import annotations

import asyncio

import pytest
from django.test import RequestFactory

from dashboard.common.http.clients import TrustedProxies, client_network, is_this_machine


def client_behind(proxies, peer, *headers):
    """Return the client's address that an application behind TrustedProxies sees."""
    seen = []

    async def application(scope, receive, send):
        seen.append(scope["client"][0])

    scope = {"type": "http", "client": (peer, 4711), "headers": [(b"x-forwarded-for", h.encode()) for h in headers]}
    asyncio.run(TrustedProxies(application, proxies)(scope, None, None))
    return seen[0]


@pytest.mark.parametrize(
    ("proxies", "peer", "headers", "client"),
    [
        pytest.param([], "127.0.0.1", ["203.0.113.7"], "127.0.0.1", id="nobody is believed by default"),
        pytest.param(["10.0.0.1"], "10.0.0.2", ["203.0.113.7"], "10.0.0.2", id="another host is not believed"),
        pytest.param(["10.0.0.1"], "10.0.0.1", ["203.0.113.7"], "203.0.113.7", id="the proxy is believed"),
        pytest.param(["10.0.0.1"], "10.0.0.1", ["1.1.1.1, 203.0.113.7"], "203.0.113.7", id="only what it appended"),
        pytest.param(["10.0.0.1"], "10.0.0.1", ["1.1.1.1", "203.0.113.7"], "203.0.113.7", id="in a header of its own"),
        pytest.param(["10.0.0.0/24"], "10.0.0.1", ["203.0.113.7, 10.0.0.9"], "203.0.113.7", id="a chain of proxies"),
        pytest.param(["10.0.0.1"], "10.0.0.1", [], "10.0.0.1", id="the proxy itself"),
        pytest.param(["::1"], "::1", ["2001:db8::7"], "2001:db8::7", id="IPv6"),
        pytest.param(["10.0.0.1"], "::ffff:10.0.0.1", ["203.0.113.7"], "203.0.113.7", id="IPv4 written as IPv6"),
    ],
)
def test_client(proxies, peer, headers, client):
    assert client_behind(proxies, peer, *headers) == client


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::2", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", "unknown"),
        ("someone's text", "unknown"),
    ],
)
def test_an_ipv6_host_is_one_site_whichever_address_it_chooses(address, site):
    assert client_network(address) == site


@pytest.mark.parametrize(
    ("peer", "headers", "expected"),
    [
        ("127.0.0.1", {}, True),
        ("::1", {}, True),
        ("203.0.113.7", {}, False),
        ("", {}, False),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, False),
        ("127.0.0.1", {"Forwarded": "for=127.0.0.1"}, False),
        ("127.0.0.1", {"Via": "1.1 proxy"}, False),
        ("203.0.113.7", {"X-Real-IP": "127.0.0.1"}, False),
    ],
)
def test_this_machine_is_the_peer_without_a_proxy_between(peer, headers, expected):
    request = RequestFactory().get("/", headers=headers, REMOTE_ADDR=peer)
    assert is_this_machine(request) is expected
