"""What is stored of a computation, what makes room for it, and what goes with a run or a cluster."""

from __future__ import annotations

from dashboard.preview import computing, storing
from dashboard.preview.models import Computation, PreviewResult
from dashboard.runs.actions import Launch, create_run, delete_run
from dashboard.runs.storage import deletion
from tests.dashboard.preview.conftest import PACKING


def test_the_computation_names_its_result(ask, worker):
    result = ask()
    computation = Computation.objects.get()
    assert (computation.state, computation.result) == ("done", result)
    assert result.engine_version == storing.ENGINE_VERSION
    assert result.size == len(result.text) + len(result.data)


def test_of_what_was_computed_by_itself_the_last_one_stays(ask, worker):
    pressed = ask()
    one, two = (ask(f"{PACKING}# {n}\n", is_automatic=True) for n in (1, 2))
    assert set(PreviewResult.objects.values_list("pk", flat=True)) == {pressed.pk, two.pk}
    assert one.pk != two.pk
    ask(f"{PACKING}# 2\n")
    ask(f"{PACKING}# 3\n", is_automatic=True)
    assert PreviewResult.objects.count() == 3


def test_the_oldest_make_room_for_new_ones(ask, worker, monkeypatch):
    monkeypatch.setattr(storing, "MOST_RESULTS", 2)
    results = [ask(f"{PACKING}# {n}\n").pk for n in range(3)]
    assert sorted(PreviewResult.objects.values_list("pk", flat=True)) == results[1:]
    monkeypatch.setattr(storing, "MOST_BYTES", 1)
    last = ask(f"{PACKING}# 3\n")
    assert list(PreviewResult.objects.all()) == [last]


def test_other_workspaces_lose_nothing(ask, stranger, worker, monkeypatch):
    theirs = PreviewResult.objects.get(pk=ask().pk)
    theirs.pk, theirs.workspace = None, stranger.user.memberships.get().workspace
    theirs.save()
    monkeypatch.setattr(storing, "MOST_RESULTS", 1)
    ask(f"{PACKING}# 1\n")
    assert PreviewResult.objects.filter(pk=theirs.pk).exists()


def test_results_and_computations_go_with_their_run_and_their_cluster(ask, editor, revision, worker):
    run = create_run(editor.member, Launch(revision, schedule="pending"))
    of_run, of_cluster = ask(on=f"run:{run.number}"), ask()
    delete_run(editor.member, run)
    while deletion.delete_some():
        pass
    assert list(PreviewResult.objects.all()) == [of_cluster]
    assert of_run.run == run
    revision.cluster.delete()
    assert not PreviewResult.objects.exists()
    assert not Computation.objects.exists()


def test_what_was_cancelled_meanwhile_is_not_stored(ask, no_worker, monkeypatch):
    computation = ask()

    def cancelled_first(row, changes):
        Computation.objects.update(ended_at=row.asked_at, is_cancelled=True)
        return storing.store(row, changes)

    monkeypatch.setattr(computing, "store", cancelled_first)
    computing.work()
    assert not PreviewResult.objects.exists()
    computation.refresh_from_db()
    assert computation.state == "cancelled"


def test_a_cluster_that_was_deleted_meanwhile_leaves_nothing(ask, revision, no_worker, monkeypatch):
    def deleted_first(row, changes):
        revision.cluster.delete()
        return storing.store(row, changes)

    ask()
    monkeypatch.setattr(computing, "store", deleted_first)
    computing.work()
    assert not Computation.objects.exists()
