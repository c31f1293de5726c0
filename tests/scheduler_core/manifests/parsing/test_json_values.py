"""JSON to values."""

from __future__ import annotations

import json

from tests.scheduler_core.manifests.manifest_helpers import load, only


def test_json_documents_may_follow_each_other_and_bad_json_may_be_yaml():
    one = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}
    two = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "b"}}
    assert [n.name for n in load(json.dumps(one) + "\n" + json.dumps(two)).objects.namespaces[:2]] == ["a", "b"]
    assert load("{apiVersion: v1, kind: Namespace, metadata: {name: a},}").ok


def test_half_a_surrogate_pair_is_refused_and_a_whole_one_is_text():
    text = '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a", "annotations": {"x": "%s"}}}'
    assert "surrogate" in only(load(text % "\\ud83d")).message
    assert load(text % "\\ud83d\\ude00").ok
