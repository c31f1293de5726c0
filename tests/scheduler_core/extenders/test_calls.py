"""The texts are those of Go's net/http for a client with a time-out."""

from __future__ import annotations

import pytest

from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply

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
