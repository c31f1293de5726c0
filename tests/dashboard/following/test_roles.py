"""Who may use which address of following: the table role x endpoint."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.dashboard.role_tables import assert_each_address_has_a_row, assert_each_role_gets_its_answer

# name, method, smallest role that may, form data, status for those who may
ENDPOINTS = [
    ("live", "get", "viewer", {}, 200),
    ("why", "post", "editor", {"pod": "default/big"}, 302),
    ("version", "post", "editor", {"version": "v1.34.1"}, 302),
    ("compare", "post", "editor", {}, 302),
    ("stop_comparing", "post", "editor", {}, 302),
]
OF_TOKENS = {"collect"}
"""Addresses that take a token alone (test_receive_views.py)."""


@pytest.mark.parametrize(
    ("name", "method", "needed", "data", "status"), ENDPOINTS, ids=[f"{e[1]} {e[0]}" for e in ENDPOINTS]
)
def test_each_endpoint_lets_in_who_may(people, followed, name, method, needed, data, status):
    url = reverse(f"following:{name}", args=["team", followed.slug])
    assert_each_role_gets_its_answer(people, needed, status, lambda person, _: getattr(person, method)(url, data))


def test_every_address_is_in_the_table():
    assert_each_address_has_a_row("following", {endpoint[0] for endpoint in ENDPOINTS} | OF_TOKENS)


@pytest.mark.parametrize("name", ["why", "version", "compare", "stop_comparing"])
def test_writes_refuse_get(editor, followed, name):
    assert editor.get(reverse(f"following:{name}", args=["team", followed.slug])).status_code == 405
