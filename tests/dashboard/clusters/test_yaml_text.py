"""The text of an editor on its way in."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from dashboard.clusters.yaml_text import MAX_TEXT, text_in
from dashboard.common.problems import TooLarge


def sent(**fields):
    return text_in(RequestFactory().post("/", fields))


def test_line_ends_of_browsers_become_plain_ones():
    assert sent(text="a: 1\r\nb: 2\r\n") == "a: 1\nb: 2\n"
    assert sent(other="x") == ""


def test_a_text_above_the_limit_is_refused(settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = None
    assert len(sent(text="x" * MAX_TEXT)) == MAX_TEXT
    with pytest.raises(TooLarge, match="Import it as a file"):
        sent(text="x" * (MAX_TEXT + 1))
