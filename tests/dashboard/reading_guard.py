"""Readers of foreign text, and of a run's inputs, raise where a transaction is open, in all tests of the dashboard.

SQLite has one writer at a time: what is read while a transaction is open keeps all others from writing as long as the
reading takes, and a text from outside says how long that is. So each test that drives an action also shows that it
reads before it writes.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connection

from dashboard.runs import inputs
from scheduler_core.engine import timelines
from scheduler_core.engine.branches import change_lists
from scheduler_core.extenders.tape.reader import Tape
from scheduler_core.manifests import loader
from scheduler_core.manifests.forms import recognising
from scheduler_core.manifests.parsing import archive_entries, json_values, sources, yaml_events
from scheduler_core.query import grammar

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.db.transaction import Atomic


class ReadInTransaction(AssertionError):
    """A reader was called while a transaction is open that is not the test's own."""


class GuardedReader(NamedTuple):
    """A function or method that everything of a reader goes through, by the module or class that looks it up."""

    of: Any
    name: str


GUARDED = (
    GuardedReader(loader._Loader, "__init__"),
    GuardedReader(yaml_events.Reader, "__init__"),
    GuardedReader(sources, "read_json"),
    GuardedReader(recognising, "file_head"),
    GuardedReader(json_values, "new_decoder"),
    GuardedReader(archive_entries.EntryReader, "__init__"),
    GuardedReader(timelines, "_entry"),
    GuardedReader(change_lists._Reading, "__init__"),
    GuardedReader(Tape, "__init__"),
    GuardedReader(grammar.Reading, "__init__"),
    GuardedReader(inputs, "load_objects"),
    GuardedReader(inputs, "load_configuration"),
)


def is_in_transaction() -> bool:
    """Return whether a transaction is open besides the one that a test runs in."""
    return any(not block._from_testcase for block in connection.atomic_blocks)


def own_block(block: Atomic) -> Atomic:
    """Return the transaction as one that a test opens around an action, so that readers may be called in it."""
    block._from_testcase = True
    return block


def guard() -> None:
    """Have all readers of this process raise where a transaction is open."""
    for one in GUARDED:
        read = getattr(one.of, one.name)
        if not hasattr(read, "is_guarded"):
            setattr(one.of, one.name, _guarded(read))


def _guarded(read: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(read)
    def inner(*args: Any, **named: Any) -> Any:
        if is_in_transaction():
            raise ReadInTransaction(f"{read.__module__}.{read.__qualname__} was called while a transaction is open")
        return read(*args, **named)

    inner.is_guarded = True  # type: ignore[attr-defined]
    return inner
