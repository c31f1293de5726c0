"""What rows take from their documents is there: names as they are written, and the printed manifest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scheduler_core.manifests import ManifestSource, load_cluster
from tests.docs.documents.page import DOCUMENTS, rows_of

SEEDS = sorted((Path(__file__).resolve().parents[4] / "shared" / "seeds").glob("*.txt"))
NAME = re.compile(r"\b[A-Za-z]*[a-z][A-Z]\w*")
OURS = frozenset(("PreEnqueue", "MiB"))
"""Names in rows that are not their documents': a newer extension point, of which the row says so, and a unit."""

pytestmark = pytest.mark.skipif(len(SEEDS) != len(DOCUMENTS), reason="the documents are not beside the project")


@pytest.mark.parametrize("index", range(len(DOCUMENTS)), ids=lambda index: DOCUMENTS[index].title)
def test_names_are_written_as_in_the_document(index):
    text = SEEDS[index].read_text(encoding="utf-8").lower()
    named = {(row.says, name) for row in rows_of(DOCUMENTS[index]) for name in NAME.findall(row.says)}
    assert [one for one in sorted(named) if one[1] not in OURS and one[1].lower() not in text] == []


def test_the_printed_manifest_is_read_with_its_terms():
    text = SEEDS[-1].read_text(encoding="utf-8")
    printed = next(part for part in text.split("```") if "name: with-node-affinity" in part)
    loaded = load_cluster([ManifestSource("printed.yaml", printed.removeprefix("yaml").encode())])
    (pod,) = loaded.objects.pods
    (term,) = pod.affinity.node_required.terms
    assert loaded.errors == []
    assert [one.key for one in term.match_expressions] == ["kubernetes.io/e2e-az-name"]
