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


def changed(change, text=COMMENTED):
    """Return the text after a change of its value, which has to be written without losing the comments."""
    new = copy.deepcopy(read_document(text))
    change(new)
    result = rewritten(text, new)
    assert result.lost == ""
    assert is_same(read_document(result.text), new)
    return result.text


def lines_of(text):
    return text.splitlines()


def test_a_text_that_holds_the_value_stays_as_it_is_byte_for_byte():
    assert rewritten(COMMENTED, read_document(COMMENTED)).text == COMMENTED


def test_a_scalar_is_written_in_place_with_its_quotes_and_the_comment_behind_it():
    def change(raw):
        raw["metadata"]["labels"] = {"app": "shop", "tier": "back"}

    text = changed(change)
    assert "    app: shop # the app\n" in text
    assert '    tier: "back"\n' in text
    assert len(set(lines_of(text)) ^ set(lines_of(COMMENTED))) == 4


def test_a_key_is_renamed_in_place():
    def change(raw):
        raw["metadata"]["labels"]["a.b/c"] = raw["metadata"]["labels"].pop("app")

    assert changed(change) == COMMENTED.replace("app: web # the app", "a.b/c: web # the app")


def test_an_entry_that_goes_takes_its_line_alone():
    assert changed(lambda raw: raw["metadata"]["labels"].pop("app")) == COMMENTED.replace(
        "    app: web # the app\n", ""
    )


def test_an_item_that_goes_leaves_the_comments_around_it():
    text = changed(lambda raw: raw["spec"]["tolerations"].pop(0))
    assert text == COMMENTED.replace("    - key: dedicated\n      operator: Exists\n", "")


def test_an_item_that_comes_stands_behind_the_last_one_indented_as_they_are():
    text = changed(lambda raw: raw["spec"]["tolerations"].append({"key": "gpu", "operator": "Exists"}))
    assert text == COMMENTED.replace("    - key: old\n", "    - key: old\n    - key: gpu\n      operator: Exists\n")


def test_an_entry_that_comes_stands_before_the_comment_of_what_follows():
    text = changed(lambda raw: raw["spec"].update(nodeSelector={"disk": "ssd"}))
    assert "    - key: old\n  nodeSelector:\n    disk: ssd\n# what is reported\nstatus: {}\n" in text


def test_the_first_entry_behind_a_dash_can_go():
    text = changed(lambda raw: raw["spec"]["containers"][0].pop("name"))
    assert "  containers:\n  - image: nginx\n" in text


def test_an_empty_mapping_becomes_lines_and_back():
    text = changed(lambda raw: raw.update(status={"phase": "Running"}))
    assert text.endswith("status:\n  phase: Running\n")
    assert changed(lambda raw: raw.update(status={}), text) == COMMENTED


def test_a_list_in_brackets_stays_in_brackets():
    assert "args: [a, b, c]   # short" in changed(lambda raw: raw["spec"]["containers"][0]["args"].append("c"))


def test_words_that_yaml_takes_for_something_else_are_quoted():
    def change(raw):
        raw["metadata"]["labels"].update(app="yes", n="5", empty="", colon="a: b", hash="a #b", lines="a\nb")

    changed(change)


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


def test_what_shares_nothing_is_changed_beside_anchors_and_aliases():
    text = changed(lambda raw: raw["spec"]["merged"].update(own=2), SHARED)
    assert text == SHARED.replace("own: 1", "own: 2")


def test_an_alias_that_changes_alone_is_written_out():
    text = changed(lambda raw: raw["spec"].update(nodeSelector={"app": "db"}), SHARED)
    assert text == SHARED.replace("nodeSelector: *labels # again", "nodeSelector: # again\n    app: db")


def test_aliases_of_what_changes_are_written_out_and_others_stay():
    start = SHARED.partition("  merged")[0]
    text = changed(lambda raw: raw["metadata"]["labels"].update(app="db"), start)
    assert text == start.replace("app: web", "app: db").replace(
        "nodeSelector: *labels # again", "nodeSelector: # again\n    app: web"
    ).replace("[*labels", "[{app: web}")


def test_aliases_of_what_goes_are_written_out():
    start = SHARED.partition("  merged")[0]
    text = changed(lambda raw: raw.pop("metadata"), start)
    assert text == "kind: Pod # one\nspec:\n  nodeSelector: # again\n    app: web\n  more: [{app: web}, &n 1, *n]\n"


def test_anchors_of_keys_and_values_stay_and_tags_go_with_their_values():
    text = "&k a: &v !!str 1 # one\nb: [*v]\nc: !!str 2\n"
    assert changed(lambda raw: raw.update(c=3, d=4), text) == text.replace("!!str 2", "3") + "d: 4\n"
    after = changed(lambda raw: raw.update(a="x", b=["x"]), text)
    assert after == text.replace("!!str 1", "x").replace("*v", "x")


def test_a_key_that_is_merged_in_is_written_over_by_one_of_its_own():
    text = changed(lambda raw: raw["spec"]["merged"].update(app="db"), SHARED)
    assert text == SHARED + "    app: db\n"


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
def test_a_text_without_an_object_is_written_anew(text):
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
