"""Comparisons in the table: asked for once, sent again, taken over, made anew by another engine, and failures."""

from __future__ import annotations

import json
from datetime import timedelta

from django.db.models.functions import Now

from dashboard.agreement import computing, tasks
from dashboard.agreement.models import AgreementResult
from dashboard.agreement.stored_rows import pending_rows
from dashboard.clusters.importing import actions as imports
from dashboard.clusters.importing import saving
from dashboard.clusters.importing.saving import ImportTarget
from dashboard.clusters.uploads.opening import Upload
from dashboard.common.database import work_queue
from dashboard.runs import chosen
from dashboard.runs.chosen import ChosenConfiguration
from tests.dashboard.agreement.conftest import bound
from tests.dashboard.clusters.revisions.test_stored_events import event
from tests.dashboard.run_helpers import node, pod

DEFAULTS = ChosenConfiguration()


def ago(**fields):
    AgreementResult.objects.update(**{name: Now() - timedelta(seconds=seconds) for name, seconds in fields.items()})


def test_a_message_that_nobody_took_is_sent_again(dumped, woken):
    computing.ask(dumped, DEFAULTS)
    computing.ask(dumped, DEFAULTS)
    assert len(woken) == 1
    ago(asked_at=11)
    computing.ask(dumped, DEFAULTS)
    assert len(woken) == 2


def test_what_a_dead_worker_left_is_taken_over_and_what_a_live_one_does_is_not(dumped, woken):
    computing.ask(dumped, DEFAULTS)
    ago(asked_at=20, claimed_at=20)
    assert not computing.work()
    ago(claimed_at=61)
    assert computing.work()
    assert computing.read_report(AgreementResult.objects.get()).pods.n_compared == 2


def test_workers_learn_of_one_that_waits_and_a_lost_message_is_sent_again(dumped, woken):
    computing.ask(dumped, DEFAULTS)
    computing.wake()
    assert (computing.is_waiting(), len(woken)) == (False, 1)
    ago(asked_at=1)
    assert computing.is_waiting()
    ago(asked_at=11)
    computing.wake()
    assert len(woken) == 2
    computing.work()
    assert not computing.is_waiting()


def test_another_engine_makes_it_anew(dumped, woken, monkeypatch):
    computing.ask(dumped, DEFAULTS)
    computing.work()
    monkeypatch.setattr(computing, "MADE_BY", "next")
    assert computing.ask(dumped, DEFAULTS).data is None
    assert computing.work()
    assert computing.ask(dumped, DEFAULTS).engine_version == "next"


def test_progress_is_told(save, woken, monkeypatch):
    revision = save([node("node-a"), *(bound(f"p-{i}", "node-a", cpu="10m") for i in range(30))])
    monkeypatch.setattr(work_queue, "PROGRESS_SECONDS", 0.0)
    computing.ask(revision, DEFAULTS)
    computing.work()
    result = AgreementResult.objects.get()
    assert (result.total, result.done) == (30, 30)


def test_a_configuration_that_cannot_work_is_told(dumped, woken, monkeypatch):
    broken = ChosenConfiguration()
    broken.__dict__["text"] = "kind: KubeSchedulerConfiguration\nprofiles: 7\n"
    monkeypatch.setattr(chosen, "named", lambda workspace, name: broken)
    computing.ask(dumped, DEFAULTS)
    computing.work()
    result = AgreementResult.objects.get()
    assert "scheduler configuration" in result.error
    assert computing.ask(dumped, DEFAULTS).error == result.error


def test_the_task_that_is_sent_computes(dumped, woken):
    computing.ask(dumped, DEFAULTS)
    assert tasks.compute.name == woken[0] == computing.TASK
    tasks.compute()
    assert AgreementResult.objects.get().data is not None


def test_only_the_last_logs_of_a_revision_are_kept(dumped, woken):
    for i in range(7):
        computing.ask_of_log(dumped, DEFAULTS, f"log {i}".encode())
    assert AgreementResult.objects.exclude(log_sha256="").count() == computing.LOGS_KEPT


def test_events_of_an_import_tell_the_message_and_who_was_preempted(editor, woken):
    waits = {**pod("wide", "20"), "status": {"phase": "Pending"}}
    waits["metadata"]["uid"] = "u-wide"
    items = [
        {**node("node-a", cpu="8")},
        waits,
        event("wide", "0/1 nodes are available: 1 Insufficient cpu."),
        event("small", "Preempted by pod u-wide on node node-a", "Preempted"),
    ]
    data = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode()
    draft = imports.new_draft(editor.member, [Upload("dump.json", data)])
    revision = saving.save(editor.member, draft, ImportTarget(None, "prod"))
    computing.ask(revision, DEFAULTS)
    assert computing.work()
    result = AgreementResult.objects.get()
    pods_of_report = computing.read_report(result).pods
    (pending,) = pending_rows(result, pods_of_report.messages)
    assert (pending.standing, pending.report.source, pending.victims) == ("equal", "event", ("default/small",))
    assert (pods_of_report.gone, pods_of_report.n_gone) == (("default/small",), 1)
    page = editor.get("/w/team/clusters/prod/agreement/").content.decode()
    sentences = (
        "real, FailedScheduling",
        "Preempted for it, by the events: default/small.",
        "1 preempted pod has gone and left room: default/small.",
    )
    assert [one for one in sentences if one not in page] == []
