"""Changes written into YAML: the text holds exactly the new value, and comments, order and quotes of the rest stay."""

from __future__ import annotations

import copy
import random

import pytest

from dashboard.clusters.texts.changes import holds, read_document, rewritten
from dashboard.clusters.texts.writer import is_same
from scheduler_core.manifests import dump_yaml
from scheduler_core.manifests.model import LoadError

COMMENTED = """\
# a pod of the shop
apiVersion: v1 # core
kind: Pod
metadata:
  name: web
  # who it is
  labels:
    app: web # the app
    tier: "front"
spec:
  # what runs
  containers:
  - name: main   # first
    image: nginx
    args: [a, 'b']   # short
  # beside it
  - name: logs
    image: |
      two
      lines

  tolerations:
    # for batch nodes
    - key: dedicated
      operator: Exists
    # for old nodes
    - key: old
# what is reported
status: {}
"""

SHARED = """\
kind: Pod # one
metadata:
  labels: &labels # shared
    app: web # the app
spec:
  nodeSelector: *labels # again
  more: [*labels, &n 1, *n]
  merged:
    <<: *labels
    own: 1
"""
UNMERGED = SHARED.partition("  merged")[0]


def changed(change, text=COMMENTED):
    """Return the text after a change of its value, which has to be written without losing the comments."""
    new = copy.deepcopy(read_document(text))
    change(new)
    result = rewritten(text, new)
    assert result.lost == ""
    assert is_same(read_document(result.text), new)
    return result.text


def renamed(raw):
    raw["metadata"]["labels"]["a.b/c"] = raw["metadata"]["labels"].pop("app")


@pytest.mark.parametrize(
    ("change", "places"),
    [
        pytest.param(lambda raw: None, {}, id="nothing changes"),
        pytest.param(
            lambda raw: raw["metadata"].update(labels={"app": "shop", "tier": "back"}),
            {"app: web # the app": "app: shop # the app", '"front"': '"back"'},
            id="scalars keep their quotes and comments",
        ),
        pytest.param(renamed, {"app: web # the app": "a.b/c: web # the app"}, id="a key is renamed"),
        pytest.param(
            lambda raw: raw["metadata"]["labels"].pop("app"), {"    app: web # the app\n": ""}, id="an entry goes"
        ),
        pytest.param(
            lambda raw: raw["spec"]["tolerations"].pop(0),
            {"    - key: dedicated\n      operator: Exists\n": ""},
            id="an item goes and the comments around it stay",
        ),
        pytest.param(
            lambda raw: raw["spec"]["tolerations"].append({"key": "gpu", "operator": "Exists"}),
            {"    - key: old\n": "    - key: old\n    - key: gpu\n      operator: Exists\n"},
            id="an item comes after the last one, indented as they are",
        ),
        pytest.param(
            lambda raw: raw["spec"].update(nodeSelector={"disk": "ssd"}),
            {"# what is reported": "  nodeSelector:\n    disk: ssd\n# what is reported"},
            id="an entry comes before the comment of what follows",
        ),
        pytest.param(
            lambda raw: raw["spec"]["containers"][0].pop("name"),
            {"  - name: main   # first\n    image: nginx": "  - image: nginx"},
            id="the first entry after a dash goes",
        ),
        pytest.param(
            lambda raw: raw["spec"]["containers"][0]["args"].append("c"),
            {"[a, 'b']": "[a, b, c]"},
            id="a list in brackets stays in brackets",
        ),
        pytest.param(
            lambda raw: raw.update(status={"phase": "Running"}),
            {"status: {}": "status:\n  phase: Running"},
            id="an empty mapping becomes lines",
        ),
    ],
)
def test_a_change_is_written_at_its_place_and_the_rest_stays(change, places):
    expected = COMMENTED
    for old, new in places.items():
        expected = expected.replace(old, new)
    text = changed(change)
    assert text == expected


def test_an_emptied_mapping_becomes_braces():
    start = COMMENTED.replace("status: {}", "status:\n  phase: Running")
    expected = COMMENTED
    assert changed(lambda raw: raw.update(status={}), start) == expected


