"""What pages may say of people, and how much of it."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.live.presence.messages import ROLES, ClientMessage, LookAt, Since, Spot, decode


def test_every_message_has_its_role():
    assert set(ROLES) == set(ClientMessage.__args__)


def test_messages_are_read():
    assert decode('{"type": "since"}') == Since()
    assert decode('{"type": "look", "path": "runs/7/", "query": "cycle=3&q=a%20b"}').room == "runs/7"
    assert decode('{"type": "look", "path": "clusters/prod/"}') == LookAt("clusters/prod/")
    assert decode('{"type": "point", "node": "a.b-1", "plugin": "NodeName", "column": "filter"}') == Spot(
        "a.b-1", "NodeName", "filter"
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "look", "path": "//evil.example/"}',
        '{"type": "look", "path": "runs/7/../../"}',
        '{"type": "look", "path": "runs/7/", "query": "<script>"}',
        '{"type": "look", "path": "runs/7/", "query": "' + "a" * 1201 + '"}',
        '{"type": "look", "path": "' + "a/" * 61 + '"}',
        '{"type": "look", "path": "runs/7/", "name": "Somebody else"}',
        '{"type": "point", "node": ""}',
        '{"type": "point", "node": "\\u202e"}',
        '{"type": "point", "node": "a", "column": "total"}',
        '{"type": "where", "member": 0}',
        '{"type": "where", "member": "1"}',
        '{"type": "people", "here": []}',
    ],
)
def test_what_is_no_message_is_refused(text):
    with pytest.raises(msgspec.MsgspecError):
        decode(text)
