"""What messages offer beside their words."""

from __future__ import annotations

import pytest
from django.contrib.messages import get_messages
from django.contrib.messages.storage.fallback import FallbackStorage

from dashboard.common.http.undo import message_link, tell_with_link, undo_url


@pytest.mark.parametrize(("tags", "url"), [("undo:/x?tab=nodes", "/x?tab=nodes"), ("", ""), (None, ""), ("other", "")])
def test_the_address_stands_in_the_tags(tags, url):
    assert undo_url(tags) == url


def test_a_message_has_a_link(rf):
    request = rf.get("/")
    request.session = {}
    request._messages = FallbackStorage(request)
    tell_with_link(request, "made", "/w/team/timelines/a/", "Edit the arrivals")
    [message] = get_messages(request)
    assert message_link(message.extra_tags) == ("/w/team/timelines/a/", "Edit the arrivals")
    assert undo_url(message.extra_tags) == ""
    assert message_link(None) == message_link("undo:/x") == ("", "")