@pytest.mark.parametrize(
    ("start", "change", "places"),
    [
        pytest.param(
            SHARED,
            lambda raw: raw["spec"]["merged"].update(own=2),
            {"own: 1": "own: 2"},
            id="what shares nothing is changed beside them",
        ),
        pytest.param(
            SHARED,
            lambda raw: raw["spec"].update(nodeSelector={"app": "db"}),
            {"nodeSelector: *labels # again": "nodeSelector: # again\n    app: db"},
            id="an alias that changes alone is written out",
        ),
        pytest.param(
            UNMERGED,
            lambda raw: raw["metadata"]["labels"].update(app="db"),
            {
                "app: web": "app: db",
                "nodeSelector: *labels # again": "nodeSelector: # again\n    app: web",
                "[*labels": "[{app: web}",
            },
            id="aliases of what changes are written out and others stay",
        ),
        pytest.param(
            UNMERGED,
            lambda raw: raw.pop("metadata"),
            {
                "metadata:\n  labels: &labels # shared\n    app: web # the app\n": "",
                "nodeSelector: *labels # again": "nodeSelector: # again\n    app: web",
                "[*labels": "[{app: web}",
            },
            id="aliases of what goes are written out",
        ),
        pytest.param(
            SHARED,
            lambda raw: raw["spec"]["merged"].update(app="db"),
            {"    own: 1\n": "    own: 1\n    app: db\n"},
            id="a merged key is written over by one of its own",
        ),
    ],
)
def test_a_change_beside_anchors_and_aliases(start, change, places):
    expected = start
    for old, new in places.items():
        expected = expected.replace(old, new)
    assert changed(change, start) == expected


def test_words_that_yaml_takes_for_something_else_are_quoted():
    def change(raw):
        raw["metadata"]["labels"].update(app="yes", n="5", empty="", colon="a: b", hash="a #b", lines="a\nb")

    changed(change)


def test_anchors_of_keys_and_values_stay_and_tags_go_with_their_values():
    text = "&k a: &v !!str 1 # one\nb: [*v]\nc: !!str 2\n"
    assert changed(lambda raw: raw.update(c=3, d=4), text) == text.replace("!!str 2", "3") + "d: 4\n"
    after = changed(lambda raw: raw.update(a="x", b=["x"]), text)
    assert after == text.replace("!!str 1", "x").replace("*v", "x")


def test_without_a_key_that_is_merged_in_the_text_is_written_again_and_the_result_says_so():
    new = read_document(SHARED)
    del new["spec"]["merged"]["app"]
    result = rewritten(SHARED, new)
    assert read_document(result.text) == new
    assert "merged" in result.lost


def test_an_item_that_moves_takes_its_comment_along():
    def change(raw):
        raw["spec"]["containers"].reverse()

    lines = COMMENTED.splitlines(keepends=True)
    start = lines.index("  - name: main   # first\n")
    first, between, second = lines[start : start + 3], lines[start + 3], lines[start + 4 : start + 8]
    assert changed(change) == "".join([*lines[:start], *second, *first, between, *lines[start + 8 :]])


def test_several_first_entries_after_a_dash_can_go():
    text = "l:\n- a: 1\n  b: 2 # two\n  # three\n  c: 3\n"
    assert changed(lambda raw: raw["l"].__setitem__(0, {"c": 3}), text) == "l:\n- c: 3\n"


def test_an_item_in_braces_stays_in_braces():
    assert changed(lambda raw: raw["l"][0].update(b=2), "l:\n- {a: 1} # x\n") == "l:\n- {a: 1, b: 2} # x\n"


def test_what_comes_is_indented_as_the_text_is_and_keeps_its_order():
    text = changed(lambda raw: raw.update(m={"z": ["x", {"b": 1, "a": 2}]}), "l:\n    - a\n")
    assert text == "l:\n    - a\nm:\n  z:\n      - x\n      - b: 1\n        a: 2\n"


