"""Edits of the form are written into the text, which keeps everything else."""

from __future__ import annotations

from random import Random

import pytest

from dashboard.common.problems import BadQuery, Problem
from dashboard.generating.form import PROCESS_LABELS, description_form
from dashboard.generating.form_edits import done
from dashboard.generating.form_edits import edited as edited_text
from dashboard.generating.inline_yaml import read_mapping
from dashboard.generating.preview import build_preview
from dashboard.generating.recipes import RECIPES
from scheduler_core.workloads.generator.ready_lists import SHAPES
from tests.scheduler_core.workloads.generator.texts import random_text

TEXT = """\
# of the team
pools:
- name: a  # the first
  nodes: 3
  shape: m5.large
  unknown: stays
workloads:
- {name: w, pods: 5, sizes: {cpu: 1}}
"""
VALID = TEXT.replace("  unknown: stays\n", "")


def fields(text: str, **changes: str) -> dict[str, str]:
    form = description_form(text)
    assert form is not None
    return form.fields | changes


def edited(text: str, shown: str, changed: dict[str, str]) -> str:
    """Return the text after edits that all can be made."""
    after = edited_text(text, shown, changed)
    assert after.refused is None
    return after.text


def test_an_edit_is_written_in_its_place_and_comments_stay() -> None:
    changed = edited(TEXT, TEXT, fields(TEXT, **{"pools.0.nodes": "12", "workloads.0.priority": "7"}))
    assert changed == TEXT.replace("nodes: 3", "nodes: 12").replace("sizes: {cpu: 1}}", "sizes: {cpu: 1}, priority: 7}")


HOSTILE = """\
pools:
- {name: " a\\nb", nodes: [1], zones: {x: 1}, resources: [1], labels: {1: 2, x: [y]}, taints: x, reserved: {cpu: {}}}
- {name: b, taints: [1, {key: [k]}], resources: {cpu: " 1", memory: "1\\n2"}, unschedulable: maybe}
- null
workloads:
- {name: 7, sizes: {cpu: [1], memory: {}, a: {median: {}, x: 1}, b: {choices: {1: [2], yes: 3}}, c: null, 8: 1}}
- {sizes: openbx, tolerations: {a: 1}, variants: [{percent: "x", nodeSelector: 3}], arrivals: "a\\nb"}
"""


@pytest.mark.parametrize("text", [*(one.text for one in RECIPES.values()), HOSTILE, TEXT], ids=str)
def test_without_an_edit_the_text_is_byte_for_byte_the_same(text: str) -> None:
    assert edited(text, text, as_sent(fields(text))) == text


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_without_an_edit_any_description_stays_as_it_is(first: int) -> None:
    for seed in range(first, first + 50):
        text = random_text(seed)
        assert edited(text, text, as_sent(fields(text))) == text, seed


def as_sent(all_fields: dict[str, str]) -> dict[str, str]:
    """Return fields as a browser sends them: without line breaks and spaces around."""
    return {name: "".join(value.splitlines()).strip() for name, value in all_fields.items()}


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_an_edit_of_one_field_is_what_the_form_then_shows(first: int) -> None:
    """Of any description, and nothing else of the form changes."""
    for seed in range(first, first + 15):
        random, text = Random(seed), random_text(seed)
        before = fields(text)
        typed = [one for one in before if one.startswith("set:") and before[one] not in ("", "true", "false")]
        for name in random.sample(typed, min(3, len(typed))):
            after = edited(text, text, before | {name: "17"})
            assert fields(after) == before | {name: "17"}, (seed, name)


@pytest.mark.parametrize("key", ["", "median", "from", "choices"])
@pytest.mark.parametrize("before", ["2", "{from: 2, to: 4}", "{median: 2, sigma: 2}", "{choices: {2: 5, 8: 1}}"])
def test_an_amount_is_chosen_in_another_way_without_an_error(before: str, key: str) -> None:
    text = VALID.replace("{cpu: 1}", f"{{cpu: {before}}}")
    name = 'how:["workloads",0,"sizes","cpu"]'
    after = edited(text, text, fields(text, **{name: key}))
    assert fields(after)[name] == key
    assert build_preview(after).findings == []
    if fields(text)[name] == key:
        assert after == text


def test_a_way_to_choose_amounts_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadQuery):
        edited_text(TEXT, TEXT, fields(TEXT, **{'how:["workloads",0,"sizes","cpu"]': "none"}))


