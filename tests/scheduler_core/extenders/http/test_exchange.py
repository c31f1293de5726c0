from __future__ import annotations

import pytest

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
