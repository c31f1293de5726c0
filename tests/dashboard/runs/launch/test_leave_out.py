"""A configuration with plugins and extenders that are not installed: saved as written, run without them on request."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command

from dashboard.common.problems import Problem
from dashboard.documents.configurations import checking
from dashboard.documents.models import SchedulerConfig
from dashboard.runs import actions, chosen, execution
from dashboard.runs.actions import Launch
from dashboard.runs.inputs import load_configuration
from dashboard.runs.launch.views import fields_like
from dashboard.runs.list.lines import run_line, run_url
from dashboard.runs.models import Run, State
from scheduler_core.plugins.image_locality import ImageLocality
from tests.dashboard.run_helpers import cluster_of
from tests.dashboard.runs.launch.launch_pages import HEAD, URL, errors, post

pytestmark = pytest.mark.django_db

TEXT = HEAD + (
    "extenders: [{urlPrefix: http://me:secret@gpu.example/x, filterVerb: f}]\n"
    "profiles:\n- schedulerName: default-scheduler\n"
    "  plugins: {score: {enabled: [{name: TargetLoadPacking, weight: 3}]}}\n"
    "  pluginConfig: [{name: TargetLoadPacking, args: {targetUtilization: 40}}]\n"
)
LEFT_OUT = [
    {"kind": "plugin", "name": "TargetLoadPacking", "lost": "scores differ"},
    {"kind": "extender", "name": "gpu.example/x", "lost": "nodes that it would refuse count as feasible"},
]


@pytest.fixture
def foreign(editor):
    """The configuration's newest revision, saved on its page."""
    saved = editor.post(
        "/w/team/configurations/save", {"name": "trimaran", "text": TEXT.replace("\n", "\r\n"), "step": "save"}
    )
    assert saved["Location"] == "/w/team/configurations/trimaran/"
    return SchedulerConfig.objects.get().revisions.get()


def test_it_is_stored_as_it_was_written_and_its_page_says_what_is_not_here(viewer, foreign):
    assert foreign.text == TEXT
    page = viewer.get("/w/team/configurations/trimaran/").content.decode()
    assert "1 plugin is" in page
    assert "without TargetLoadPacking" in page
    assert 'data-severity="error"' not in page


def test_a_text_with_errors_besides_is_not_stored(editor):
    text = TEXT + "percentageOfNodesToScore: 101\n"
    assert editor.post("/w/team/configurations/save", {"name": "x", "text": text, "step": "save"}).status_code == 422
    assert not SchedulerConfig.objects.exists()


def test_unasked_the_launch_page_refuses_it_and_offers_to_leave_out(editor, foreign, prod):
    answer = post(editor, config="trimaran")
    assert errors(answer).keys() == {"config"}
    page = answer.content.decode()
    assert 'name="leave_out"' in page
    assert "the extender gpu.example/x" in page
    assert "secret" not in page


def test_on_request_it_runs_and_the_run_says_without_what(editor, viewer, foreign, prod, messages):
    assert post(editor, config="trimaran", leave_out="on").status_code == 302
    execution.work()
    run = Run.objects.get()
    assert (run.state, run.left_out, run.config_revision) == (State.FINISHED, LEFT_OUT, foreign)
    assert "without TargetLoadPacking, gpu.example/x" in run_line(run).inputs
    page = viewer.get(run_url(run), follow=True).content.decode()
    assert "without 2 plugins" in page
    assert "without TargetLoadPacking" in page


def test_a_choice_of_another_configuration_forgets_the_request(editor, foreign, prod):
    form = editor.get(f"{URL}?config=trimaran&leave_out=on&of_config=trimaran").context["form"]
    assert (form.config_facts.problem, form.config_facts.profiles) == ("", ["default-scheduler"])
    assert "leave_out" not in editor.get(f"{URL}?config=&leave_out=on&of_config=trimaran").context["form"].data


def test_a_configuration_with_nothing_to_leave_out_offers_nothing(editor, prod):
    assert "leave_out" not in editor.get(URL).content.decode()


def test_a_run_goes_without_the_plugin_also_once_it_is_installed(editor, foreign, prod, messages, monkeypatch):
    run = actions.create_run(editor.member, Launch(prod, config=foreign, leaves_out=True))
    later = checking.registry().with_plugin("TargetLoadPacking", ImageLocality)
    monkeypatch.setattr(checking, "registry", lambda: later)
    assert load_configuration(run).profiles[0].plugins["score"].enabled == ()


def test_a_new_run_with_its_inputs_goes_without_the_same(editor, foreign, prod, messages):
    run = actions.create_run(editor.member, Launch(prod, config=foreign, leaves_out=True))
    assert fields_like(run)["leave_out"] == "on"
    assert actions.start_anew(editor.member, run).left_out == LEFT_OUT


def test_the_cluster_is_looked_at_with_the_configuration_of_its_newest_run_without_the_same(
    editor, foreign, prod, messages
):
    run = actions.create_run(editor.member, Launch(prod, config=foreign, leaves_out=True))
    of_cluster = chosen.of_cluster(prod.cluster)
    assert chosen.named(prod.cluster.workspace, of_cluster.name) == of_cluster
    assert of_cluster.typed() == load_configuration(run)
    assert list(of_cluster.usable_runs(prod)) == [run]
    assert of_cluster.run_pending(editor.member, prod, "again").left_out == LEFT_OUT
    assert not chosen.ChosenConfiguration(foreign).usable_runs(prod).exists()


def test_an_action_refuses_it_unasked(editor, foreign, prod):
    with pytest.raises(Problem, match="out of the"):
        actions.create_run(editor.member, Launch(prod, config=foreign))


def test_the_command_leaves_out_too(owner, workspace, tmp_path, messages, capsys):
    (tmp_path / "cluster.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": cluster_of(1, 1)}))
    (tmp_path / "config.yaml").write_text(TEXT)
    call_command(
        "start_run", str(tmp_path / "cluster.json"), config=str(tmp_path / "config.yaml"), leave_out_unknown=True
    )
    assert Run.objects.get().left_out == LEFT_OUT


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("", "TargetLoadPacking, gpu.example/x are not installed here."),
        ("", "Leave them out below, or choose another configuration."),
        ("/w/team/configurations/trimaran/", "1 plugin is not installed here"),
        (
            "/w/team/configurations/trimaran/",
            "nobody calls it from here. A run needs a tape or declared extenders",
        ),
        ("/w/team/configurations/trimaran/", "runs without TargetLoadPacking: scores differ"),
        (
            f"{URL}?config=trimaran",
            "runs without the extender gpu.example/x: nodes that it would refuse count as feasible",
        ),
    ],
)
def test_words(editor, foreign, prod, path, sentence):
    answer = editor.get(path) if path else post(editor, config="trimaran")
    assert sentence in answer.content.decode()
