"""Kubernetes' IP addresses and networks (CIDR)."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from scheduler_core.cel.errors import CelError
from scheduler_core.cel.library.amounts import parses
from scheduler_core.cel.library.registry import TEXT, function, method
from scheduler_core.cel.values import Address, Network

_LINK_LOCAL: dict[int, IPv4Network | IPv6Network] = {4: ip_network("169.254.0.0/16"), 6: ip_network("fe80::/10")}
_BROADCAST = IPv4Address("255.255.255.255")
_MULTICAST = ip_network("224.0.0.0/24")
_ADDRESS = re.compile(r"[0-9a-fA-F:.]{2,45}")


def _parsed(text: str, what: str) -> IPv4Address | IPv6Address:
    try:
        if not _ADDRESS.fullmatch(text):
            raise ValueError(text)
        value = ip_address(text)
    except ValueError:
        raise CelError(f"{what} parse error during conversion from string") from None
    if isinstance(value, IPv6Address) and value.ipv4_mapped is not None:
        raise CelError(f'IPv4-mapped IPv6 address "{text}" is not allowed')
    return value


def address(text: str) -> Address:
    """The conversion ``ip``. Raises CelError."""
    if "%" in text:
        raise CelError(f'IP address "{text}" with zone value is not allowed')
    return Address(_parsed(text, f'IP Address "{text}"'))


def network(text: str) -> Network:
    """The conversion ``cidr``; bits after the prefix may be set. Raises CelError."""
    place, slash, bits = text.rpartition("/")
    problem = f'network address parse error during conversion from string: "{text}"'
    if not slash or not re.fullmatch(r"0|[1-9]\d{0,2}", bits, re.ASCII):
        raise CelError(problem)
    value = _parsed(place, problem)
    if int(bits) > value.max_prefixlen:
        raise CelError(problem)
    return Network(value, int(bits))


function("ip", TEXT)(address)
function("isIP", TEXT)(lambda text: parses(address, text))
function("ip.isCanonical", TEXT)(lambda text: str(address(text)) == text)
function("cidr", TEXT)(network)
function("isCIDR", TEXT)(lambda text: parses(network, text))
method("family", Address)(lambda of: of.value.version)
method("isUnspecified", Address)(lambda of: of.value.is_unspecified)
method("isLoopback", Address)(lambda of: of.value.is_loopback)
method("isLinkLocalUnicast", Address)(lambda of: of.value in _LINK_LOCAL[of.value.version])
method("isLinkLocalMulticast", Address)(lambda of: _is_link_local_multicast(of.value))
method("ip", Network)(lambda of: Address(of.value))
method("prefixLength", Network)(lambda of: of.bits)
method("masked", Network)(lambda of: Network(of.whole.network_address, of.bits))


def _is_link_local_multicast(value: IPv4Address | IPv6Address) -> bool:
    packed = value.packed
    return value in _MULTICAST if value.version == 4 else packed[0] == 0xFF and packed[1] & 0x0F == 0x02


@method("isGlobalUnicast", Address)
def _is_global_unicast(of: Address) -> bool:
    value = of.value
    if value.is_unspecified or value == _BROADCAST or value.is_loopback or value.is_multicast:
        return False
    return value not in _LINK_LOCAL[value.version]


@method("containsIP", Network, (str, Address))
def _contains_address(of: Network, other: str | Address) -> bool:
    value = (address(other) if isinstance(other, str) else other).value
    return value.version == of.value.version and value in of.whole


@method("containsCIDR", Network, (str, Network))
def _contains_network(of: Network, other: str | Network) -> bool:
    inner = network(other) if isinstance(other, str) else other
    # As upstream compares: the whole network with the other's address, which must be the network's first.
    same = inner.value.version == of.value.version and of.whole.network_address == inner.value
    return same and of.bits <= inner.bits
