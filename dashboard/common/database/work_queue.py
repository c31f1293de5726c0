"""A table as a queue of work: pages ask for rows, background workers claim them and say how far they are.

The table is the truth and a message only wakes a worker up, so a message that is lost is sent again by the next page
that asks. A row of such a table has the fields `asked_at` (None: nothing is to be done) and `claimed_at` (None: no
worker is at it); a claim that is not renewed for a minute is given up for lost, and another worker may take the row.
"""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from django.db import InterfaceError, OperationalError
from django.db.models import Model, Q
from django.db.models.functions import Now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from django.db.models import QuerySet

    Errors = tuple[type[Exception], ...]

Row = TypeVar("Row", bound=Model)
log = logging.getLogger(__name__)

SENT_AGAIN = timedelta(seconds=10)
ABANDONED = timedelta(seconds=60)
# Times are from the database's clock or a web server's, which differ by less.
CLOCKS_DIFFER = timedelta(seconds=60)
PROGRESS_SECONDS = 0.5
CLAIMED_AT_ONCE = 8


def longer_ago(field: str, than: timedelta) -> Q:
    """Return the condition that the time in this field is longer ago than that, by the database's clock.

    A time that is still to come was written before the clock was set back, and counts as long ago: otherwise rows would
    wait until the clock has caught up.
    """
    return Q(**{f"{field}__lt": Now() - than}) | Q(**{f"{field}__gt": Now() + CLOCKS_DIFFER})


def unclaimed() -> Q:
    """Return the condition of rows that no live worker is at."""
    return Q(claimed_at=None) | longer_ago("claimed_at", ABANDONED)


def ask(rows: QuerySet[Any], **fields: Any) -> bool:
    """Ask for these rows, their `fields` set so, where nobody asks yet; return whether a worker is to be woken up."""
    return bool(rows.filter(asked_at=None).update(asked_at=Now(), claimed_at=None, **fields))


def ask_again(rows: QuerySet[Any]) -> bool:
    """Return whether the message for these rows may be lost, so that another is to be sent."""
    return bool(rows.filter(unclaimed(), longer_ago("asked_at", SENT_AGAIN)).update(asked_at=Now()))


def claim(rows: QuerySet[Row], *order: Any) -> Iterator[Row]:
    """Claim a few of these rows, one at a time, and yield each; no other worker yields it too.

    The next one is the first in this order, as it is by then; those that wait longest without one.
    """
    waiting = rows.filter(unclaimed(), asked_at__isnull=False)
    for _ in range(CLAIMED_AT_ONCE):
        row = waiting.order_by(*order, "asked_at").first()
        if row is None:
            return
        if rows.filter(unclaimed(), asked_at__isnull=False, pk=row.pk).update(claimed_at=Now()):
            yield row


class ClaimProgress:
    """Writes how far a claimed row is, at most every half second; each writing renews the claim."""

    def __init__(self, rows: QuerySet[Any]) -> None:
        self._rows = rows
        self._written_at = time.monotonic()

    def __call__(self, **fields: Any) -> None:
        """Write these fields, unless others were written less than half a second ago."""
        if time.monotonic() - self._written_at > PROGRESS_SECONDS:
            self._written_at = time.monotonic()
            self._rows.update(claimed_at=Now(), **fields)


def run_job(row: Model, job: Callable[[], object], expected: Errors, passed_on: Errors = ()) -> str:
    """Do the job of this row; return "" or why it failed. An error that is not `expected` is logged too: it is a bug.

    Raises OperationalError or InterfaceError where the database failed, and errors of the types `passed_on`.
    """
    unanswered: Errors = (OperationalError, InterfaceError, *passed_on)
    try:
        job()
    except unanswered:
        raise
    except expected as problem:
        return str(problem)
    except Exception as problem:
        log.exception("%s: failed", row)
        return f"{type(problem).__name__}: {problem}"
    return ""
