"""The address that a collector follows: its token must not be readable on the way."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


class BadAddress(Exception):
    """The address cannot be followed; the text says why."""


def checked_address(url: str) -> str:
    """The address itself: https, or http to this machine. Raises BadAddress."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as problem:
        raise BadAddress(f"--follow: {url!r} is no address: {problem}") from None
    if parts.scheme not in ("https", "http") or not host:
        raise BadAddress(f"--follow: {url!r} is no address. Write https://HOST/PATH as the page of tokens shows it")
    if parts.username or parts.password:
        raise BadAddress("--follow: the address holds a password. The token comes by SCHEDSCOPE_TOKEN or --token-file")
    if parts.scheme == "http" and not is_this_machine(host):
        raise BadAddress(f"--follow: http would send the token to {host} for everybody to read. Write https")
    return url


def is_this_machine(host: str) -> bool:
    """Whether the host of an address is this machine by its loopback interface."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
