"""Values of fields as written: misspelt names."""

from __future__ import annotations

from tests.scheduler_core.manifests.manifest_helpers import load, only, pod_text


def test_a_misspelt_field_is_a_warning_with_the_right_name():
    finding = only(load(pod_text("affinity: {podAntiAfinity: {}}")))
    assert (finding.severity, finding.field) == ("warning", "spec.affinity.podAntiAfinity")
    assert "podAntiAffinity" in finding.message
