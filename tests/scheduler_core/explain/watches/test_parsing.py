"""Watches are read from a closed list of forms; what is wrong is named with its column."""

from __future__ import annotations

import pytest

from scheduler_core.explain.watches import FORMS, MAX_WATCH_LENGTH, Watch, WatchKind, parse_watch
from scheduler_core.query import QueryError


@pytest.mark.parametrize(
    ("text", "watch"),
    [
        ("free cpu of node-7", Watch(WatchKind.FREE, "node-7", "cpu")),
        ("  Used   nvidia.com/gpu OF a.b ", Watch(WatchKind.USED, "a.b", "nvidia.com/gpu")),
        ("pods on node-7", Watch(WatchKind.PODS, "node-7")),
        ("length of backoffq", Watch(WatchKind.LENGTH, "backoffQ")),
        ("length of in  flight", Watch(WatchKind.LENGTH, "in flight")),
        ("state of pod shop/web-1", Watch(WatchKind.STATE, "shop/web-1")),
        ("count of tie  and attempts>3 ", Watch(WatchKind.COUNT, "tie  and attempts>3")),
    ],
)
def test_each_form_is_read_and_written_again(text, watch):
    assert parse_watch(text) == watch
    assert parse_watch(watch.text) == watch


def test_every_kind_has_a_form():
    assert set(FORMS) == set(WatchKind)


@pytest.mark.parametrize(
    ("text", "column", "part"),
    [
        ("", 1, "nothing to watch"),
        ("  busy cpu of node-7", 3, "'busy' cannot be watched"),
        ("free", 5, "a resource"),
        ("free <b> of node-7", 6, "'<b>' cannot be the name of a resource"),
        ("free cpu in node-7", 10, '"of" is missing'),
        ("free cpu of", 12, "the name of a node"),
        ("free cpu of Node_7", 13, "cannot be the name of a node"),
        ("free cpu of node-7 now", 20, "nothing may follow"),
        ("pods at node-7", 6, '"on" is missing'),
        ("length of queue", 11, "'queue' is no lane"),
        ("state of shop/web-1", 10, '"pod" is missing'),
        ("state of pod web-1", 14, "is not the name of a pod"),
        ("count of", 9, "a query is missing"),
        ("count of margin:x", 17, "margin"),
        ("count of pod:a and", 19, ""),
        ("pods on \x00", 9, "cannot be printed"),
        ("pods on \u202eedon", 9, "cannot be printed"),
        ("x" * (MAX_WATCH_LENGTH + 1), MAX_WATCH_LENGTH + 1, "at most"),
    ],
)
def test_what_is_wrong_is_named_with_its_column(text, column, part):
    with pytest.raises(QueryError) as raised:
        parse_watch(text)
    assert raised.value.column == column
    assert part in raised.value.message


@pytest.mark.parametrize(
    "text",
    [f"count of {'(' * 500}", f"free {'a.' * 250}! of b", f"pods on {'a-' * 250}_", f"length of {'in ' * 150}"],
)
@pytest.mark.timeout(60)
def test_long_hostile_texts_are_refused(text):
    """An expression that tries all ways to split such a text would take years."""
    with pytest.raises(QueryError):
        parse_watch(text)
