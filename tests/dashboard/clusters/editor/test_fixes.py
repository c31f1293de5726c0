"""Findings at their places in a text, and fixes that can be written there."""

from __future__ import annotations

import pytest

from dashboard.clusters.editor.fixes import offers
from dashboard.clusters.editor.object_text import check_text
from scheduler_core.manifests import Finding
from scheduler_core.manifests.model import Fix

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {tier: yes, "app": web}}
spec:
  containers:
  - name: main
    image: nginx  # small
    resorces: {}
  tolerations:
  - key: gpu
    operator: "Exist"
    efect: NoSchedule
  priority: "5"
"""


def mended(text, offer):
    lines = text.split("\n")
    place = offer.place
    line = lines[place.line - 1]
    lines[place.line - 1] = line[: place.start] + offer.text + line[place.end :]
    return "\n".join(lines)


def test_every_slip_of_an_object_is_offered_at_once_and_all_fixes_make_it_valid():
    checked = check_text(POD)
    assert sorted((one.replaced, one.text) for one in offers(checked.findings, POD)) == [
        ('"5"', "5"),
        ('"Exist"', '"Exists"'),
        ("efect", "effect"),
        ("resorces", "resources"),
        ("yes", '"yes"'),
    ]
    text = POD
    while any(one.text for one in offers(check_text(text).findings, text)):
        text = mended(text, next(one for one in offers(check_text(text).findings, text) if one.text))
    assert check_text(text).findings == []
    assert "image: nginx  # small" in text
    assert 'tier: "yes", "app"' in text


@pytest.mark.parametrize(
    ("line", "field", "fix", "text"),
    [
        ("kind: Deploymnt", "kind", Fix("value", "Deployment"), "Deployment"),
        ("- operator: in # why", "spec[0].operator", Fix("value", "In"), "In"),
        ("{operator: in, key: a}", "operator", Fix("value", "In"), "In"),
        ("  - in", "values[0]", Fix("value", "In"), "In"),
        ("  'tolerations ': x", "spec.other", Fix("key", "tolerations"), ""),
        ("a: {key: x, b: {key: y}}", "a.key", Fix("key", "keys"), ""),
        ("operator:", "operator", Fix("value", "In"), ""),
        ("key: x", "", Fix("value", "In"), ""),
    ],
)
def test_a_fix_is_offered_where_its_place_is_certain(line, field, fix, text):
    finding = Finding(severity="error", source="editor", message="m", line=1, field=field, fix=fix)
    assert offers([finding], line)[0].text == text


def test_a_finding_without_a_line_of_the_text_has_no_place():
    finding = Finding(severity="warning", source="editor", message="m", line=9, field="kind")
    assert offers([finding], "kind: Pod")[0].place is None
    assert offers([finding], "kind: Pod")[0].severity == "warning"