def test_resources_labels_and_taints_come_and_go() -> None:
    more = {
        'pair:["workloads",0,"sizes"]': "nvidia.com/gpu=1",
        'pair:["workloads",0,"labels"]': "tier=back",
        'pair:["pools",0,"reserved"]': "cpu=100m",
    }
    text = done(edited(TEXT, TEXT, fields(TEXT, **more)), 'add:["pools",0,"taints"]')
    text = edited(text, text, fields(text, **{'set:["pools",0,"taints",0,"key"]': "gpu"}))
    pool, workload = read_mapping(text)["pools"][0], read_mapping(text)["workloads"][0]
    assert pool["taints"] == [{"key": "gpu", "effect": "NoSchedule"}]
    assert (pool["reserved"], workload["labels"]) == ({"cpu": "100m"}, {"tier": "back"})
    assert workload["sizes"] == {"cpu": 1, "nvidia.com/gpu": "1"}
    for action in ('["pools",0,"taints",0]', '["pools",0,"reserved","cpu"]', '["workloads",0,"labels","tier"]'):
        text = done(text, f"remove:{action}")
    assert read_mapping(done(text, 'remove:["workloads",0,"sizes","nvidia.com/gpu"]')) == read_mapping(TEXT)


def test_a_needed_amount_that_is_emptied_is_wrong_and_stays_in_the_form() -> None:
    text = VALID.replace("{cpu: 1}", "{cpu: {median: 1, minimum: 1}}")
    name = 'set:["workloads",0,"sizes","cpu","median"]'
    after = edited(text, text, fields(text, **{name: "", name.replace("median", "minimum"): ""}))
    assert read_mapping(after)["workloads"][0]["sizes"]["cpu"] == {"median": ""}
    assert fields(after)[name] == ""
    assert [one.field for one in build_preview(after).findings] == ["workloads[0].sizes.cpu.median"]


def test_an_edit_that_cannot_be_made_is_refused_and_the_others_are_made() -> None:
    after = edited_text(TEXT, TEXT, fields(TEXT, **{'pair:["workloads",0,"sizes"]': "cpu", "pools.0.nodes": "4"}))
    assert after.refused is not None
    assert read_mapping(after.text)["pools"][0]["nodes"] == 4
    with pytest.raises(Problem):
        done(TEXT, 'add:["pools",7,"taints"]')


def test_an_emptied_field_is_taken_out() -> None:
    text = edited(TEXT, TEXT, fields(TEXT, seed="9"))
    assert read_mapping(text)["seed"] == 9
    assert read_mapping(edited(text, text, fields(text, seed=""))) == read_mapping(TEXT)


def test_edits_of_both_sides_count() -> None:
    typed = TEXT.replace("name: w", "name: web")
    changed = read_mapping(edited(typed, TEXT, fields(TEXT, **{"pools.0.nodes": "4"})))
    assert (changed["pools"][0]["nodes"], changed["workloads"][0]["name"]) == (4, "web")


def test_a_row_that_was_taken_out_of_the_text_takes_no_edit() -> None:
    typed = "pools: []\n"
    assert edited(typed, TEXT, fields(TEXT, **{"pools.0.nodes": "4"})) == typed
    assert edited("a: b: c", TEXT, fields(TEXT, **{"pools.0.nodes": "4"})) == "a: b: c"


def test_a_shape_and_own_resources_take_each_others_place() -> None:
    own = edited(TEXT, TEXT, fields(TEXT, **{"pools.0.shape": "own"}))
    assert read_mapping(own)["pools"][0]["resources"] == {"cpu": "2", "memory": "8Gi", "pods": "110"}
    assert "shape" not in read_mapping(own)["pools"][0]
    back = edited(own, own, fields(own, **{"pools.0.shape": "c5.xlarge"}))
    assert read_mapping(back)["pools"][0] == {"name": "a", "nodes": 3, "unknown": "stays", "shape": "c5.xlarge"}
    ready = edited(TEXT, TEXT, fields(TEXT, **{"workloads.0.sizes": "openb"}))
    assert read_mapping(ready)["workloads"][0]["sizes"] == "openb"


