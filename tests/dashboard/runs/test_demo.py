"""The demo: made once, started at once, and worth looking at."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from dashboard.accounts.access import find_member
from dashboard.accounts.account_actions import first_owner
from dashboard.clusters.models import Cluster
from dashboard.documents.models import Timeline
from dashboard.runs import actions, demo, execution
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Cycle, Preemption, QueueMove, Run, State
from dashboard.runs.storage.outcomes import compute
from scheduler_core.simulate import ENGINE_VERSION
from scheduler_core.workloads.synthetic import gpu_cluster

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def messages(monkeypatch):
    """The names of the tasks that would wake a worker; the tests do its work themselves."""
    sent = []
    monkeypatch.setattr(waiting, "_send", sent.append)
    return sent


@pytest.fixture
def small(monkeypatch):
    """The large cluster in small, for tests that do not look at its size."""
    monkeypatch.setattr(demo, "gpu_cluster", lambda: gpu_cluster(3, 5))


def load():
    out = StringIO()
    call_command("load_demo", stdout=out)
    return out.getvalue()


def played(scene):
    """The run of one scene, carried out."""
    user, workspace = first_owner()
    run = demo.load_scene(find_member(user, workspace.slug), scene)
    while execution.work():
        pass
    return Run.objects.select_related("head", "revision__cluster").get(pk=run.pk)


def test_first_start_makes_the_clusters_and_starts_their_runs(small, messages, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        out = load()
    _, workspace = first_owner()
    assert [cluster.slug for cluster in workspace.clusters.order_by("id")] == [
        "teaching",
        "gpu-1500",
        "quotas",
        "extenders",
        "devices",
        "admission",
    ]
    teaching, large, quotas, extenders, devices, admission = workspace.runs.order_by("number")
    assert (teaching.schedule, teaching.is_background, teaching.state) == ("timeline", False, State.QUEUED)
    assert (large.schedule, large.is_background) == ("pending", True)
    assert (quotas.preset, quotas.schedule, quotas.is_background) == ("capacity-scheduling", "timeline", False)
    assert (str(extenders.config_revision), str(extenders.declared_revision)) == ("extenders r1", "extenders r1")
    assert (devices.policies["kubernetes"], devices.policies["claims"]) == ("1.36", "play")
    assert (admission.policies["rollouts"], admission.policies["kubelets"]) == ("play", [{"ready_after": 5}])
    assert messages == ["work", "work_in_background", "work", "work", "work", "work"]
    assert out.count("is started") == 6


def test_later_starts_do_nothing(small):
    load()
    before = (Run.objects.count(), Cluster.objects.count(), Timeline.objects.count())
    assert load() == ""
    assert (Run.objects.count(), Cluster.objects.count(), Timeline.objects.count()) == before


def test_who_put_the_demo_away_does_not_get_it_back(small):
    load()
    user, workspace = first_owner()
    member = find_member(user, workspace.slug)
    for run in Run.objects.all():
        actions.delete_run(member, run)
    Cluster.objects.update(archived_at="2026-01-01T00:00:00Z")
    assert load() == ""
    assert not Run.objects.exists()


def test_half_a_demo_is_made_whole(small, monkeypatch):
    monkeypatch.setattr(demo, "load_large", lambda member: None)
    load()
    monkeypatch.undo()
    monkeypatch.setattr(demo, "gpu_cluster", lambda: gpu_cluster(3, 5))
    monkeypatch.setattr(waiting, "_send", lambda task: None)
    assert "8,000 pods" in load()
    assert Run.objects.count() == 6


def test_a_cluster_of_the_users_own_by_that_name_is_left_alone(small):
    user, workspace = first_owner()
    Cluster.objects.create(workspace=workspace, name="teaching", slug="teaching")
    load()
    assert list(Run.objects.values_list("revision__cluster__slug", flat=True)) == [
        "admission",
        "devices",
        "extenders",
        "quotas",
        "gpu-1500",
    ]
    assert user.memberships.count() == 1


def test_the_teaching_run_shows_every_rule(small):
    load()
    execution.work()
    run = Run.objects.select_related("head").get(number=1)
    assert run.state == State.FINISHED
    assert run.head.preemptions
    assert run.head.pending
    assert Preemption.objects.filter(run=run).exclude(node="").exists()
    assert Cycle.objects.filter(run=run, outcome="unschedulable").exists()
    targets = set(QueueMove.objects.filter(run=run).values_list("target", flat=True))
    assert {"active", "backoff", "unschedulable", "gated"} <= targets
    assert Cycle.objects.filter(run=run).values("pod").distinct().count() <= 40


def test_the_large_cluster_has_the_promised_size():
    manifests = gpu_cluster()
    kinds = [manifest["kind"] for manifest in manifests]
    assert (kinds.count("Node"), kinds.count("Pod")) == (1_500, 8_000)


def test_a_scene_whose_plugin_is_not_installed_is_left_out(small, monkeypatch):
    monkeypatch.setattr(demo.presets, "available", dict)
    load()
    assert Run.objects.count() == 5
    assert not Cluster.objects.filter(slug="quotas").exists()


def test_the_scene_of_quotas_shows_what_its_sentence_says():
    """Cycle 5: a quota that is used up; 6: a max that names only cpu; 7: what was borrowed is taken back."""
    run = played(demo.QUOTAS)
    assert run.state == State.FINISHED
    cycles = {cycle.number: cycle for cycle in Cycle.objects.filter(run=run)}
    assert "ElasticQuota research" in cycles[5].message
    assert cycles[6].pod == "notebooks/jupyter-0"
    assert "ElasticQuota notebooks" in cycles[6].message
    first, second = Preemption.objects.filter(run=run, victims__gt=0).order_by("seq")
    assert (first.cycle, first.pod, first.node) == (7, "serving/serve-1", "gpu-1")
    assert second.pod == "serving/urgent-0"
    placed = Cycle.objects.filter(run=run, outcome="scheduled").values_list("pod", flat=True)
    assert "serving/serve-2" not in placed
    assert "research/train-3" not in placed


def test_the_scene_of_extenders_shows_what_its_sentence_says():
    """Cycle 1: points decide; 2: slow disks refused; 3: an error ignored; 4: refused alone; 5: a candidate given up."""
    run = played(demo.EXTENDERS)
    assert run.state == State.FINISHED
    cycles = {cycle.number: cycle for cycle in Cycle.objects.filter(run=run)}
    assert [cycles[number].pod for number in (1, 2, 3, 4, 5)] == [
        *("shop/web-0", "shop/db-0", "shop/report-0", "shop/ledger-0", "shop/db-1")
    ]
    assert [cycles[number].outcome for number in (1, 2, 3, 4)] == [*["scheduled"] * 3, "unschedulable"]
    assert "4 no licence" in cycles[4].message
    (preemption,) = Preemption.objects.filter(run=run, victims__gt=0)
    assert (preemption.cycle, preemption.pod, preemption.node) == (5, "shop/db-1", "fast-2")


def test_the_demo_run_is_found_again_among_its_branches_and_other_seeds(small):
    load()
    user, workspace = first_owner()
    member = find_member(user, workspace.slug)
    run = demo.find_demo_run(workspace, demo.TEACHING)
    Run.objects.filter(pk=run.pk).update(engine_version=ENGINE_VERSION)
    how = Branching(0, [{"action": "set_policies", "policies": {"draw": "smallest"}}])
    branch_run(member, actions.find_run(workspace, run.number), how)
    timeline = {"schedule": "timeline", "timeline": run.timeline_revision}
    actions.create_run(member, actions.Launch(run.revision, seed=8, **timeline))
    assert demo.find_demo_run(workspace, demo.TEACHING) == run


def test_the_scene_of_devices_shows_what_its_sentence_says():
    """Cycle 9: no NUMA node has two GPUs and a NIC; 12: it has, once serve-0 ended; two pods wait to the end."""
    run = played(demo.DEVICES)
    cycles = {cycle.number: cycle for cycle in Cycle.objects.filter(run=run)}
    assert (cycles[9].pod, cycles[9].outcome) == ("ml/tune-2", "unschedulable")
    assert (cycles[12].pod, cycles[12].outcome, cycles[12].node) == ("ml/tune-2", "scheduled", "gpu-1")
    assert run.head.pending == 2
    last = {cycles[number].pod: cycles[number].outcome for number in sorted(cycles)}
    assert {pod for pod, outcome in last.items() if outcome != "scheduled"} == {"ml/encode-0", "ml/pretrain-0"}


@pytest.mark.slow
def test_the_scene_of_admission_shows_what_its_sentence_says():
    """A stuck rollout goes on once its strategy is changed, another stays; a quota becomes free, and refuses again."""
    outcomes = compute(played(demo.ADMISSION))
    assert [(one.key, one.is_stuck) for one in outcomes.rollouts] == [("shop/cart", True), ("shop/db", False)]
    spans = {one.title: one for one in outcomes.spans}
    assert spans["Deployment shop/front"].late_at < 120_000_000 < spans["Deployment shop/front"].ended
    assert [(one.key, one.unmade) for one in outcomes.short] == [("team/web", 2), ("lab/report-0", 1)]
    web = [pod for pod in outcomes.pods if pod.pod.startswith("team/web-")]
    assert (len(web), sum(pod.came > 20_000_000 for pod in web)) == (6, 2)
