"""The texts are those of Go's net/http for a client with a time-out."""

from __future__ import annotations

import pytest

from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply, without_password

URL = "http://ext.example/filter"


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (ExtenderReply(200, b"{}"), ""),
        (ExtenderReply(500), ""),
        (
            ExtenderReply(fault="timeout"),
            f'Post "{URL}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
        ),
        (ExtenderReply(fault="closed"), f'Post "{URL}": EOF'),
        (ExtenderReply(fault="the request is not on the tape"), "the request is not on the tape"),
    ],
)
def test_a_fault_has_the_text_that_kube_scheduler_reports(reply, text):
    call = ExtenderCall(step=1, extender=0, verb="filter", url=URL, request={})
    assert reply.fault_text(call) == text


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://me:secret@ext.example/filter", "http://me:***@ext.example/filter"),
        ("http://me@ext.example/filter", "http://me@ext.example/filter"),
        ("http://ext.example/a:b@c", "http://ext.example/a:b@c"),
        (URL, URL),
    ],
)
def test_a_password_in_an_address_is_not_shown(url, shown):
    assert without_password(url) == shown
