"""Signing in and joining by many at one moment, over HTTP: limits hold, an account is made once, a link works once."""

from __future__ import annotations

import http.client
import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from dashboard.accounts.throttle import TRIES, TRIES_PER_ACCOUNT, TRIES_PER_ADDRESS
from tests.faults.installations import embedded
from tests.faults.people import PASSWORD, make_people
from tests.faults.person import CSRF, URL_ENCODED
from tests.faults.processes import wait_until
from tests.health import answers

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.slow, pytest.mark.long]

AT_ONCE = 40
WRONG, REFUSED, IN = 422, 429, 302
NAMES = [f"user{number}" for number in range(AT_ONCE)]


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """A web server with forty accounts that have passwords."""
    with embedded(tmp_path_factory.mktemp("sign-in")) as installation:
        installation.start("web")
        wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
        yield installation


@pytest.fixture(scope="module")
def people(installation):
    """Accounts, two invitations of one address, and a link that signs in."""
    return make_people(installation.environment, NAMES, invited=["new@example.org"], linked=["user39"])


def asked(installation, path, fields=None, *, source="127.0.0.1", session="", **headers):
    """Return (status, address led to, cookies) of one request from an address of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", installation.port, timeout=120, source_address=(source, 0))
    cookies = f"schedscope_session_csrf={CSRF}" + (f"; schedscope_session={session}" if session else "")
    headers = {name.replace("_", "-"): value for name, value in headers.items()} | {"Cookie": cookies}
    method = "GET" if fields is None else "POST"
    if fields is not None:
        headers |= {"X-CSRFToken": CSRF, "Content-Type": URL_ENCODED}
    try:
        connection.request(method, path, urlencode(fields or {}), headers)
        response = connection.getresponse()
        response.read()
        return response.status, response.getheader("Location", ""), response.getheader("Set-Cookie", "")
    finally:
        connection.close()


def at_once(n: int, ask: Callable[[int], tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Return what `n` requests were answered that began at the same moment."""
    barrier = Barrier(n)

    def begin(number: int) -> tuple[int, str, str]:
        barrier.wait(60)
        return ask(number)

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(begin, range(n)))


def statuses(replies):
    """How often each status was answered."""
    return Counter(status for status, *_rest in replies)


def forget(installation):
    """Begin with unused counters."""
    with closing(sqlite3.connect(f"{installation.folder}/var/schedscope.sqlite3", timeout=20)) as database, database:
        database.execute("DELETE FROM accounts_signinfailures")


def signing_in(installation, name, password, **options):
    """Return what a sign-in by the page's form was answered."""
    return asked(installation, "/signin", {"email": f"{name}@example.org", "password": password}, **options)


@pytest.mark.parametrize("header", ["X_Forwarded_For", "X_Real_IP", "Forwarded", "None"])
def test_forty_wrong_passwords_at_once_are_looked_at_five_times_whatever_addresses_they_claim(
    installation, people, header
):
    forget(installation)
    claimed = lambda number: {} if header == "None" else {header: f"10.0.{number}.1"}  # noqa: E731
    replies = at_once(AT_ONCE, lambda n: signing_in(installation, "user0", f"wrong {n}", **claimed(n)))
    assert statuses(replies) == {WRONG: TRIES, REFUSED: AT_ONCE - TRIES}
    # The right one is one too many as well.
    assert signing_in(installation, "user0", PASSWORD)[0] == REFUSED


def test_one_account_from_forty_addresses_is_looked_at_ten_times(installation, people):
    forget(installation)
    replies = at_once(AT_ONCE, lambda n: signing_in(installation, "user1", f"wrong {n}", source=f"127.0.1.{n + 1}"))
    assert statuses(replies) == {WRONG: TRIES_PER_ACCOUNT, REFUSED: AT_ONCE - TRIES_PER_ACCOUNT}


def test_forty_accounts_from_one_address_are_looked_at_twenty_times(installation, people):
    forget(installation)
    replies = at_once(AT_ONCE, lambda n: signing_in(installation, NAMES[n], "wrong"))
    assert statuses(replies) == {WRONG: TRIES_PER_ADDRESS, REFUSED: AT_ONCE - TRIES_PER_ADDRESS}


def test_right_passwords_at_once_use_up_nothing(installation, people):
    forget(installation)
    replies = at_once(TRIES, lambda _n: signing_in(installation, "user2", PASSWORD))
    assert statuses(replies) == {IN: TRIES}
    replies = at_once(AT_ONCE, lambda _n: signing_in(installation, "user2", PASSWORD))
    # At most five are under way at a moment; what they took they gave back.
    assert set(statuses(replies)) <= {IN, REFUSED}
    assert statuses(replies)[IN] >= TRIES
    assert [signing_in(installation, "user2", PASSWORD)[0] for _ in range(2 * TRIES)] == [IN] * 2 * TRIES
    addresses = "SELECT count(*) FROM accounts_knownaddress k JOIN accounts_user u ON u.id = k.user_id"
    assert installation.ask(f"{addresses} WHERE u.email LIKE 'user2@%'") == (1,)


def test_an_invitation_makes_one_account_however_many_send_its_form_at_once(installation, people):
    fields = {"name": "New", "password": PASSWORD, "again": PASSWORD}
    replies = at_once(AT_ONCE // 2, lambda n: asked(installation, f"/join/{people.joining[0]}", fields))
    assert statuses(replies)[IN] >= 1
    assert set(statuses(replies)) <= {IN, 404, 409}
    assert len([cookies for _status, _location, cookies in replies if "schedscope_session=" in cookies]) == 1
    query = "SELECT count(*), (SELECT count(*) FROM accounts_member m WHERE m.user_id = u.id) FROM accounts_user u"
    assert installation.ask(f"{query} WHERE email = 'new@example.org'") == (1, 1)


def test_a_link_that_signs_in_does_so_once(installation, people):
    replies = at_once(AT_ONCE // 2, lambda _n: asked(installation, f"/signin/{people.signing_in[0]}"))
    assert statuses(replies)[IN] == 1
    assert set(statuses(replies)) <= {IN, 404, 410}


def test_workspaces_of_one_name_made_at_once_have_addresses_of_their_own(installation, people):
    fields = {"name": "Same name"}
    replies = at_once(
        AT_ONCE // 2,
        lambda n: asked(installation, "/workspaces/new/", fields, session=people.sessions[NAMES[n]]),
    )
    assert statuses(replies) == {IN: AT_ONCE // 2}
    assert len({location for _status, location, _cookies in replies}) == AT_ONCE // 2
