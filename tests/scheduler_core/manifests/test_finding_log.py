"""The list of findings: bounded, summed up, printable."""

from __future__ import annotations

from tests.scheduler_core.manifests.manifest_helpers import load, only, pod_text


def test_an_unknown_priority_class_and_many_alike_are_summed_up():
    pods = "---\n".join(pod_text("priorityClassName: not-there", f"p{i}") for i in range(20))
    result = load(pods)
    assert result.ok
    assert len(result.findings) == 4
    assert "17 more objects" in result.findings[-1].message


def test_findings_are_bounded_and_what_is_left_out_is_said():
    pods = "---\n".join(pod_text("priority: no", f"p{i}") for i in range(1500))
    result = load(pods)
    assert len(result.findings) == 1001
    assert result.findings[-1].severity == "error"
    assert "more findings" in result.findings[-1].message


def test_text_escapes_control_and_direction_characters():
    finding = only(load('{apiVersion: v1, kind: Namespace, metadata: {name: "a\\e[31m\\u202Eb\\n"}}'))
    assert finding.text().isprintable()
    assert finding.text().startswith("file.yaml:1: Namespace a\\x1b[31m\\u202eb\\n: metadata.name: ")