def test_buttons_add_copy_and_remove_rows() -> None:
    text = done(done(TEXT, "add:pools"), "add:workloads")
    assert [one["name"] for one in read_mapping(text)["pools"]] == ["a", "pool"]
    assert [one["name"] for one in read_mapping(text)["workloads"]] == ["w", "workload"]
    text = done(TEXT, "copy:pools:0")
    assert [one["name"] for one in read_mapping(text)["pools"]] == ["a", "a-2"]
    assert read_mapping(text)["pools"][1]["unknown"] == "stays"
    assert "# of the team" in text
    assert read_mapping(done(text, "remove:pools:0"))["pools"] == read_mapping(text)["pools"][1:]
    assert read_mapping(done("", "add:pools"))["pools"][0]["name"] == "pool"


def test_buttons_choose_a_process_a_seed_and_more_nodes() -> None:
    bursts = done(TEXT, "process:bursts")
    assert read_mapping(bursts)["arrivals"] == {"process": "bursts", "over": "30m", "pods": 20, "every": "5m"}
    longer = edited(bursts, bursts, fields(bursts, **{"arrivals.over": "2h"}))
    assert read_mapping(done(longer, "process:poisson"))["arrivals"] == {"process": "poisson", "over": "2h"}
    assert read_mapping(done(TEXT, "seed:77"))["seed"] == 77
    assert read_mapping(done(TEXT, "more:0:9"))["pools"][0]["nodes"] == 12


@pytest.mark.parametrize("shape", ["openb-g2-8-96", "Standard_NC24ads_A100_v4", "m5.large"])
def test_a_ready_shape_becomes_a_pool_with_a_valid_name(shape: str) -> None:
    assert shape in SHAPES
    pool = read_mapping(done(TEXT, f"shape:{shape}"))["pools"][-1]
    assert pool["shape"] == shape
    assert pool["name"].replace("-", "").isalnum()
    assert pool["name"] == pool["name"].lower()


@pytest.mark.parametrize(
    "action",
    ["", "update", "nothing", "copy:pools:9", "remove:pools:-1", "remove:seed:0", "more:0:x", "more:9:1", "seed:-1",
     "process:none", "shape:none", "add:seed", "copy::", "remove:pools:" + "9" * 400],
)  # fmt: skip
def test_other_buttons_change_nothing(action: str) -> None:
    assert read_mapping(done(TEXT, action)) == read_mapping(TEXT)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_form_and_text_stay_in_step_under_random_edits(seed: int) -> None:
    """After each edit the form of the text has the value that was typed, and the other fields are as they were."""
    random = Random(seed)
    text = random.choice(list(RECIPES.values())).text
    for _ in range(25):
        before = fields(text)
        if random.random() < 0.2:
            text = done(text, random.choice(["add:pools", "copy:workloads:0", "process:daily", "remove:pools:1"]))
            continue
        name = random.choice([one for one in before if one.rpartition(".")[2] in ("nodes", "pods", "priority", "seed")])
        value = str(random.randrange(50))
        text = edited(text, text, before | {name: value})
        assert fields(text) == before | {name: value}


@pytest.mark.parametrize("name", RECIPES)
def test_every_process_begins_without_an_error(name: str) -> None:
    for process in PROCESS_LABELS:
        assert build_preview(done(RECIPES[name].text, f"process:{process}")).findings == [], process


def test_a_list_of_times_begins_with_a_few_that_have_all_pods_between_them() -> None:
    text = TEXT.replace("pods: 5", "pods: 20") + "- {name: x, pods: 9, sizes: {cpu: 1}, arrivals: at-once}\n"
    times = read_mapping(done(f"{text}arrivals: {{process: poisson, over: 1h}}\n", "process:list"))["arrivals"]["times"]
    assert [one["at"] for one in times] == ["0s", "10m", "20m", "30m", "40m", "50m"]
    assert [one["pods"] for one in times] == [4, 4, 3, 3, 3, 3]


@pytest.mark.parametrize(("rest", "ats"), [("", ["0s", "15m"]), ("arrivals: {over: x}\n", ["0s", "15m"])])
def test_fewer_pods_have_a_time_each(rest: str, ats: list[str]) -> None:
    times = read_mapping(done(TEXT.replace("pods: 5", "pods: 2") + rest, "process:list"))["arrivals"]["times"]
    assert [(one["at"], one["pods"]) for one in times] == [(at, 1) for at in ats]
    for nothing in ("pods: -1", "pods: many", "pod: 3"):
        text = done(TEXT.replace("pods: 5", nothing) + rest, "process:list")
        assert read_mapping(text)["arrivals"] == {"process": "list", "times": []}
