"""Guessing passwords: counted before they are checked, per account and per address, without locking the owner out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import connection, connections
from django.db.models import F
from django.test import Client
from django.utils import timezone

from dashboard.accounts import account_actions, throttle
from dashboard.accounts.models import KnownAddress, SigninFailures, User
from tests.dashboard.conftest import PASSWORD

VERA = "vera@example.org"
HOME, OFFICE, AWAY = "203.0.113.7", "198.51.100.9", "192.0.2.1"


def sign_in(email=VERA, password="wrong", address=AWAY, **headers):
    """Return the status of one try: 302 let in, 422 wrong, 429 not looked at."""
    data = {"email": email, "password": password}
    return Client().post("/signin", data, REMOTE_ADDR=address, headers=headers or None).status_code


def at_once(tries):
    """Return the statuses of these tries, made at the same time."""

    def one(fields):
        try:
            return sign_in(**fields)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(tries)) as pool:
        return list(pool.map(one, tries))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_of_forty_tries_from_one_address_five_are_looked_at(self):
        User.objects.create_user(VERA, "Vera", PASSWORD)
        statuses = at_once([{}] * 40)
        assert (statuses.count(422), statuses.count(429)) == (5, 35)

    def test_of_forty_tries_from_forty_addresses_ten_are_looked_at(self):
        User.objects.create_user(VERA, "Vera", PASSWORD)
        statuses = at_once([{"address": f"192.0.2.{i}"} for i in range(40)])
        assert (statuses.count(422), statuses.count(429)) == (10, 30)

    def test_of_forty_accounts_tried_from_one_address_twenty_are_looked_at(self):
        statuses = at_once([{"email": f"user{i}@example.org"} for i in range(40)])
        assert (statuses.count(422), statuses.count(429)) == (20, 20)


class TestCounters:
    def test_a_forged_forwarded_address_is_no_other_address(self, viewer):
        statuses = [sign_in(**{"X-Forwarded-For": f"192.0.2.{i}", "address": "127.0.0.1"}) for i in range(12)]
        assert statuses == [422] * 5 + [429] * 7

    def test_the_addresses_of_an_ipv6_host_are_one(self, viewer):
        statuses = [sign_in(address=f"2001:db8:1:2::{i:x}") for i in range(7)]
        assert statuses == [422] * 5 + [429] * 2
        assert sign_in(address="2001:db8:1:3::1") == 422

    def test_case_and_blanks_of_the_account_do_not_matter(self, viewer):
        statuses = [sign_in(email=email) for email in (VERA, VERA.upper(), f" {VERA}", VERA, VERA, VERA)]
        assert statuses == [422] * 5 + [429]

    def test_refused_answer_says_when_to_come_back(self, viewer):
        for _ in range(5):
            sign_in()
        response = Client().post("/signin", {"email": VERA, "password": "wrong"}, REMOTE_ADDR=AWAY)
        assert (response.status_code, response["Retry-After"]) == (429, "300")

    @pytest.mark.slow
    def test_what_an_address_is_refused_does_not_use_up_an_account(self, viewer):
        for i in range(20):
            sign_in(email=f"user{i}@example.org")
        assert [sign_in() for _ in range(20)] == [429] * 20
        assert sign_in(password=PASSWORD, address=HOME) == 302

    @pytest.mark.slow
    def test_own_right_passwords_do_not_buy_guesses_of_others(self, viewer, editor):
        statuses = []
        for i in range(25):
            statuses.append(sign_in(email=f"user{i}@example.org"))
            sign_in(email=editor.user.email, password=PASSWORD)
        assert statuses == [422] * 20 + [429] * 5

    @pytest.mark.slow
    def test_a_right_password_takes_nothing(self, viewer):
        assert [sign_in(password=PASSWORD) for _ in range(30)] == [302] * 30
        assert sum(SigninFailures.objects.values_list("count", flat=True)) == 0

    def test_a_right_password_forgets_the_wrong_ones_before(self, viewer):
        for _ in range(3):
            assert [sign_in() for _ in range(4)] == [422] * 4
            assert sign_in(password=PASSWORD) == 302


class TestKnownAddress:
    @pytest.fixture
    def at_home(self, viewer):
        assert sign_in(password=PASSWORD, address=HOME) == 302
        return viewer

    @pytest.mark.slow
    def test_who_guesses_elsewhere_locks_nobody_out_at_home(self, at_home):
        statuses = [sign_in(address=f"192.0.2.{i}") for i in range(100)]
        assert statuses.count(422) == 10
        assert sign_in(password=PASSWORD, address=OFFICE) == 429
        assert sign_in(password=PASSWORD, address=HOME) == 302

    def test_who_guesses_other_accounts_at_home_locks_nobody_out_there(self, at_home):
        for i in range(40):
            sign_in(email=f"user{i}@example.org", address=HOME)
        assert sign_in(password=PASSWORD, address=HOME) == 302

    def test_another_address_of_the_same_ipv6_host_is_home_too(self, viewer):
        sign_in(password=PASSWORD, address="2001:db8::1")
        for i in range(20):
            sign_in(address=f"192.0.2.{i}")
        assert sign_in(password=PASSWORD, address="2001:db8::2") == 302

    def test_home_may_not_guess_without_end_either(self, at_home):
        assert [sign_in(address=HOME) for _ in range(6)] == [422] * 5 + [429]

    def test_a_one_time_link_makes_an_address_known(self, viewer):

        Client().get(f"/signin/{account_actions.make_signin_token(viewer.user)}", REMOTE_ADDR=OFFICE)
        for i in range(20):
            sign_in(address=f"192.0.2.{i}")
        assert sign_in(password=PASSWORD, address=OFFICE) == 302

    def test_is_forgotten_after_half_a_year(self, at_home):
        KnownAddress.objects.update(last_seen_at=timezone.now() - timedelta(days=181))
        for i in range(20):
            sign_in(address=f"192.0.2.{i}")
        assert sign_in(password=PASSWORD, address=HOME) == 429

    def test_is_stored_as_a_keyed_hash_and_only_the_newest_are_kept(self, at_home):
        for i in range(60):
            throttle.remember(at_home.user, f"198.51.100.{i}")
        stored = KnownAddress.objects.filter(user=at_home.user)
        assert stored.count() == throttle.KNOWN_ADDRESSES
        assert not stored.filter(site_hash__contains=HOME).exists()


class TestClock:
    """A clock that jumps is, to whom compares with it, the same as stored times that move the other way."""

    @pytest.fixture
    def locked_out(self, viewer):
        assert [sign_in() for _ in range(6)] == [422] * 5 + [429]

    @pytest.mark.parametrize("hours", [-24 * 365, -1, 1], ids=["back by a year", "back by an hour", "on by an hour"])
    def test_one_that_jumps_locks_nobody_out(self, locked_out, hours):
        SigninFailures.objects.update(window_started_at=F("window_started_at") - timedelta(hours=hours))
        assert sign_in(password=PASSWORD) == 302

    @pytest.mark.parametrize("seconds", [-240, 0, 240])
    def test_one_that_is_a_little_wrong_gives_no_further_tries(self, locked_out, seconds):
        SigninFailures.objects.update(window_started_at=F("window_started_at") - timedelta(seconds=seconds))
        assert sign_in() == 429

    def test_counters_of_before_a_jump_are_swept_away(self, locked_out):
        SigninFailures.objects.update(window_started_at=timezone.now() + timedelta(hours=1))
        throttle.take("other@example.org", HOME)
        assert SigninFailures.objects.count() == 3


@pytest.mark.django_db
def test_counters_whose_window_is_over_are_swept_away():
    for i in range(20):
        throttle.take(f"user{i}@example.org", f"192.0.2.{i}")
    assert SigninFailures.objects.count() == 60
    SigninFailures.objects.update(window_started_at=timezone.now() - throttle.WINDOW)
    throttle.take(VERA, AWAY)
    assert SigninFailures.objects.count() == 3


@pytest.mark.django_db
def test_sessions_that_ended_are_swept_away_when_somebody_signs_in(owner):
    going_on = Session.objects.get()
    Session.objects.create(session_key="ended", session_data="", expire_date=timezone.now() - timedelta(seconds=1))
    throttle.remember(owner.user, HOME)
    assert list(Session.objects.all()) == [going_on]


@pytest.mark.django_db
def test_a_try_costs_a_few_statements(django_assert_max_num_queries):
    throttle.take(VERA, AWAY)
    with django_assert_max_num_queries(4):
        throttle.take(VERA, AWAY)
    assert connection.vendor in {"sqlite", "postgresql"}
