"""The list of cycles: filtered, sorted, paged, with reasons of those that failed."""

from __future__ import annotations

import re
import time

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from dashboard.runs.models import Cycle
from tests.dashboard.debugger.page_text import text
from tests.dashboard.run_helpers import node, pod


def numbers_of(response):
    return [int(n.replace(",", "")) for n in re.findall(r"cycle=\d+[^>]*><b>([\d,]+)", response.content.decode())]


def test_cycles_without_a_lead_stand_last_whichever_way_it_is_sorted(look, execute):
    pods = [pod("never", "999"), *(pod(f"pod-{n}", "2") for n in range(3))]
    run = execute([node("a", "8"), node("b", "64"), *pods], slug="leads", schedule="pending")
    for order in ("asc", "desc"):
        shown = numbers_of(look(run, name="search:run", sort="margin", order=order))
        leads = [Cycle.objects.get(run_id=run.pk, number=number).margin for number in shown]
        leads_there = [lead for lead in leads if lead is not None]
        assert leads == leads_there + [None] * (len(leads) - len(leads_there))
        assert leads_there


def test_failed_cycles_say_who_refused(look, run):
    page_text = text(look(run, name="search:run", q="outcome:unschedulable"))
    assert re.search(r"NodeResourcesFit cpu on 2 TaintToleration on 1", page_text)


def missing(look, run, **query):
    return look(run, "cycles", "debugger:cycles_missing", **query)


def test_the_list_asks_for_missing_amounts_of_the_cycles_that_lacked_room(look, run, cycle_of):
    html = look(run, name="search:run", q="outcome:unschedulable").content.decode()
    (asked,) = re.findall(r'hx-get="[^"]*cycles/missing/\?cycles=([\d,]+)"', html)
    assert cycle_of("never-0").number in map(int, asked.split(","))
    assert f'id="refused-{cycle_of("never-0").number}"' in html
    assert "cycles/missing/" not in look(run, name="search:run", q="outcome:scheduled").content.decode()


def test_amounts_take_the_place_of_the_reasons_that_they_sum_up(look, run, cycle_of):
    number = cycle_of("never-0").number
    response = missing(look, run, cycles=number)
    html = response.content.decode()
    assert re.findall(r'id="refused-(\d+)"', html) == [str(number)]
    assert 'hx-swap-oob="true"' in html
    assert "hx-get" not in html
    assert re.search(r"NodeResourcesFit cpu short of [\d,.m]+( to [\d,.m]+)? on 2 TaintToleration on 1", text(response))


def test_numbers_that_are_none_and_too_many_are_refused(look, run):
    for cycles in ("", "x", "1,,2", "0", "1,99999999999", ",".join(map(str, range(1, 102)))):
        assert missing(look, run, cycles=cycles).status_code == 400


def test_rows_keep_plain_reasons_while_there_is_no_answer(look, run, cycle_of, monkeypatch):
    monkeypatch.setattr(asking, "_transport", lambda: lambda _: AskResult(waits_for=WaitsFor.WORKER))
    number = cycle_of("never-0").number
    html = missing(look, run, cycles=number).content.decode()
    assert f"cycles={number}&amp;until=" in html
    assert "refused-" not in html
    late = int((time.time() - 1) * 1000)
    assert not missing(look, run, cycles=number, until=late).content.decode().strip()
