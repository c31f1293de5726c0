"""The page of a query over HTTP: for members alone, by rows and by chunks, of one run and of several."""

from __future__ import annotations

import csv
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.query.models import SavedSearch
from dashboard.runs.models import Breakpoint, Cycle, Run
from tests.dashboard.answers.conftest import worker
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.role_tables import assert_each_role_gets_its_answer

__all__ = ["worker"]
pytestmark = pytest.mark.django_db

URL, HERE = "/w/team/runs/1/search/", "/w/team/search/"
EVIL = '"><img src=x onerror=alert(1)>'


def page(person, url=URL, **query):
    response = person.get(url, query)
    assert response.status_code == 200
    assert_strict_csp(response.content)
    return response


def lines(response):
    return [row.line.cycle.number for row in response.context["page"].table.rows]


@pytest.mark.parametrize("url", [URL, HERE, f"{URL}hits.csv", f"{HERE}hits.csv"])
def test_members_alone_search(people, run, url):
    assert_each_role_gets_its_answer(people, "viewer", 200, lambda person, _: person.get(url))


def test_names_are_at_an_address_of_their_own(people, run):
    answer = people["viewer"].get(HERE, {"q": "asha", "at": "/w/team/"})
    assert answer["Location"] == "/w/team/search/names/?q=asha&at=%2Fw%2Fteam%2F"
    assert people["viewer"].get(answer["Location"]).status_code == 200


def test_without_a_query_all_cycles_are_listed(people, run):
    assert lines(page(people["viewer"])) == list(range(1, run.head.cycle + 1))


def test_a_query_narrows_them_and_counts_what_matches(people, run):
    response = page(people["viewer"], q="outcome:unschedulable")
    failed = list(Cycle.objects.filter(run=run, outcome="unschedulable").values_list("number", flat=True))
    assert lines(response) == sorted(failed)
    shown_page = response.context["page"]
    assert shown_page.counts.total == len(failed) == sum(shown_page.bars.buckets)
    assert f"{len(failed)} cycles" in response.content.decode()


@pytest.mark.parametrize("group", ["reason", "plugin", "namespace", "node", "outcome"])
def test_only_these_finds_what_the_group_counts(people, run, group):
    shown_page = page(people["viewer"], q="cycle", group=group).context["page"]
    assert shown_page.groups
    for row in shown_page.groups:
        assert page(people["viewer"], row.url).context["page"].counts.total == row.count


def test_a_range_narrows_hits_and_leaves_the_bars(people, run):
    whole = page(people["viewer"], q="cycle").context["page"]
    last = Cycle.objects.filter(run=run).order_by("-number").first()
    narrowed = page(people["viewer"], q="cycle", **{"from": last.at_us, "to": last.at_us + 1}).context["page"]
    assert [row.line.cycle.number for row in narrowed.table.rows] == list(
        Cycle.objects.filter(run=run, at_us=last.at_us).order_by("number").values_list("number", flat=True)
    )
    assert narrowed.bars.buckets == whole.bars.buckets


