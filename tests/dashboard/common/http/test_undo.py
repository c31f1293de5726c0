"""The address of what a message offers to undo."""

from __future__ import annotations

import pytest

from dashboard.common.http.undo import undo_url


@pytest.mark.parametrize(("tags", "url"), [("undo:/x?tab=nodes", "/x?tab=nodes"), ("", ""), (None, ""), ("other", "")])
def test_the_address_stands_in_the_tags(tags, url):
    assert undo_url(tags) == url
