"""Where a request comes from: the peer of the connection, or what a proxy says that the settings name.

Anybody can write X-Forwarded-For. It is believed only where the connection comes from one of SCHEDSCOPE_PROXIES, and
then from the right: every proxy appends the peer that it saw, so the first address that is no proxy of ours is the
client. X-Forwarded-Proto, the scheme by which the client came, is believed of the same proxies only. uvicorn has the
same rule, but trusts the loopback address by default: its own is off (`--no-proxy-headers`).
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.http import HttpRequest

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

IPV6_SITE_BITS = 64
# What proxies add. A request that carries one of these came through a proxy, wherever that proxy runs.
FORWARDING_HEADERS = ("X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via")


class TrustedProxies:
    """ASGI: puts the client's address and scheme into the scope, as the proxies say them.

    IPv4 written as IPv6 becomes IPv4.
    """

    def __init__(self, application: Any, proxies: Sequence[str]) -> None:
        self.application: Any = ProxyHeadersMiddleware(application, list(proxies)) if proxies else application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        client = scope.get("client")
        if client:
            address = parsed(client[0])
            scope = {**scope, "client": (str(address) if address else client[0], client[1])}
        await self.application(scope, receive, send)


def parsed(text: str) -> IPAddress | None:
    """Return the address, without an IPv6 zone and as IPv4 where it is one; None for what is no address."""
    try:
        address = ipaddress.ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def client_address(request: HttpRequest) -> str:
    """Return the client's address, "" where the server does not know it (a socket file)."""
    return str(request.META.get("REMOTE_ADDR", ""))


def client_network(text: str) -> str:
    """Return what one household or host has: an IPv4 address, of an IPv6 address the /64, "unknown" for neither."""
    address = parsed(text)
    if address is None:
        return "unknown"
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((address, IPV6_SITE_BITS), strict=False))


def is_this_machine(request: HttpRequest) -> bool:
    """Return whether the peer of the connection is this machine and no proxy stands between."""
    address = parsed(client_address(request))
    forwarded = any(request.headers.get(name) is not None for name in FORWARDING_HEADERS)
    return address is not None and address.is_loopback and not forwarded


def is_among(text: str, networks: Iterable[IPNetwork]) -> bool:
    """Return whether the address lies in one of the networks."""
    address = parsed(text)
    return address is not None and any(address in network for network in networks)
