"""A text is written back as it was, but for what changed."""

from __future__ import annotations

import pytest

from dashboard.clusters.configurations.table.yaml_document import Unreadable, YamlDocument, list_in, mapping_in, plain
from dashboard.clusters.yaml_templates import CONFIGURATION_TEMPLATES

TEXTS = (
    "a: 1  # one\nb:\n- 'x'\n- \"y\"\n",
    "a:\n  # first\n  - name: x\n    list:\n      - 1\n      - 2\n",
    "---\na: on\n",
    "%YAML 1.1\n---\na: 1\n",
    "a: &x\n  b: 1\nc: *x\n",
    "long: " + "word " * 200 + "end\n",
    *(one.text for one in CONFIGURATION_TEMPLATES.values()),
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_without_a_change_is_the_same(text):
    assert YamlDocument(text).text() == text


def test_what_is_added_has_the_indentation_of_the_text():
    document = YamlDocument("a:\n    - name: x\n")
    list_in(document.root, "a").append(plain({"name": "z", "in": {"on": "off"}}))
    mapping_in(document.root, "b")["c"] = 1
    assert document.text() == "a:\n    - name: x\n    - name: z\n      in:\n        'on': 'off'\nb:\n  c: 1\n"


@pytest.mark.parametrize("text", ["- 1\n", "a: [\n", "a: 1\n---\nb: 2\n", "a: 1\na: 2\n", "text"])
def test_what_is_no_single_mapping_is_refused(text):
    with pytest.raises(Unreadable):
        YamlDocument(text)
