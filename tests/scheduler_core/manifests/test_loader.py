"""Objects from several files: the same twice, and two of one name."""

from __future__ import annotations

from tests.scheduler_core.manifests.manifest_helpers import NODE, load, only, pod_text


def test_the_same_object_twice_counts_once_and_a_different_one_is_refused():
    same = load(NODE + "---\n" + NODE)
    assert (only(same).severity, only(same).line, len(same.objects.nodes)) == ("warning", 8, 1)
    assert "file.yaml, line 3" in only(same).message
    other = only(load(NODE + "---\n" + NODE.replace('"4"', '"8"')))
    assert (other.severity, other.line) == ("error", 8)


def test_a_name_given_twice_hides_no_other_error_of_the_object():
    first, second = pod_text("priority: 1", "web"), pod_text("priority: no", "web")
    result = load(f"{first}---\n{second}")
    assert {finding.field for finding in result.errors} == {"metadata.name", "spec.priority"}
