"""A form that makes something carries a token, so that four clicks make one thing and each answer leads to it.

The token is claimed in the transaction that makes the thing, together with the address that it got. Who comes second,
in whichever process, waits for that transaction: the key is unique. If it was rolled back (a field was wrong, a process
died) the second makes the thing; otherwise `Repeated` carries the address, and the middleware leads there.

The key is a hash of reader, address, token and fields. A page that the browser's Back button brings up again has the
same token, but with another seed in it means another run.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone

from dashboard.accounts.models import SubmittedForm
from dashboard.common.http.params import text_param
from dashboard.common.problems import Problem, Repeated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest

FIELD = "once"
TOKEN_LENGTH = 64
KEPT_FOR = timedelta(days=1)
SWEEP_ROWS = 1_000
# They change from one answer to the next, or say nothing of what is asked for.
LEFT_OUT = {FIELD, "csrfmiddlewaretoken"}


class Claim:
    """What `once` gives: a view says by it where the thing is that was made."""

    location = ""

    def leads_to(self, location: str) -> str:
        """Remember the address that every further answer to the same form leads to; return it."""
        self.location = location
        return location


@contextmanager
def once(request: HttpRequest) -> Iterator[Claim]:
    """Make what the form asks for inside of this, and name its address by `leads_to`; one transaction.

    Raises Repeated where the same form was answered before. A form without a token (a script's) is taken as it comes.
    Nothing is read or checked here that could be before, in `before_once`: SQLite has one writer at a time.
    """
    token, claim = text_param(request.POST, FIELD, TOKEN_LENGTH), Claim()
    with transaction.atomic():
        row = _claimed(_key(request, token)) if token else None
        yield claim
        if row is not None:
            if not claim.location:
                raise ValueError("the form made nothing that has an address")
            row.location = claim.location
            row.save(update_fields=["location"])


@contextmanager
def before_once(request: HttpRequest) -> Iterator[None]:
    """Read and check inside of this what the form sent, and what `once` will make of it; no transaction is open.

    Raises Repeated where the same form was answered before, also where that came meanwhile and is why a check fails.
    """
    led_before(request)
    try:
        yield
    except Problem:
        led_before(request)
        raise


def led_before(request: HttpRequest) -> None:
    """Raise Repeated where the same form was answered before; for views whose thing is gone once it was done."""
    token = text_param(request.POST, FIELD, TOKEN_LENGTH)
    submitted = SubmittedForm.objects.filter(key=_key(request, token)).first() if token else None
    if submitted is not None:
        raise Repeated(submitted.location)


def _key(request: HttpRequest, token: str) -> str:
    fields = sorted((name, values) for name, values in request.POST.lists() if name not in LEFT_OUT)
    return hashlib.sha256(repr((request.user.pk, request.path, token, fields)).encode()).hexdigest()


def _claimed(key: str) -> SubmittedForm:
    try:
        with transaction.atomic():
            row = SubmittedForm.objects.create(key=key)
    except IntegrityError:
        raise Repeated(SubmittedForm.objects.get(key=key).location) from None
    old = SubmittedForm.objects.filter(created_at__lte=timezone.now() - KEPT_FOR)
    rows = old.select_for_update(skip_locked=True).values_list("pk", flat=True)[:SWEEP_ROWS]
    SubmittedForm.objects.filter(pk__in=list(rows)).delete()
    return row
