"""Pages come compressed to those who take it, archives as they are, and the CSRF token masked."""

from __future__ import annotations

import gzip
import re

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from dashboard.common.http.compression import CompressedTextsMiddleware

TOKEN = re.compile(r'name="csrf-token" content="(\w+)"')


def test_a_page_comes_compressed(owner):
    plain = owner.get("/w/team/")
    packed = owner.get("/w/team/", HTTP_ACCEPT_ENCODING="gzip")
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert len(packed.content) < len(plain.content) / 2
    assert "<main" in gzip.decompress(packed.content).decode()
    assert not plain.has_header("Content-Encoding")


def test_the_token_of_two_answers_differs(owner):
    tokens = {TOKEN.search(owner.get("/w/team/").content.decode())[1] for _ in range(3)}
    assert len(tokens) == 3


@pytest.mark.parametrize(
    ("kind", "is_packed"), [("text/csv", True), ("application/json", True), ("application/zip", False)]
)
def test_texts_are_compressed_and_archives_are_not(kind, is_packed):
    middleware = CompressedTextsMiddleware(lambda _: HttpResponse(b"abc" * 1_000, content_type=kind))
    answer = middleware(RequestFactory().get("/", HTTP_ACCEPT_ENCODING="gzip"))
    assert answer.has_header("Content-Encoding") == is_packed


@pytest.mark.parametrize(
    ("address", "is_part", "is_packed"),
    [
        ("127.0.0.1", True, False),
        ("::1", True, False),
        ("127.0.0.1", False, True),
        ("192.0.2.7", True, True),
        ("", True, True),
    ],
)
def test_a_part_for_a_browser_on_this_machine_is_sent_as_it_is(address, is_part, is_packed):
    middleware = CompressedTextsMiddleware(lambda _: HttpResponse(b"abc" * 1_000))
    headers = {"HTTP_HX_REQUEST": "true"} if is_part else {}
    request = RequestFactory().get("/", HTTP_ACCEPT_ENCODING="gzip", REMOTE_ADDR=address, **headers)
    assert middleware(request).has_header("Content-Encoding") == is_packed
