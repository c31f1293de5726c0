from __future__ import annotations

import ssl

import pytest

from scheduler_core.extenders.http import exchange
from scheduler_core.extenders.http.exchange import CallError, RequestTarget, parse_target


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://a.example/x/filter", RequestTarget("http", "a.example", 80, "a.example", "/x/filter", "")),
        ("https://a.example:8443?q=1", RequestTarget("https", "a.example", 8443, "a.example:8443", "/?q=1", "")),
        ("http://[::1]:80/a b%20ä", RequestTarget("http", "::1", 80, "[::1]:80", "/a%20b%20%C3%A4", "")),
        ("http://u@A.example/", RequestTarget("http", "a.example", 80, "A.example", "/", "Basic dTo=")),
        ("https://a.example/f#part", RequestTarget("https", "a.example", 443, "a.example", "/f", "")),
    ],
)
def test_an_address_says_where_a_request_goes(url, target):
    assert parse_target(url) == target


@pytest.mark.parametrize("url", ["http://a\r\nX: y/", "gopher://a/", "http://", "http://a:99999/", "http://[::1/"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(CallError):
        parse_target(url)


# OpenSSL's X509_V_ERR_*: no issuer, self-signed, self-signed in the chain, no issuer here, no signature verified.
@pytest.mark.parametrize(
    ("code", "is_unknown"), [(2, True), (18, True), (19, True), (20, True), (21, True), (10, False), (62, False)]
)
def test_a_chain_that_ends_at_nobody_who_is_trusted_is_signed_by_an_unknown_authority(code, is_unknown):
    problem = ssl.SSLCertVerificationError(1, "refused")
    problem.verify_code, problem.verify_message = code, "Certificate is another."
    said = exchange._dial_reason(problem, "a.example")
    assert said.startswith("tls: failed to verify certificate: x509: ")
    assert said.endswith("unknown authority" if is_unknown else "certificate is another")
