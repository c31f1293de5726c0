"""What the page of a comparison says of differences, messages and runs."""

from __future__ import annotations

import zlib

import msgspec
import pytest

from dashboard.agreement import computing
from dashboard.agreement.computing import StoredComparison
from dashboard.agreement.models import AgreementResult
from dashboard.agreement.stored_rows import put_rows
from scheduler_core.explain.agreement import Agreement, AgreementFigures, BoundPod
from tests.dashboard.agreement.conftest import PAGE, bound
from tests.dashboard.helpers import strict_html
from tests.dashboard.run_helpers import node


def test_differences_are_told_with_what_refuses_and_the_likely_cause(editor, computed):
    response = editor.get(PAGE)
    page = strict_html(response)
    assert "NodeUnschedulable" in page
    (early,) = response.context["shown"].differing
    assert ["cordoned" in f"{head} {text}" for head, text in early.causes] == [True]
    assert all(text in page for _, text in early.causes)
    assert 'title="default/early"' in page
    assert 'title="default/only"' not in page
    everything = strict_html(editor.get(f"{PAGE}?show=all"))
    assert "default/only" in everything
    assert "other scheduler" in strict_html(editor.get(f"{PAGE}?show=apart"))
    tied = editor.get(f"{PAGE}?show=tied")
    assert list(tied.context["shown"].bound.items) == []
    assert 'title="default/early"' not in strict_html(tied)


def test_messages_stand_beside_each_other_with_equal_and_other_parts_marked(editor, computed):
    page = strict_html(editor.get(PAGE))
    assert '<mark class="ne">2 Insufficient cpu</mark>' in page
    assert '<mark class="ne">1 Insufficient cpu</mark>' in page
    assert '<mark class="ne">fits node-a</mark>' in page
    assert 'aria-label="Why? default/wide"' in page


def test_where_none_agrees_or_is_compared_no_share_is_told(editor, save, woken):
    save([node("node-a", cpu="1"), bound("much", "node-a", cpu="3")])
    editor.get(PAGE)
    computing.work()
    assert "bound pod agrees." in strict_html(editor.get(PAGE))
    save([node("node-a"), bound("elsewhere", "node-z")])
    editor.get(PAGE)
    computing.work()
    response = editor.get(PAGE)
    assert response.context["shown"].figures.n_compared == 0
    assert "is compared. 1" not in strict_html(response)


@pytest.mark.slow
def test_ten_thousand_pods_are_paged_and_a_page_reads_the_pieces_that_it_shows(
    editor, save, woken, django_assert_max_num_queries
):
    revision = save([node("node-a")])
    editor.get(PAGE)
    computing.work()
    result = AgreementResult.objects.get()
    pods = [BoundPod(pod=f"default/p-{i:05}", node="node-a", standing="only_one") for i in range(10_000)]
    figures = AgreementFigures(
        standings={"only_one": 10_000}, messages={}, order="snapshot", n_nodes=1, scored=None, n_decided=1, seconds=1.0
    )
    put_rows(result, Agreement(**msgspec.structs.asdict(figures), bound=tuple(pods), pending=()))
    result.data = zlib.compress(msgspec.json.encode(StoredComparison(pods=figures)))
    result.save()
    with django_assert_max_num_queries(40) as asked:
        page = strict_html(editor.get(f"{PAGE}?page=301"))
    assert "default/p-07500" in page
    assert "default/p-07525" not in page
    assert sum("agreement_agreementrows" in query["sql"] for query in asked) == 1
    lines = editor.get(f"{PAGE}agreement.csv").content.decode().splitlines()
    assert len(lines) == 10_001
    assert revision.number == 1


def test_words(editor, computed, save, woken):
    assert "The node may have been cordoned after the binding" in strict_html(editor.get(PAGE))
    assert "No pod of this class" in strict_html(editor.get(f"{PAGE}?show=tied"))
    for objects, sentence in (
        ([node("node-a", cpu="1"), bound("much", "node-a", cpu="3")], "No bound pod agrees."),
        ([node("node-a"), bound("elsewhere", "node-z")], "No bound pod is compared."),
    ):
        save(objects)
        editor.get(PAGE)
        computing.work()
        page = strict_html(editor.get(PAGE))
        assert sentence in page
