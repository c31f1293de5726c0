"""Who reads which page: known while a view runs, the same for all parts of one page."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from dashboard.common.http.page_reader import NOBODY, PageReader, page_name, page_reader, reading


def request(path, **headers):
    """Return a request with these headers."""
    return RequestFactory().get(path, headers=headers)


def test_the_reader_is_known_while_the_view_runs_and_not_afterwards():
    shown = request("/w/team/")

    def view():
        with reading(shown, 7):
            assert page_reader() == PageReader(7, page_name(shown))
            raise KeyError

    with pytest.raises(KeyError):
        view()
    assert page_reader() == NOBODY


HERE = "https://here/runs/1/?cycle=3"


@pytest.mark.parametrize(
    ("headers", "is_same"),
    [
        ({"HX-Current-URL": HERE, "Referer": "https://here/other/"}, True),
        ({"HX-Current-URL": f"{HERE}#why"}, True),
        ({"HX-Current-URL": "https://here/runs/1/?cycle=4"}, False),
        ({"Accept": "*/*", "Referer": HERE}, True),
        ({"Accept": "text/html,application/xml;q=0.9", "Referer": HERE}, False),
        ({"HX-Boosted": "true", "HX-Current-URL": HERE}, False),
        ({}, False),
    ],
    ids=["by htmx", "at a place of it", "of another address", "by itself", "the next page", "boosted", "of no page"],
)
def test_parts_that_a_page_fetches_are_of_that_page(headers, is_same):
    part = request("/part/?cycle=3", **headers)
    assert (page_name(part) == page_name(request("/runs/1/?cycle=3"))) is is_same


@pytest.mark.parametrize("header", ["HX-Current-URL", "Referer"])
def test_an_address_that_nobody_can_read_names_a_page_too(header):
    unreadable = page_name(request("/part/", **{header: "http://["}))
    assert unreadable
    assert unreadable != page_name(request("/part/", **{header: HERE}))
