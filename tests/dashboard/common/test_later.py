"""Views that are imported when they are first asked for."""

from __future__ import annotations

import sys

import pytest
from django.urls import get_resolver

from dashboard.common.later import LaterView

SAMPLE = """
def page(request, *, number):
    return request, number

page.allowed_methods = ("GET",)
"""


@pytest.fixture
def module(monkeypatch, tmp_path):
    """A module that is imported by nobody else."""
    (tmp_path / "later_sample.py").write_text(SAMPLE)
    monkeypatch.syspath_prepend(tmp_path)
    yield "later_sample"
    sys.modules.pop("later_sample", None)


def test_the_module_is_imported_with_the_first_request_and_not_before(module):
    view = LaterView(module, "page")
    assert (view.__name__, view.__module__) == ("page", module)
    assert not hasattr(view, "view_class")
    assert module not in sys.modules
    assert view("asked", number=3) == ("asked", 3)
    assert module in sys.modules


def test_it_says_of_itself_what_the_view_says(module):
    assert LaterView(module, "page").allowed_methods == ("GET",)


def test_every_such_address_has_its_view():
    """A name that no module has would be noticed with its first request alone."""
    views = [one.callback for resolver in get_resolver().url_patterns for one in getattr(resolver, "url_patterns", ())]
    later = [view for view in views if isinstance(view, LaterView)]
    assert len(later) == 12
    assert all(callable(view._view) for view in later)
