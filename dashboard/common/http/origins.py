"""Which web pages may open sockets here: our own, with scheme, host and port, or those that the settings trust.

A browser sends cookies with every socket, whichever page opens it, and names that page's origin. A page on another
port of this host, or one that came by http where ours came by https, is another program's. Django's CSRF check
has this rule. The scheme is that of the connection, or what a trusted proxy says (clients.TrustedProxies).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

if TYPE_CHECKING:
    from django.http import HttpRequest

USUAL_PORTS = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """Scheme, host in lower case, and port of a site."""

    scheme: str
    host: str
    port: int


class OwnOrigins:
    """ASGI: refuses a socket (403) that a foreign page opens, or that names no page or a host that is not ours."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        chosen = self.application if is_own(scope) else WebsocketDenier()
        await chosen(scope, receive, send)


def is_own(scope: Any) -> bool:
    """Return whether the socket was opened by a page of ours."""
    named = _headers(scope, b"origin")
    origin = parse_origin(named[0]) if len(named) == 1 else None
    if origin is None:
        return False
    return origin == _own_origin(scope) or any(_covers(trusted, origin) for trusted in settings.CSRF_TRUSTED_ORIGINS)


def parse_origin(text: str) -> Origin | None:
    """Return the origin that is written as scheme://host or scheme://host:port, None for anything else."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in USUAL_PORTS or not parts.hostname or parts.path not in ("", "/") or parts.query:
        return None
    return Origin(parts.scheme, parts.hostname, port or USUAL_PORTS[parts.scheme])


def site_address(request: HttpRequest) -> str:
    """Return the scheme, host and port that links to be sent to others begin with.

    It is the first of SCHEDSCOPE_ORIGINS. Where none is set it is what the browser wrote into the Host header: the host
    was checked against SCHEDSCOPE_HOSTS, the port cannot be, for a proxy or a container may publish any. With
    SCHEDSCOPE_HTTPS all browsers come by https, whatever proxy passes them on.
    """
    scheme = "https" if settings.HTTPS else request.scheme
    return settings.ORIGINS[0] if settings.ORIGINS else f"{scheme}://{request.get_host()}"


def _own_origin(scope: Any) -> Origin | None:
    """The origin that the socket's own address has."""
    hosts = _headers(scope, b"host")
    if len(hosts) != 1 or not validate_host(split_domain_port(hosts[0])[0], settings.ALLOWED_HOSTS):
        return None
    scheme = "https" if scope.get("scheme") in ("https", "wss") else "http"
    return parse_origin(f"{scheme}://{hosts[0]}")


def _covers(trusted: str, origin: Origin) -> bool:
    """Whether a trusted origin, which may be scheme://*.domain, covers this one."""
    trusted_origin = parse_origin(trusted.replace("*.", "", 1))
    if trusted_origin is None or trusted_origin[::2] != origin[::2]:
        return False
    return origin.host == trusted_origin.host if "*" not in trusted else origin.host.endswith(f".{trusted_origin.host}")


def _headers(scope: Any, name: bytes) -> list[str]:
    return [value.decode("latin1") for key, value in scope["headers"] if key.lower() == name]
