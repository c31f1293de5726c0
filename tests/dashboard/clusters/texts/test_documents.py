"""Documents of YAML files that hold one object each."""

from __future__ import annotations

import pytest

from dashboard.clusters.texts.documents import texts_in
from dashboard.clusters.texts.store import MAX_KEPT_TEXT
from scheduler_core.manifests import Limits, ManifestSource
from tests.scheduler_core.manifests.kinds.two_groups import BOTH, NAME


def texts_of(text):
    """Return {key: text} of a file."""
    data = text if isinstance(text, bytes) else text.encode()
    return dict(texts_in(ManifestSource("file.yaml", data), Limits()))


FIRST = "# first\napiVersion: v1\nkind: Pod # a pod\nmetadata:\n  # about\n  labels:\n    name: no\n  name: web-1\n"
SECOND = "kind: Node\nmetadata:\n    name: 'node-a'\n    # end\n"


def test_each_document_is_found_with_its_comments_and_nothing_of_the_others():
    assert texts_of(f"{FIRST}---\n{SECOND}") == {("Pod", "", "web-1"): FIRST, ("Node", "", "node-a"): SECOND}


def test_the_namespace_is_part_of_the_key():
    assert list(texts_of('kind: Pod\nmetadata:\n  namespace: shop\n  name: "a"\nspec: {}\n')) == [("Pod", "shop", "a")]


def test_line_ends_of_windows_are_read_as_plain_ones():
    assert texts_of(SECOND.replace("\n", "\r\n")) == {("Node", "", "node-a"): SECOND}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kind: List\nitems:\n- kind: Pod\n  metadata:\n    name: a\n",
        "kind: PodList\nmetadata:\n  name: a\n",
        "kind: Pod\nmetadata: {name: [a]}\n",
        "kind: Pod\nmetadata: {name: *a}\n",
        "kind: PodList\nmetadata: {name: a}\n",
        "kind: Pod\nmetadata:\n  generateName: a-\n",
        "spec:\n  kind: Pod\nmetadata:\n  name: a\n",
        '{"kind": "Pod", "metadata": {"name": "a"}}',
        "- a\n- b\n",
        b"\xff\xfe\x00",
        "kind: Pod\nmetadata:\n  name: a\nspec: |\n" + "  x\n" * MAX_KEPT_TEXT,
    ],
)
def test_what_is_no_object_in_block_style_is_passed_over(text):
    assert texts_of(text) == {}


def test_a_long_hostile_text_is_looked_through_quickly():
    assert texts_of("metadata:\n" + " " * 60_000 + "\n" + "#" * 60_000) == {}


def test_metadata_may_stand_on_one_line():
    text = "kind: Pod\nmetadata: {name: a, namespace: 'shop', labels: {b: c}}  # why\nspec: {}\n"
    assert texts_of(text) == {("Pod", "shop", "a"): text}


def test_a_kind_whose_word_another_one_has_is_named_with_its_group():
    source = ManifestSource("a.yaml", BOTH.encode())
    assert [key[0] for key, _ in texts_in(source, Limits())] == ["PodGroup", NAME]