@pytest.mark.parametrize("sort", ["pod", "attempt", "priority", "feasible", "total", "margin"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_cycles_are_sorted(people, run, sort, order):
    shown_page = page(people["viewer"], q="cycle", sort=sort, order=order).context["page"]
    values = [getattr(row.line.cycle, sort) for row in shown_page.table.rows]
    there = [value for value in values if value is not None]
    assert there == sorted(there, reverse=order == "desc")
    assert values[: len(there)] == there


def test_pages_go_on_behind_the_last_hit_and_back(people, run, monkeypatch):
    monkeypatch.setattr("dashboard.search.query_page.gathering.PAGE", 3)
    first = page(people["viewer"], q="cycle").context["page"]
    second = page(people["viewer"], first.table.next)
    assert [lines(second), second.context["page"].place_text[:6]] == [[4, 5, 6], "4 to 6"]
    back = page(people["viewer"], second.context["page"].table.previous)
    assert lines(back) == [1, 2, 3]


def test_a_hit_opens_its_moment_with_the_query_kept(people, run):
    row = page(people["viewer"], q="outcome:unschedulable").context["page"].table.rows[0]
    asked = parse_qs(urlsplit(row.url).query)
    assert asked["cycle"] == [str(row.line.cycle.number)]
    assert asked["hits"] == ["outcome:unschedulable"]
    assert people["viewer"].get(row.url).status_code == 200
    assert people["viewer"].get(row.why).status_code == 200


@pytest.mark.parametrize("q", ["move to:unschedulable", "preemption", "move"])
def test_other_subjects_have_rows_too(people, run, q):
    shown_page = page(people["viewer"], q=q).context["page"]
    assert shown_page.table.rows
    assert people["viewer"].get(shown_page.table.rows[0].url).status_code == 200


def test_an_error_stands_at_its_column_and_nothing_is_searched(people, run):
    text = page(people["viewer"], q="tie and margin>abc").content.decode()
    assert 'data-error-column="16"' in text
    assert "column 16: margin takes" in text
    part = people["viewer"].get(URL, {"q": "("}, headers={"HX-Request": "true"})
    assert part.status_code == 422


@pytest.mark.parametrize("q", [EVIL, f"pod:{EVIL}", f'message~"{EVIL}'[:-1], "(" * 1_000, "x" * 3_000, "é" * 50])
def test_hostile_queries_are_shown_as_text(people, run, q):
    assert "<img src=x" not in page(people["viewer"], q=q).content.decode()


@pytest.mark.parametrize(
    "query", [{"from": "x"}, {"after": "1.2"}, {"after": "1.2.3.4"}, {"group": "x"}, {"sort": "x"}, {"page": "0"}]
)
def test_other_parameters_are_checked(people, run, query):
    assert people["viewer"].get(URL, query).status_code == 400


def test_what_rows_lack_is_read_by_a_worker_and_the_page_asks_on(people, run, worker):
    response = page(people["viewer"], q="cell verdict:refused")
    text = response.content.decode()
    assert response.context["page"].is_reading
    assert 'id="search-reading"' in text
    assert 'id="search-cancel"' in text
    stopped = page(people["viewer"], response.context["page"].stop_url)
    assert 'id="search-reading"' not in stopped.content.decode()
    assert 'id="search-go-on"' in stopped.content.decode()


def test_several_runs_say_which_one_a_hit_is_of(people, run):
    shown_page = page(people["viewer"], HERE, q="outcome:unschedulable").context["page"]
    assert {row.run for row in shown_page.table.rows} == {run}
    assert [(row.value, row.count) for row in shown_page.groups] == [(str(run), shown_page.counts.total)]
    assert page(people["viewer"], HERE, q="cycle", runs="99").context["page"].runs == []


def test_hits_come_as_csv(people, run):
    response = people["viewer"].get(f"{URL}hits.csv", {"q": "outcome:unschedulable"})
    rows = list(csv.reader(b"".join(response.streaming_content).decode().splitlines()))
    failed = Cycle.objects.filter(run=run, outcome="unschedulable").order_by("number").values_list("number", "pod")
    assert [(int(row[3]), row[6]) for row in rows[1:]] == list(failed)
    assert people["viewer"].get(f"{URL}hits.csv", {"q": "("}).status_code == 400


@pytest.mark.parametrize(
    ("old", "q"),
    [
        ({}, "cycle"),
        ({"outcome": "error"}, "outcome:error"),
        (
            {"plugin": "NodeResourcesFit", "outcome": "unschedulable"},
            "outcome:unschedulable and refusal.plugin:NodeResourcesFit",
        ),
        ({"q": "web"}, "(pod~web or node~web)"),
        ({"preempting": "1", "pod": "a/b"}, "pod:a/b and preempting"),
        ({"reasons": "Insufficient cpu", "decided": "X"}, 'refusal.reason:"Insufficient cpu" and decided_by:X'),
    ],
)
def test_addresses_of_the_list_of_cycles_lead_here(people, run, old, q):
    response = people["viewer"].get("/w/team/runs/1/cycles/", {**old, "sort": "pod"})
    assert response.status_code == 302
    asked = parse_qs(urlsplit(response["Location"]).query)
    assert (asked["q"], asked["sort"]) == ([q], ["pod"])
    assert people["viewer"].get(response["Location"]).status_code == 200


# ---------------------------------------------------------------- saved searches


def test_a_search_is_saved_and_found_in_the_left_column(people, run):
    answer = people["viewer"].post(f"{HERE}saved/", {"name": f"ties {EVIL}", "q": "tie", "run": "1"})
    assert answer["Location"].startswith(URL)
    text = page(people["viewer"], answer["Location"]).content.decode()
    assert "ties &quot;&gt;&lt;img" in text
    assert "<img src=x" not in text
    assert "ties" not in page(people["editor"]).content.decode()


def test_viewers_share_nothing_and_editors_do(people, run):
    assert people["viewer"].post(f"{HERE}saved/", {"name": "a", "q": "tie", "shared": "1"}).status_code == 403
    assert people["editor"].post(f"{HERE}saved/", {"name": "a", "q": "tie", "shared": "1"}).status_code == 302
    assert [row.name for row in page(people["viewer"]).context["page"].side.shared] == ["a"]
    assert AuditEntry.objects.filter(action="search.saved", object="a").exists()


def test_a_search_is_renamed_and_deleted_by_its_owner_alone(people, run):
    people["editor"].post(f"{HERE}saved/", {"name": "a", "q": "tie", "shared": "1"})
    made = SavedSearch.objects.get()
    assert people["viewer"].post(f"{HERE}saved/{made.pk}/", {"name": "b"}).status_code == 403
    assert people["stranger"].post(f"{HERE}saved/{made.pk}/", {"name": "b"}).status_code == 404
    assert people["editor"].post(f"{HERE}saved/{made.pk}/", {"name": "b", "shared": "1"}).status_code == 302
    assert people["viewer"].post(f"{HERE}saved/{made.pk}/delete").status_code == 403
    assert people["admin"].post(f"{HERE}saved/{made.pk}/delete").status_code == 302
    assert not SavedSearch.objects.exists()


# ---------------------------------------------------------------- as breakpoint


FORM = {"name": "no room", "q": "outcome:unschedulable", "hit_count": "3", "run": "1", "on": "1"}


@pytest.mark.parametrize("role", ["viewer", "reviewer", "stranger", "anonymous"])
def test_others_than_editors_make_no_breakpoint_of_a_query(people, run, role):
    answer = people[role].post(f"{HERE}saved/breakpoint/", FORM)
    assert (answer.status_code, Breakpoint.objects.count()) == ({"stranger": 404, "anonymous": 302}.get(role, 403), 0)
    assert 'id="as-breakpoint"' not in people["viewer"].get(URL).content.decode()


def test_a_query_becomes_a_breakpoint_of_the_run(people, run):
    assert 'id="as-breakpoint"' in page(people["editor"], q=FORM["q"]).content.decode()
    answer = people["editor"].post(f"{HERE}saved/breakpoint/", FORM)
    assert answer["Location"] == f"{URL}?q=outcome%3Aunschedulable"
    made = Breakpoint.objects.get()
    assert (made.name, made.query, made.hit_count) == ("no room", FORM["q"], 3)
    assert [one.run for one in made.attachments.all()] == [run]
    assert [row.name for row in page(people["viewer"]).context["page"].side.breakpoints] == ["no room"]


def test_of_the_workspace_it_is_attached_to_no_run(people, run):
    answer = people["editor"].post(f"{HERE}saved/breakpoint/", {"name": "a", "q": "tie"})
    assert answer["Location"] == f"{HERE}?q=tie"
    assert not Breakpoint.objects.get().attachments.exists()
    notes = [page(people["viewer"], url).context["page"].side.breakpoints[0].note for url in (URL, HERE)]
    assert notes == ["off", "on"], "it stops runs to come, and not this one"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"name": "n" * 81}, 400),
        ({"q": "("}, 400),
        ({"hit_count": "0"}, 400),
        ({"hit_count": "x"}, 400),
        ({"run": "9"}, 404),
    ],
)
def test_a_breakpoint_that_is_written_wrongly_is_refused(people, run, change, status):
    assert people["admin"].post(f"{HERE}saved/breakpoint/", FORM | change).status_code == status
    assert not Breakpoint.objects.exists()


