"""Kubernetes' own functions: what the documentation of its libraries gives as examples, and what follows from it."""

from __future__ import annotations

import pytest

from scheduler_core.cel.errors import CelError, CompileError
from tests.scheduler_core.cel.canonical import canonical, value_of

ERROR = object()
QUANTITIES = {
    "quantity('1.5G').isInteger()": True,
    "quantity('1.5').isInteger()": False,
    "quantity('50k').asInteger()": 50_000,
    "quantity('9999999999999999999999999999999999999G').asInteger()": ERROR,
    "quantity('50.703k').asApproximateFloat()": 50703.0,
    "quantity('50k').sign()": 1,
    "quantity('-50k').sign()": -1,
    "quantity('0').sign()": 0,
    "quantity('50k').add(20) == quantity('50020')": True,
    "quantity('50k').add(quantity('20k')) == quantity('70k')": True,
    "quantity('50k').sub(20000) == quantity('30k')": True,
    "quantity('200M').compareTo(quantity('0.2G'))": 0,
    "quantity('50M').compareTo(quantity('50Mi'))": -1,
    "quantity('50Mi').compareTo(quantity('50M'))": 1,
    "quantity('150Mi').isGreaterThan(quantity('100Mi'))": True,
    "quantity('50M').isLessThan(quantity('100M'))": True,
    "quantity('1Ki') == quantity('1024')": True,
    "quantity('1Ki') == dyn(1024)": ERROR,
    "quantity('ten')": ERROR,
    "quantity('1 Gi')": ERROR,
    "isQuantity('1.3Gi')": True,
    "isQuantity('1.3GB')": False,
    "isQuantity('')": False,
    "isQuantity('200K')": False,
}
VERSIONS = {
    "semver('1.2.3').major()": 1,
    "semver('1.2.3').minor()": 2,
    "semver('1.2.3').patch()": 3,
    "semver('1.2.3') == semver('1.2.3')": True,
    "semver('1.2.3').compareTo(semver('2.0.0'))": -1,
    "semver('1.2.3').isLessThan(semver('1.2.4'))": True,
    "semver('1.2.3-alpha').isLessThan(semver('1.2.3'))": True,
    "semver('1.2.3-alpha.2').isLessThan(semver('1.2.3-alpha.10'))": True,
    "semver('1.2.3+b1').compareTo(semver('1.2.3+b2'))": 0,
    "semver('v1.0')": ERROR,
    "semver('v1.0', true) == semver('1.0.0')": True,
    "semver('v01.01', true) == semver('1.1.0')": True,
    "semver('1', true).minor()": 0,
    "semver('1.2.3', false).patch()": 3,
    "isSemver('1.0.0')": True,
    "isSemver('v1.0')": False,
    "isSemver('v1.0', true)": True,
    "isSemver('hello')": False,
    "isSemver('200K')": False,
    "isSemver('01.0.0')": False,
    "semver('1.2.3').isLessThan('1.2.4')": ERROR,
}
NETWORKS = {
    "ip('127.0.0.1').family()": 4,
    "ip('::1').family()": 6,
    "ip('127.0.0.256')": ERROR,
    "ip(':::1')": ERROR,
    "ip('::ffff:1.2.3.4')": ERROR,
    "ip('fe80::1%eth0')": ERROR,
    "isIP('127.0.0.1')": True,
    "isIP('127.0.0.01')": False,
    "ip.isCanonical('2001:db8::abcd')": True,
    "ip.isCanonical('2001:DB8::ABCD')": False,
    "ip.isCanonical('2001:db8::0:0:0:abcd')": False,
    "ip('0.0.0.0').isUnspecified()": True,
    "ip('192.168.0.1').isLoopback()": False,
    "ip('224.0.0.1').isLinkLocalMulticast()": True,
    "ip('224.0.1.1').isLinkLocalMulticast()": False,
    "ip('ff02::1').isLinkLocalMulticast()": True,
    "ip('169.254.169.254').isLinkLocalUnicast()": True,
    "ip('192.168.0.1').isGlobalUnicast()": True,
    "ip('255.255.255.255').isGlobalUnicast()": False,
    "ip('ff00::1').isGlobalUnicast()": False,
    "ip('10.0.0.1') == ip('10.0.0.1')": True,
    "string(ip('2001:DB8::1'))": "2001:db8::1",
    "isCIDR('192.168.0.0/16')": True,
    "isCIDR('192.168.0.0/33')": False,
    "isCIDR('::1/129')": False,
    "isCIDR('10.0.0.0')": False,
    "cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))": True,
    "cidr('192.168.0.0/24').containsIP('192.168.1.1')": False,
    "cidr('192.168.0.0/24').containsCIDR('192.168.0.0/25')": True,
    "cidr('192.168.1.0/24').containsCIDR('192.168.2.0/24')": False,
    "cidr('192.168.0.1/24').masked() == cidr('192.168.0.0/24')": True,
    "cidr('192.168.0.1/24') == cidr('192.168.0.0/24')": False,
    "cidr('192.168.0.0/16').prefixLength()": 16,
    "cidr('::1/128').ip().family()": 6,
    "string(cidr('10.1.0.0/16'))": "10.1.0.0/16",
}
LISTS = {
    "[1, 2, 3].isSorted()": True,
    "['b', 'a'].isSorted()": False,
    "[].isSorted()": True,
    "[1, 3].sum()": 4,
    "[1.0, 3.0].sum()": 4.0,
    "[].sum()": 0,
    "[duration('1s'), duration('2s')].sum() == duration('3s')": True,
    "[1, 3].min()": 1,
    "[1, 3].max()": 3,
    "[].min()": ERROR,
    "[1, 2, 2, 3].indexOf(2)": 1,
    "['a', 'b', 'b'].lastIndexOf('b')": 2,
    "[1.0].indexOf(1.1)": -1,
    "[9223372036854775807, 1].sum()": ERROR,
    "'abc 123'.find('[0-9]+')": "123",
    "'abc 123'.find('xyz')": "",
    "'123 abc 456'.findAll('[0-9]+') == ['123', '456']": True,
    "'123 abc 456'.findAll('[0-9]+', 1) == ['123']": True,
    "'123 abc 456'.findAll('xyz') == []": True,
    "'abc'.find('(')": ERROR,
}


@pytest.mark.parametrize("table", [QUANTITIES, VERSIONS, NETWORKS, LISTS])
def test_functions_of_kubernetes(table):
    for expression, expected in table.items():
        if expected is ERROR:
            with pytest.raises((CelError, CompileError)):
                value_of(expression)
        else:
            assert canonical(value_of(expression)) == canonical(expected), expression


def test_what_is_not_evaluated_says_so():
    for expression in ("url('https://a.io').getHost()", "isURL('a')", "format.named('uuid').hasValue()"):
        with pytest.raises(CompileError, match="is not evaluated here"):
            value_of(expression)
    with pytest.raises(CelError, match="zones by name are not evaluated"):
        value_of("timestamp(0).getHours('Europe/Paris')")
