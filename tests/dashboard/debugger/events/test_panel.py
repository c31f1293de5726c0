"""The list of events beside a cursor: what it says where nothing passes the filter, what it escapes."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.django_db


def test_a_filter_that_nothing_passes_says_so_and_offers_all(run, look):
    page = look(run, name="debugger:events", seq=0, about="pod:nobody").content.decode()
    assert "No event matches" in page
    assert "Clear" in page


def test_what_an_address_says_is_escaped(run, look):
    page = look(run, name="debugger:events", seq=1, about='"><i>now').content.decode()
    assert "<i>now" not in page