def test_a_form_sent_twice_makes_one_breakpoint(people, run):
    answers = [people["editor"].post(f"{HERE}saved/breakpoint/", FORM | {"once": "abc"}) for _ in range(2)]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert Breakpoint.objects.count() == 1
    assert people["editor"].post(f"{HERE}saved/breakpoint/", FORM).status_code == 409


def test_one_cycle_is_not_said_in_the_plural(people, run):
    run.head.cycle = 1
    run.head.save()
    text = page(people["viewer"]).content.decode()
    assert "1 cycle</span>" in text
    assert "1 cycles" not in text


# ---------------------------------------------------------------- several runs, and one that goes on


def test_several_runs_have_a_bar_each_and_one_has_its_time(people, run, execute):
    assert 'id="search-bars"' in page(people["viewer"], HERE, q="cycle").content.decode()
    other = execute(scene(), slug="other")
    response = page(people["viewer"], HERE, q="outcome:unschedulable")
    text = response.content.decode()
    assert 'id="search-run-bars"' in text
    assert 'id="search-bars"' not in text
    totals = {one.number: Cycle.objects.filter(run=one, outcome="unschedulable").count() for one in (run, other)}
    assert response.context["page"].run_bars.by_run == totals
    assert 'id="search-bars"' in page(people["viewer"], HERE, q="cycle", runs="1").content.decode()


