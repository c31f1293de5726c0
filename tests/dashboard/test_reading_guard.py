"""No action reads foreign text or a run's inputs while a transaction is open.

The guard is set in all tests of the dashboard; here is shown that it is, and that each address which takes a POST is
driven by one of them.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from django.db import transaction
from django.urls import URLPattern, get_resolver

from dashboard.clusters.editor.object_text import check_text
from dashboard.documents.configurations.checking import check_config
from dashboard.documents.extenders.tape_files import checked_tape
from dashboard.documents.timelines.checking import check_timeline
from dashboard.runs.inputs import inputs_with
from scheduler_core.query import parse
from scheduler_core.simulate import changes_from_raw
from tests.dashboard.reading_guard import ReadInTransaction, is_in_transaction

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent


@pytest.mark.django_db
@pytest.mark.parametrize(
    "read",
    [
        lambda: check_text("kind: Node"),
        lambda: check_config("kind: Node"),
        lambda: check_timeline("entries: []"),
        lambda: checked_tape(None, "t"),
        lambda: parse("pod = a"),
        lambda: changes_from_raw({"changes": []}, None),
        lambda: inputs_with(SimpleNamespace(revision=None), ()),
    ],
    ids=["manifests", "configuration", "timeline", "tape", "query", "changes", "inputs of a run"],
)
def test_a_reader_refuses_to_read_while_a_transaction_is_open(read):
    assert not is_in_transaction()
    with transaction.atomic(), pytest.raises(ReadInTransaction):
        read()


def _posts(patterns: Any, namespace: str = "") -> Iterator[tuple[str, str]]:
    """(namespace:name, the end of the address) of each address whose view takes a POST."""
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            if "POST" in getattr(pattern.callback, "allowed_methods", ()):
                yield f"{namespace}:{pattern.name}", str(pattern.pattern).rpartition(">")[2].strip("/")
        else:
            yield from _posts(pattern.url_patterns, pattern.namespace or namespace)


@cache
def _texts() -> dict[str, str]:
    return {str(path.relative_to(TESTS)): path.read_text() for path in TESTS.rglob("*.py")}


@pytest.mark.parametrize(("name", "end"), sorted(set(_posts(get_resolver().url_patterns))))
def test_a_test_drives_each_address_that_takes_a_post(name, end):
    app, _, own = name.partition(":")
    texts = [text for path, text in _texts().items() if path.startswith(f"{app}/") and "post" in text]
    named = any(f'"{name}"' in text for text in _texts().values()) or any(f'"{own}"' in text for text in texts)
    last = end.rpartition("/")[2]
    assert named or (last and any(re.search(rf"[/}}\"]{last}\b", text) for text in texts))
