"""Presets on the launch page and in runs: what they set, what is kept, and that a run is made with it."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Problem
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES
from dashboard.runs import actions, execution
from dashboard.runs.actions import Launch
from dashboard.runs.inputs import InputError, load_inputs, policies_from
from dashboard.runs.list.lines import run_line
from dashboard.runs.models import Run, State
from scheduler_core.manifests import load_manifests
from scheduler_core.profiles.presets import PRESETS
from scheduler_core.simulate import Policies, RunInputs, RunSession
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.run_helpers import cluster_of, pod, undisturbed_hash

pytestmark = pytest.mark.django_db

URL = "/w/team/runs/new/"
QUEUE = "move-cycle-queue-2021"
SCORES = "map-reduce-scores-2019"
# Pods that no node can take make the queues differ.
MANIFESTS = [*cluster_of(3, 12), pod("giant", "900"), pod("titan", "800")]


@pytest.fixture
def prod(save):
    """A cluster of three nodes, with pods that fit and two that do not."""
    return save(MANIFESTS)


def post(person, **data):
    """Return the answer to the form with these fields and the usual ones."""
    return person.post(URL, {"cluster": "prod", "r": "1", "schedule": "all", "seed": "7", **data})


def test_the_select_offers_presets_without_saving_them(editor, prod):
    page = editor.get(URL).content.decode()
    assert_strict_csp(page)
    assert f'<option value="preset:{QUEUE}">{PRESETS[QUEUE].title}</option>' in page
    assert 'value="preset:default"' not in page


def test_a_preset_sets_its_policies_in_sight(editor, prod):
    response = editor.get(f"{URL}?config=preset:{QUEUE}")
    page, form = response.content.decode(), response.context["form"]
    assert_strict_csp(page)
    assert (form.data["queue"], form.data["stay_s"], form.data["draw"]) == ("move-cycle", "60", "seeded")
    assert '<details class="fold" open>' in page
    assert f"Queue, Names of events, Longest unschedulable stay: from the preset {QUEUE}" in page
    assert form.own_policies == [
        ("Queue", "with move-request cycles (2021)"),
        ("Names of events", "as in the queue of 2021"),
        ("Longest unschedulable stay", "60 s"),
    ]
    assert '<details class="fold">' in editor.get(URL).content.decode()


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (f"preset:{QUEUE}", "", {"queue": "hints", "stay_s": "", "victims": "at_once"}),
        (f"preset:{QUEUE}", f"preset:{SCORES}", {"queue": "hints", "draw": "reservoir", "victims": "at_once"}),
        ("", f"preset:{QUEUE}", {"queue": "move-cycle", "stay_s": "60", "victims": "at_once"}),
        (f"preset:{QUEUE}", f"preset:{QUEUE}", {"queue": "hints", "stay_s": "90", "victims": "at_once"}),
    ],
    ids=["away", "to another", "to one", "stays"],
)
def test_a_new_choice_replaces_what_presets_set_and_nothing_else(editor, prod, before, after, expected):
    given = {"of_config": before, "config": after, "queue": "hints", "stay_s": "90", "victims": "at_once"}
    form = editor.get(URL, {"cluster": "prod", **given}, headers={"HX-Request": "true"}).context["form"]
    assert {name: form.data[name] for name in expected} == expected


@pytest.mark.parametrize("name", [QUEUE, SCORES, "most-requested-2017", "generic-preemption-2020"])
def test_a_run_of_a_preset_is_made_with_its_text_and_policies(editor, prod, messages, name):
    assert post(editor, config=f"preset:{name}").status_code == 302
    run, preset = Run.objects.get(), PRESETS[name]
    assert (run.preset, run.config_text, run.config_revision) == (name, preset.text, None)
    assert run.policies.items() >= preset.policies.items()
    execution.work()
    run.refresh_from_db()
    assert run.state == State.FINISHED, run.error
    inputs = RunInputs(
        objects=load_manifests(MANIFESTS).objects,
        configuration=preset.configuration(),
        schedule="all",
        policies=preset.applied_to(Policies()),
        seed=7,
    )
    session = RunSession.start(inputs)
    while not session.advance():
        pass
    assert run.recording_hash == session.recording_hash()
    if name != "generic-preemption-2020":
        assert run.recording_hash != undisturbed_hash(MANIFESTS, seed=7)
    of_queue = ", queue move-cycle, event names of 2021, unschedulable stay 60 s"
    own = {QUEUE: of_queue, SCORES: ", draw reservoir"}.get(name, "")
    assert run_line(run).inputs == f"preset {name}, all pods, seed 7, Kubernetes 1.34{own}"


def test_a_policy_chosen_after_the_preset_is_what_runs(editor, prod, messages):
    chosen = f"preset:{QUEUE}"
    post(editor, config=chosen, of_config=chosen, queue="move-cycle", stay_s="1.5", draw="reservoir")
    assert (
        Run.objects.get().policies.items()
        >= {
            "queue": "move-cycle",
            "unschedulable_stay_us": 1_500_000,
            "draw": "reservoir",
        }.items()
    )


def test_a_run_keeps_the_text_it_was_started_with(launch):
    run = launch(preset=SCORES)
    assert run.policies == {
        "draw": "reservoir",
        "decided": "hold",
        "claims": "play",
        "rollouts": "play",
        "kubernetes": "1.34",
    }
    Run.objects.filter(pk=run.pk).update(preset="no-longer-known")
    inputs = load_inputs(actions.find_run(run.workspace, run.number))
    assert inputs.configuration == PRESETS[SCORES].configuration()
    assert inputs.policies.draw == "reservoir"
    Run.objects.filter(pk=run.pk).update(config_text="kind: Nonsense\n")
    with pytest.raises(InputError, match="preset no-longer-known is no scheduler configuration"):
        load_inputs(actions.find_run(run.workspace, run.number))


@pytest.mark.parametrize(
    ("data", "field", "message"),
    [
        ({"config": "preset:nope"}, "config", "There is no preset"),
        ({"config": "preset:default"}, "config", "There is no preset"),
        ({"config": "preset:"}, "config", "There is no preset"),
        ({"config": "preset:" + "x" * 60}, "config", "at most 50"),
        ({"queue": "stack"}, "queue", "not one of the available choices"),
        ({"stay_s": "0"}, "stay_s", "greater than or equal to"),
        ({"stay_s": "-60"}, "stay_s", "greater than or equal to"),
        ({"stay_s": "1e9"}, "stay_s", "less than or equal to"),
        ({"stay_s": "long"}, "stay_s", "number"),
    ],
    ids=lambda value: "=".join(next(iter(value.items())))[:30] if isinstance(value, dict) else "",
)
def test_unknown_presets_and_policies_are_refused_at_their_field(editor, prod, data, field, message):
    response = post(editor, **data)
    assert response.status_code == 422
    assert_strict_csp(response.content)
    error_of_field = response.context["form"].errors
    assert list(error_of_field) == [field]
    assert message in error_of_field[field][0]
    assert not Run.objects.exists()


@pytest.mark.parametrize("how", [{"preset": "nope"}, {"preset": "default"}, {"policies": {"queue": "stack"}}])
def test_the_action_refuses_what_the_form_would(launch, how):
    with pytest.raises(Problem):
        launch(**how)
    assert not Run.objects.exists()


def test_a_run_has_a_configuration_or_a_preset(editor, prod):
    config = save_config(editor.member, None, NewText("pack", CONFIGURATION_TEMPLATES["most-allocated"].text))
    with pytest.raises(Problem, match="not both"):
        actions.create_run(editor.member, Launch(prod, config=config, preset=QUEUE))


def test_readers_cannot_run_presets(viewer, prod):
    assert viewer.get(f"{URL}?config=preset:{QUEUE}").status_code == 403
    assert post(viewer, config=f"preset:{QUEUE}").status_code == 403


@pytest.mark.parametrize("stay", [0, -1])
def test_a_stay_must_be_some_time(stay):
    with pytest.raises(InputError, match="at least 1"):
        policies_from({"unschedulable_stay_us": stay})


def test_stored_policies_that_do_not_say_so_hold_nothing():
    assert policies_from({}).decided == "ignore"
    assert policies_from({}).claims == "ignore"
    assert policies_from({"decided": "hold", "claims": "play"}) == Policies()


def test_what_is_left_follows_from_what_is_done(launch, again):
    run = again(launch())
    run.state, run.n_pods, run.n_steps = State.RUNNING, 1_000, 20
    run.head.steps_done = run.head.cycle = 10
    run.head.busy_seconds = 1.0
    line = run_line(run)
    assert (line.progress.share, line.progress.seconds_left) == (0.5, 1.0)