@pytest.fixture
def going_on(run):
    """The run as one that goes on."""
    Run.objects.filter(pk=run.pk).update(state="running")
    return Run.objects.get(pk=run.pk)


def part(person, url):
    return person.get(url, headers={"HX-Request": "true", "HX-Target": "search-results"})


def test_a_page_of_a_run_that_goes_on_asks_for_more_and_gets_what_is_new(people, going_on):
    shown = page(people["viewer"], q="outcome:unschedulable")
    assert "so far" in shown.content.decode()
    url = shown.context["page"].live_url
    assert f'hx-get="{url.replace("&", "&amp;")}" hx-trigger="every 3s"' in shown.content.decode()
    assert part(people["viewer"], url).status_code == 204
    going_on.head.seq += 1
    going_on.head.save()
    answer = part(people["viewer"], url)
    assert (answer.status_code, answer["HX-Trigger"]) == (200, "search:grew")
    assert lines(answer) == lines(shown)
    assert answer.context["page"].live_url != url


def test_the_last_answer_of_a_run_that_ended_asks_no_more(people, going_on):
    url = page(people["viewer"]).context["page"].live_url
    Run.objects.filter(pk=going_on.pk).update(state="finished")
    text = part(people["viewer"], url).content.decode()
    assert 'id="search-live"' not in text
    assert "so far" not in text


@pytest.mark.parametrize("query", [{"q": "cycle", "sort": "pod"}])
def test_what_new_hits_would_move_is_asked_for_by_hand(people, going_on, query):
    text = page(people["viewer"], **query).content.decode()
    assert 'id="search-live"' not in text
    assert 'id="search-again"' in text
    assert 'id="search-again"' in page(people["viewer"], HERE, q="cycle").content.decode()


def test_a_run_that_is_deleted_while_it_is_watched_is_not_found(people, going_on):
    url = page(people["viewer"]).context["page"].live_url
    going_on.delete()
    assert part(people["viewer"], url).status_code == 404


# ---------------------------------------------------------------- addresses for others


def offered(response):
    """Return the address that the page's button copies."""
    return re.search(r'data-copy-text="http://testserver([^"]*)"', response.content.decode())[1].replace("&amp;", "&")


