"""Texts that are no objects: empty documents count, and a finding has the line of its field in its own document."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import Limits, ManifestSource
from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.text_findings import finding_of_error, findings_of_sink, read_text_documents


def test_a_finding_has_the_line_of_its_field_behind_an_empty_document():
    text = b"---\n# nothing\n---\nname: x\nlist:\n- a\n- b\n"
    documents, positions = read_text_documents(ManifestSource("rules.yaml", text), Limits())
    ((number, raw),) = documents
    sink = Sink()
    At(raw, (), sink).error("is wrong", "list", 1)
    (finding,) = findings_of_sink(sink, "rules.yaml", "rules", positions, number)
    assert finding.text().startswith("rules.yaml:7: rules: list[1]: ")


def test_what_cannot_be_read_is_a_finding_with_its_line():
    with pytest.raises(LoadError) as caught:
        read_text_documents(ManifestSource("rules.yaml", b"a: 1\na: 2\n"), Limits())
    finding = finding_of_error(caught.value, "rules.yaml", "rules")
    assert (finding.severity, finding.line, finding.object) == ("error", 2, "rules")
