"""Passwords that are tried are counted before they are checked, so that of forty at once only a few are.

Three counters, each a row with the time at which its window began: of an account from one address, of an address
over all accounts, of an account over all addresses. A try takes one from each; where a counter is used up the password
is not looked at, right or wrong. A right password gives back what it took. Example: six tries for Vera from one address
within five minutes: the sixth is refused; sixty accounts from one address, one try each: forty of them are refused.

Somebody who guesses must not lock Vera out: from an address at which she was signed in before, only what that very
address tried for her counts. Others may use up the counters of her account, and of an office's shared address,
without effect.

An address is one IPv4 address or one IPv6 /64, which is what a single host may choose from (`clients.site_of`).
Links of invitations and sign-ins are not counted: they hold 256 random bits, and are the way in while a counter is used
up. An account is made by such a link only.

A clock that jumps locks nobody out for longer than two windows: a count that began more than a window later than now
began before the clock was set back, and begins again. Smaller differences are left alone, as hosts' clocks differ.
Example: at 14:00 by a clock that is an hour fast five tries fail; set back to 13:00, the sixth begins again.

Cost: one statement per counter, which raises and reads it at once, so several processes and both databases agree. No
transaction holds two counters, so there is no order in which they could wait for each other.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from dashboard.accounts.models import KnownAddress, SigninFailures, User
from dashboard.common.http.clients import client_network

TRIES = 5  # of one account from one address
TRIES_PER_ACCOUNT = 10  # from all addresses at which it was not signed in before
TRIES_PER_ADDRESS = 20  # for all accounts
WINDOW = timedelta(minutes=5)
SWEEP_ROWS = 1_000
KNOWN_FOR = timedelta(days=180)
KNOWN_ADDRESSES = 50

TAKE = """
INSERT INTO accounts_signinfailures AS held (key, count, window_started_at) VALUES (%(key)s, 1, %(now)s)
ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN held.window_started_at > %(over)s AND held.window_started_at <= %(ahead)s
    THEN held.count + 1 ELSE 1 END,
  window_started_at = CASE WHEN held.window_started_at > %(over)s AND held.window_started_at <= %(ahead)s
    THEN held.window_started_at ELSE %(now)s END
RETURNING count
"""


@dataclass(frozen=True)
class Try:
    """One password that somebody wants to try: whether it may be looked at, and how many more may afterwards."""

    keys: tuple[str, ...]
    left: int

    @property
    def is_refused(self) -> bool:
        """Return whether a counter was used up."""
        return self.left < 0


def take(email: str, address: str) -> Try:
    """Count a try and return it; the password may be checked unless it is refused."""
    email, site, now = email.strip().lower(), client_network(address), timezone.now()
    pair, of_address, of_account = _key("pair", email, site), _key("address", site), _key("account", email)
    counters = [(pair, TRIES)]
    if not _is_known(email, site, now):
        # The address first: what it refuses does not use up the account's counter.
        counters = [(of_address, TRIES_PER_ADDRESS), (pair, TRIES), (of_account, TRIES_PER_ACCOUNT)]
    taken, left = [], TRIES
    for key, limit in counters:
        taken.append(key)
        left = min(left, limit - _take(key, now))
        if left < 0:
            break
    return Try(tuple(taken), left)


def give_back(tried: Try, email: str, address: str) -> None:
    """Give back what a right password took; the account's wrong ones from this address are forgotten."""
    SigninFailures.objects.filter(key=_key("pair", email.strip().lower(), client_network(address))).delete()
    for key in tried.keys:
        SigninFailures.objects.filter(key=key, count__gt=0).update(count=F("count") - 1)


def remember(user: User, address: str) -> None:
    """Note that the user was signed in at this address; old and surplus notes, and sessions that ended, are dropped."""
    now = timezone.now()
    Session.objects.filter(expire_date__lte=now).delete()
    KnownAddress.objects.update_or_create(
        user=user, site_hash=_site_hash(client_network(address)), defaults={"last_seen_at": now}
    )
    KnownAddress.objects.filter(user=user, last_seen_at__lte=now - KNOWN_FOR).delete()
    surplus = KnownAddress.objects.filter(user=user).order_by("-last_seen_at", "-pk")[KNOWN_ADDRESSES:]
    KnownAddress.objects.filter(pk__in=list(surplus.values_list("pk", flat=True))).delete()


def _is_known(email: str, site: str, now: datetime) -> bool:
    addresses = KnownAddress.objects.filter(user__email=email, site_hash=_site_hash(site))
    return addresses.filter(last_seen_at__gt=now - KNOWN_FOR).exists()


def _site_hash(site: str) -> str:
    # Keyed: there are few enough IPv4 addresses to find one by its plain hash.
    return salted_hmac("dashboard.accounts.throttle", site, algorithm="sha256").hexdigest()


def _key(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _take(key: str, now: datetime) -> int:
    """Raise the counter and return it, this try included; a window that is over begins again."""
    moment = connection.ops.adapt_datetimefield_value
    with connection.cursor() as cursor:
        times = {"now": moment(now), "over": moment(now - WINDOW), "ahead": moment(now + WINDOW)}
        cursor.execute(TAKE, {"key": key, **times})
        count = int(cursor.fetchall()[0][0])
    if count == 1:
        _sweep(now)
    return count


def _sweep(now: datetime) -> None:
    """Drop counters whose window is over: each new one pays for it. Those that somebody raises just now are left."""
    with transaction.atomic():
        ended = Q(window_started_at__lte=now - WINDOW) | Q(window_started_at__gt=now + WINDOW)
        over = SigninFailures.objects.filter(ended)
        keys = over.select_for_update(skip_locked=True).values_list("pk", flat=True)[:SWEEP_ROWS]
        SigninFailures.objects.filter(pk__in=list(keys)).delete()