@pytest.mark.parametrize("url", [URL, HERE])
def test_a_shared_search_has_a_short_address_and_leads_there(people, run, url):
    editor = people["editor"]
    editor.post(f"{HERE}saved/", {"name": "Refused", "q": "outcome:unschedulable", "shared": "1"})
    key = SavedSearch.objects.get().pk
    short = offered(page(editor, url, q="outcome:unschedulable"))
    assert short == f"{url}s/{key}/"
    led_to = people["viewer"].get(short)["Location"]
    assert led_to == f"{url}?q=outcome%3Aunschedulable"
    assert_each_role_gets_its_answer(people, "viewer", 302, lambda person, _: person.get(short))
    assert people["admin"].post(short).status_code == 405


def test_a_search_that_others_cannot_see_is_linked_with_its_query(people, run):
    viewer = people["viewer"]
    viewer.post(f"{HERE}saved/", {"name": "Mine", "q": "node:full-a"})
    key = SavedSearch.objects.get().pk
    assert offered(page(viewer, URL, q="node:full-a")) == f"{URL}?q=node%3Afull-a"
    assert people["admin"].get(f"{URL}s/{key}/").status_code == 404
    assert people["viewer"].get(f"{URL}s/{key}/").status_code == 302


def test_the_address_for_others_keeps_what_is_asked_for_and_begins_at_the_first_hit(viewer, run):
    asked = {"q": "cycle", "group": "reason", "from": "5", "after": "1.3.0"}
    assert offered(page(viewer, URL, **asked)) == f"{URL}?q=cycle&group=reason&from=5"


def making(response):
    """Return the address that makes the page's short link, "" where there is one already."""
    match = re.search(r'data-copy-made="([^"]*)"', response.content.decode())
    return match[1].replace("&amp;", "&") if match else ""


@pytest.mark.parametrize("url", [URL, HERE])
def test_any_search_has_a_short_address_made_when_it_is_copied(people, run, url):
    asked = {"q": 'reason:"<b>" pod:x', "group": "reason", "from": "5", "after": "1.3.0"}
    to_make = making(page(people["viewer"], url, **asked))
    made = people["viewer"].post(to_make)
    assert (made.status_code, made["Content-Type"]) == (200, "text/plain; charset=utf-8")
    assert re.fullmatch(r"http://testserver/w/team/search/l/[a-z2-7]{10}/", made.content.decode())
    assert people["admin"].post(to_make).content == made.content
    short = made.content.decode().removeprefix("http://testserver")
    led_to = people["admin"].get(short)["Location"]
    assert led_to == f"{url}?q=reason%3A%22%3Cb%3E%22+pod%3Ax&group=reason&from=5"
    assert page(people["admin"], led_to).status_code == 200
    assert_each_role_gets_its_answer(people, "viewer", 302, lambda person, _: person.get(short))
    assert_each_role_gets_its_answer(people, "viewer", 200, lambda person, _: person.post(to_make))
    assert people["admin"].get(to_make).status_code == 405
    assert people["admin"].post(short).status_code == 405


def test_a_shared_search_has_its_short_address_already(people, run):
    people["editor"].post(f"{HERE}saved/", {"name": "Refused", "q": "tie", "shared": "1"})
    assert making(page(people["viewer"], HERE, q="tie")) == ""


def test_short_addresses_of_what_is_not_there(people, run):
    assert people["viewer"].get(f"{HERE}l/aaaaaaaaaa/").status_code == 404
    assert people["viewer"].post(f"{HERE}l/new?run=99&q=tie").status_code == 404
    assert people["viewer"].post(f"{HERE}l/new?run=<b>").status_code == 400
    assert people["viewer"].post(f"{HERE}l/new?q={'a' * 5_000}").status_code == 400


def test_the_page_says_in_one_sentence_what_is_searched(viewer, run):
    html = page(viewer, URL, q='pod:"<b>"').content.decode()
    said = re.search(r'<meta name="description" content="([^"]*)">', html)[1]
    assert " ".join(said.split()) == (f"Search for pod:&quot;&lt;b&gt;&quot; in run {run.number} of {run.revision}.")
