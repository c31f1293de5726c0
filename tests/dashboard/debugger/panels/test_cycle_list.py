"""The list of cycles: filtered, sorted, paged, with reasons of those that failed."""

from __future__ import annotations

import re
import time
from urllib.parse import parse_qsl

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from dashboard.runs.models import Cycle
from tests.dashboard.debugger.page_text import text
from tests.dashboard.run_helpers import node, pod


def test_cycles_are_filtered_and_paged(look, plain_run):
    everything = text(look(plain_run, name="debugger:cycles"))
    assert "30 scheduled a pod" in everything
    part = look(plain_run, name="debugger:cycles", part="cycles", after=20).content.decode()
    assert "<html" not in part
    assert [int(n) for n in re.findall(r"cycle=(\d+)\"><b>", part)] == list(range(21, 31))
    assert "No cycle matches" in text(look(plain_run, name="debugger:cycles", outcome="error"))
    assert look(plain_run, name="debugger:cycles", outcome="nonsense").status_code == 400


def numbers_of(response):
    return [int(n.replace(",", "")) for n in re.findall(r"cycle=\d+[^>]*><b>([\d,]+)", response.content.decode())]


def test_cycles_are_sorted_by_a_head_and_sorted_back(look, run):
    rows = list(Cycle.objects.filter(run_id=run.pk))
    for sort, order in (("priority", ""), ("attempt", "asc"), ("pod", "desc")):
        numbers = numbers_of(look(run, "cycles", "debugger:cycles", sort=sort, order=order))
        shown = [next(row for row in rows if row.number == number) for number in numbers]
        keys = [getattr(row, sort) for row in shown]
        assert len(shown) == len(rows)
        assert keys == sorted(keys, reverse=order == "desc" or (not order and sort == "priority"))
    html = look(run, "cycles", "debugger:cycles", sort="priority").content.decode()
    assert 'aria-sort="descending"' in html
    assert "sort=priority&amp;order=asc" in html
    assert look(run, name="debugger:cycles", sort="message").status_code == 400


def test_cycles_without_a_lead_stand_last_whichever_way_it_is_sorted(look, execute):
    pods = [pod("never", "999"), *(pod(f"pod-{n}", "2") for n in range(3))]
    run = execute([node("a", "8"), node("b", "64"), *pods], slug="leads", schedule="pending")
    for order in ("asc", "desc"):
        shown = numbers_of(look(run, "cycles", "debugger:cycles", sort="margin", order=order))
        leads = [Cycle.objects.get(run_id=run.pk, number=number).margin for number in shown]
        known = [lead for lead in leads if lead is not None]
        assert leads == known + [None] * (len(leads) - len(known))
        assert known


def test_failed_cycles_say_who_refused_and_reasons_are_counted(look, run, cycle_of):
    number = cycle_of("never-0").number
    words = text(look(run, name="debugger:cycles", outcome="unschedulable"))
    assert re.search(r"NodeResourcesFit cpu on 2 TaintToleration on 1", words)
    html = look(run, name="debugger:cycles").content.decode()
    query = re.search(r'href="[^"]*\?([^"]*reasons=[^"]*)"[^>]*>\s*<b>NodeResourcesFit</b>', html)[1]
    found = look(run, name="debugger:cycles", **dict(parse_qsl(query.replace("&amp;", "&"))))
    assert number in numbers_of(found)
    assert 'aria-current="true"' in found.content.decode()


def test_page_of_cycles_says_its_place_among_those_that_match(look, plain_run):
    assert "1 to 30 of 30 cycles" in text(look(plain_run, name="debugger:cycles"))
    assert "1 to 11 of 11 that match, of 30 cycles" in text(look(plain_run, name="debugger:cycles", q="pod-1"))
    after = text(look(plain_run, name="debugger:cycles", q="pod-1", after=11))
    assert "3 to 11 of 11 that match, of 30 cycles" in after


def test_cycles_of_a_refusing_plugin(look, run, cycle_of):
    def numbers(**query):
        part = look(run, part="cycles", name="debugger:cycles", **query).content.decode()
        return {int(n) for n in re.findall(r"\?cycle=(\d+)", part)}

    assert cycle_of("never-0").number in numbers(plugin="NodeResourcesFit")
    assert numbers(plugin="NodeAffinity") == set()
    assert numbers(preempting=1) == {cycle_of("big-0").number}
    assert cycle_of("never-0").number not in numbers(outcome="scheduled")


def missing(look, run, **query):
    return look(run, "cycles", "debugger:cycles_missing", **query)


def test_the_list_asks_for_missing_amounts_of_the_cycles_that_lacked_room(look, run, cycle_of):
    html = look(run, name="debugger:cycles", outcome="unschedulable").content.decode()
    (asked,) = re.findall(r'hx-get="[^"]*cycles/missing/\?cycles=([\d,]+)"', html)
    assert cycle_of("never-0").number in map(int, asked.split(","))
    assert f'id="refused-{cycle_of("never-0").number}"' in html
    assert "cycles/missing/" not in look(run, name="debugger:cycles", outcome="scheduled").content.decode()


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
