"""The ledger of gaps: what all watches notice is one gap, and a ledger has an end."""

from __future__ import annotations

import pytest

from scheduler_core.collect.gaps import MOST_GAPS, GapLedger
from scheduler_core.manifests.bundle.model import BundleGap


def gap(code="SERVER_AWAY", since=1.0, until=2.0, kind="", namespace=""):
    return BundleGap(code=code, text="t", kind=kind, namespace=namespace, since=since, until=until)


@pytest.fixture
def ledger():
    return GapLedger()


def spans(ledger):
    return [(one.since, one.until) for one in ledger.gaps]


def test_what_all_watches_notice_is_one_gap(ledger):
    for since, until in ((5.0, 9.0), (4.0, 8.0), (6.0, 10.0)):
        ledger.add(gap(since=since, until=until))
    assert spans(ledger) == [(4.0, 10.0)]


def test_gaps_of_different_times_kinds_and_codes_stay_apart(ledger):
    ledger.add(gap())
    ledger.add(gap(since=3.0, until=4.0))
    ledger.add(gap(kind="Pod"))
    ledger.add(gap(kind="Pod", since=1.5))
    ledger.add(gap("WATCH_EXPIRED"))
    assert len(ledger.gaps) == 5


def test_a_ledger_of_many_gaps_grows_no_more(ledger):
    for n in range(MOST_GAPS + 10):
        ledger.add(gap(kind="Pod", since=float(2 * n), until=float(2 * n + 1)))
    assert len(ledger.gaps) == MOST_GAPS
    assert ledger.gaps[-1].until == 2 * (MOST_GAPS + 9) + 1


def test_open_gaps_end_and_are_opened_again(ledger):
    ledger.add(gap("DISK_FULL", until=None))
    assert ledger.is_open("DISK_FULL", "")
    ledger.end("DISK_FULL", "Pod", 7.0)
    assert ledger.is_open("DISK_FULL", "")
    ledger.end("DISK_FULL", "", 7.0)
    assert spans(ledger) == [(1.0, 7.0)]
    assert not ledger.reopen("DISK_FULL", "", 7.5)
    assert ledger.reopen("DISK_FULL", "", 6.5)
    assert spans(ledger) == [(1.0, None)]
    assert not ledger.reopen("CUT", "", 0.0)


def test_the_default_configuration_leaves_a_bundle_whole(ledger):
    ledger.add(gap("NO_CONFIGURATION"))
    assert (ledger.counted, len(ledger.gaps)) == ((), 1)


def test_namespaces_have_gaps_of_their_own(ledger):
    for namespace in ("a", "b"):
        ledger.add(gap("NO_RIGHTS", kind="Pod", namespace=namespace, until=None))
    ledger.end("NO_RIGHTS", "Pod", 7.0, "b")
    assert spans(ledger) == [(1.0, None), (1.0, 7.0)]
    assert ledger.is_open("NO_RIGHTS", "Pod", "a")
    assert not ledger.is_open("NO_RIGHTS", "Pod", "b")
