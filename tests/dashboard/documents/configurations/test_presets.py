"""Presets on the configurations page: what is offered, what is said of each, and the editor that starts from one."""

from __future__ import annotations

import pytest

from dashboard.documents.configurations import presets
from dashboard.documents.configurations.checking import check_config
from dashboard.documents.models import SchedulerConfig
from scheduler_core.profiles.presets import PRESETS
from tests.dashboard.helpers import assert_strict_csp

LIST = "/w/team/configurations/"
NEW = LIST + "new/"


@pytest.fixture
def offered():
    """The names of the presets that this environment has the plugins for; the package of Coscheduling may be here."""
    return set(presets.available())


def test_presets_whose_plugin_is_missing_are_left_out(monkeypatch):
    class Nothing:
        factories = {}

    presets.available.cache_clear()
    monkeypatch.setattr(presets, "registry", Nothing)
    try:
        names = set(presets.available())
    finally:
        presets.available.cache_clear()
    assert names == {name for name, preset in PRESETS.items() if not preset.plugin} - {"default"}
    assert "coscheduling" not in names


def test_every_offered_preset_is_valid_and_says_what_it_differs_in():
    for offer in presets.offers():
        config, findings = check_config(offer.preset.text)
        assert config is not None, findings
        assert offer.differences, offer.preset.name
        assert "seed" not in offer.origin


def test_the_list_offers_them_and_leads_to_editor_and_launch(editor, viewer, offered):
    page = editor.get(LIST).content.decode()
    assert_strict_csp(page)
    assert "Start from" in page
    for name in offered:
        assert f'href="{NEW}?preset={name}"' in page
        assert f'href="/w/team/runs/new/?config=preset:{name}"' in page
    readers = viewer.get(LIST).content.decode()
    assert PRESETS["generic-preemption-2020"].title in readers
    assert "Start from" not in readers
    assert "?preset=" not in readers
    assert "Start from" not in editor.get("/w/team/timelines/").content.decode()


def test_the_editor_starts_with_the_presets_text_and_what_it_cannot_hold(editor):
    page = editor.get(NEW + "?preset=map-reduce-scores-2019")
    html = page.content.decode()
    assert_strict_csp(html)
    assert page.context["text"] == PRESETS["map-reduce-scores-2019"].text
    assert page.context["findings"] == []
    assert "does not hold" in html
    assert "does not hold" not in editor.get(NEW + "?preset=least-requested-2017").content.decode()
    form = {"name": "mine", "text": page.context["text"], "step": "save"}
    assert editor.post(LIST + "save", form).status_code == 302
    assert SchedulerConfig.objects.get(slug="mine").revisions.get().text == page.context["text"]


@pytest.mark.parametrize("name", ["nope", "default", "x" * 300])
def test_an_unknown_preset_is_refused(editor, name):
    assert editor.get(f"{NEW}?preset={name}").status_code == 400
    response = editor.get(f"{LIST}presets/{name}/")
    assert response.status_code == 404
    assert_strict_csp(response.content)


def test_readers_can_look_at_a_preset_but_not_start_from_it(viewer, editor):
    url = LIST + "presets/move-cycle-queue-2021/"
    page = viewer.get(url).content.decode()
    assert_strict_csp(page)
    assert "podInitialBackoffSeconds: 1" in page
    assert "readonly" in page
    assert "Run with it" not in page
    assert viewer.get(NEW + "?preset=move-cycle-queue-2021").status_code == 403
    assert "Run with it" in editor.get(url).content.decode()


@pytest.mark.parametrize(
    ("name", "differences"),
    [
        ("most-requested-2017", ["scores: MostRequestedPriority (weight 1), BalancedResourceAllocation (weight 1)"]),
        ("generic-preemption-2020", ["with GenericPreemption", "without DefaultPreemption"]),
        (
            "move-cycle-queue-2021",
            ["queue: move-cycle", "names of events: of_2021", "longest unschedulable stay: 60 s"],
        ),
        (
            "pack-gpus",
            [
                "NodeResourcesFit scoringStrategy.type: RequestedToCapacityRatio",
                "NodeResourcesFit scoringStrategy.resources: nvidia.com/gpu 5; cpu 1; memory 1",
                "NodeResourcesFit scoringStrategy.requestedToCapacityRatio.shape: "
                "utilization 0, score 0; utilization 100, score 10",
            ],
        ),
        ("sampled-nodes", ["percentageOfNodesToScore: 10", "nodes looked at: configured"]),
    ],
)
def test_words_of_differences(name, differences):
    (offer,) = (offer for offer in presets.offers() if offer.preset.name == name)
    assert [one for one in offer.differences if one != "Kubernetes: 1.34"] == differences
    assert "Kubernetes: 1.34" in offer.differences


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (LIST, "Start from a preset"),
        (LIST, "resource priorities of 2017, scale 0 to 10"),
        (
            f"{NEW}?preset=map-reduce-scores-2019",
            "A saved configuration does not hold draw among equals: reservoir: that is a policy of the run",
        ),
    ],
)
def test_words(editor, path, sentence):
    assert sentence in editor.get(path).content.decode()