def test_line_ends_of_windows_stay():
    text = COMMENTED.replace("\n", "\r\n")
    assert changed(lambda raw: raw["spec"].update(nodeSelector={"disk": "ssd"}), text) == changed(
        lambda raw: raw["spec"].update(nodeSelector={"disk": "ssd"})
    ).replace("\n", "\r\n")


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a\n", "a: [", "--- 1\n"])
def test_a_text_without_an_object_is_written_again(text):
    new = {"kind": "Pod"}
    assert rewritten(text, new).text == dump_yaml([new])
    assert rewritten(text, new).lost


def test_several_documents_are_no_text_of_one_object():
    with pytest.raises(LoadError, match="several documents"):
        read_document("a: 1\n---\na: 2\n")


def test_json_is_written_with_no_value_lost():
    text = '{"kind": "Pod", "spec": {"big": 12345678901234567890, "f": 1.50, "n": null, "t": "on"}}\n'
    new = read_document(text)
    new = {**new, "spec": {**new["spec"], "t": "off"}}
    assert is_same(read_document(rewritten(text, new).text), new)


# ---------------------------------------------------------------- random edits


def _value(rng, depth=0):
    kind = rng.choice(["text", "text", "number", "flag", "list", "map"] if depth < 3 else ["text", "number", "flag"])
    if kind == "text":
        return rng.choice(["a", "yes", "5", "", "x y", "a: b", "#", "1.5", "é", "two\nlines", "tail ", "- a", "0x1f"])
    if kind == "number":
        return rng.choice([0, 7, -3, 1.5])
    if kind == "flag":
        return rng.choice([True, False, None])
    size = rng.randrange(4)
    if kind == "list":
        return [_value(rng, depth + 1) for _ in range(size)]
    return {rng.choice(["k", "on", "a.b/c", "5", "x y", "z"]): _value(rng, depth + 1) for _ in range(size)}


def random_edit(rng, raw):
    """Change one thing somewhere in a value."""
    at = raw
    while True:
        inner = [v for v in (at.values() if isinstance(at, dict) else at) if isinstance(v, dict | list) and v]
        if not inner or rng.random() < 0.3:
            break
        at = rng.choice(inner)
    what = rng.choice(["add", "remove", "set"])
    if isinstance(at, dict):
        name = rng.choice(list(at)) if at and what != "add" else rng.choice(["n1", "n2", "a.b/c", "off"])
        if what == "remove":
            at.pop(name, None)
        else:
            at[name] = _value(rng)
    elif what == "add":
        at.insert(rng.randrange(len(at) + 1), _value(rng))
    elif what == "remove":
        at.pop(rng.randrange(len(at)))
    else:
        at[rng.randrange(len(at))] = _value(rng)


@pytest.mark.slow
def test_random_edits_leave_exactly_the_value_that_was_asked_for():
    rng = random.Random(7)
    n_lost = 0
    for _ in range(40):
        text = COMMENTED
        raw = read_document(text)
        for _ in range(25):
            new = copy.deepcopy(raw)
            random_edit(rng, new)
            result = rewritten(text, new)
            assert is_same(read_document(result.text), new), (text, new)
            n_lost += bool(result.lost)
            text, raw = result.text, new
            if result.lost:
                text = COMMENTED
                raw = read_document(text)
    assert n_lost < 10, "comments are given up only where a text has no other form"


def test_a_text_holds_an_object_with_or_without_the_namespace_that_is_added():
    plain = "kind: Pod\nmetadata: {name: a}\n"
    own = {"kind": "Pod", "metadata": {"name": "a"}}
    added = {"kind": "Pod", "metadata": {"name": "a", "namespace": "default"}}
    assert [holds(plain, one) for one in (own, added, {**added, "spec": {}})] == [True, True, False]
    assert not holds(plain, {"kind": "Pod", "metadata": {"name": "a", "namespace": "shop"}})
    assert not holds("kind: [", own)


@pytest.mark.parametrize("text", ['{"a": {"x": {"m": 1}}, "b": {"x": {"m": 1}}}', "a: &one {x: {m: 1}}\nb: *one\n"])
def test_equal_parts_of_a_text_are_changed_one_by_one(text):
    value = read_document(text)
    value["a"]["x"]["m"] = 2
    assert value["b"] == {"x": {"m": 1}}
    assert read_document(rewritten(text, value).text) == value
