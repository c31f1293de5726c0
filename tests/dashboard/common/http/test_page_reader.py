"""Who reads which page: known while a view runs, the same for all parts of one page."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from dashboard.common.http.page_reader import NOBODY, PageReader, page_of, page_reader, reading


def request(path, **headers):
    """Return a request, by htmx where it says which page is shown."""
    return RequestFactory().get(path, headers=headers)


def test_the_reader_is_known_while_the_view_runs_and_not_afterwards():
    shown = request("/w/team/")

    def view():
        with reading(shown, 7):
            assert page_reader() == PageReader(7, page_of(shown))
            raise KeyError

    with pytest.raises(KeyError):
        view()
    assert page_reader() == NOBODY


@pytest.mark.parametrize(
    ("part", "is_same"),
    [
        (request("/part/", **{"HX-Request": "true", "HX-Current-URL": "https://here/runs/1/?cycle=3"}), True),
        (request("/part/", **{"HX-Request": "true", "HX-Current-URL": "https://here/runs/1/?cycle=3#why"}), True),
        (request("/part/", **{"HX-Request": "true", "HX-Current-URL": "https://here/runs/1/?cycle=4"}), False),
        (request("/part/", **{"HX-Current-URL": "https://here/runs/1/?cycle=3"}), False),
        (request("/part/", **{"HX-Request": "true"}), False),
    ],
    ids=["part of it", "at a place of it", "at another address", "no htmx", "of no page"],
)
def test_parts_that_a_page_fetches_are_of_that_page(part, is_same):
    assert (page_of(part) == page_of(request("/runs/1/?cycle=3"))) is is_same
