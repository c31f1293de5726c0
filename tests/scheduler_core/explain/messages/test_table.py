"""The table of texts: every recorded text leads to codes in the versions that say it, and every code has its texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core.explain.messages.table import TEXTS
from scheduler_core.explain.messages.texts import PLACES, POST_FILTER, VERSIONS
from scheduler_core.framework.contracts.obstacles import KINDS
from scheduler_core.profiles.obstacle_kinds import find_kind, kinds_by_plugin
from tests.docs.diagnosis.page import is_in

RECORDED = [
    line.split("\t")
    for line in Path(__file__).with_name("recorded_texts.tsv").read_text().splitlines()
    if not line.startswith("#")
]
SAY_NO_CAUSE = {"All PostFilter plugins are skipped"}
WITHOUT_TEXT = {
    "OTHER_SCHEDULER": "the scheduler that a pod asks for says nothing where there is none",
    "UNKNOWN_SCHEDULER": "nobody serves the name",
    "NO_SCHEDULER_RUNS": "nobody is there to say it",
    "NOT_CREATED_ADMISSION": "an admission plugin or webhook says what it wants",
    "NOT_CREATED_QUEUE": "the queue's Workload says it, in words of its own",
    "NOT_CREATED_STRATEGY": "a Deployment says its counts, and no text",
    "BACKING_OFF": "a pod that waits keeps its last message",
    "NOT_TRIED_YET": "a pod that was not tried has none",
    "BOUND_NOT_RUNNING": "the kubelet says it",
    "REAL_SCHEDULER_DIFFERS": "said by comparing messages",
}


@pytest.mark.parametrize(("versions", "text"), RECORDED, ids=[text[:60] for _, text in RECORDED])
def test_a_recorded_text_leads_to_codes_in_the_versions_that_say_it(versions, text):
    match = TEXTS.find(text)
    assert match is not None
    assert match.codes or match.row.place == POST_FILTER or text in SAY_NO_CAUSE
    assert match.row.recorded
    assert [version for version in versions.split() if not is_in(match.row, version)] == []


def test_what_is_marked_as_recorded_is():
    recorded = {TEXTS.find(text).row.text for _, text in RECORDED}
    assert {row.text for row in TEXTS.rows if row.recorded} - recorded == set()


def test_every_published_code_has_a_text_or_a_reason_why_not():
    named = {code for row in TEXTS.rows for code in row.codes}
    missing = set(KINDS) - named - WITHOUT_TEXT.keys()
    assert not missing, (
        f"{sorted(missing)} have no text: name each beside the text that leads to it, in "
        "scheduler_core/versions/texts.toml (recorded = false where no recording has the text), or in "
        "WITHOUT_TEXT with the reason"
    )
    assert not WITHOUT_TEXT.keys() & named, f"{sorted(WITHOUT_TEXT.keys() & named)} have a text: leave WITHOUT_TEXT"
    assert WITHOUT_TEXT.keys() <= KINDS.keys()


def test_every_plugin_says_only_what_it_declares_and_the_cores_own():
    declared = {name: {kind.code for kind in kinds} for name, kinds in kinds_by_plugin().items()}
    cores = {"HELD_BY_NOMINATED", "PLUGIN_FAILED", "EXTENDER_FAILED", "EXTENDER_REFUSED", "PREBIND_FAILED", "CORDONED"}
    for row in TEXTS.rows:
        if row.plugin in declared:
            assert set(row.codes) <= declared[row.plugin] | cores, row.text


def test_rows_are_well_formed():
    texts = [row.text for row in TEXTS.rows]
    assert len(texts) == len(set(texts))
    for row in TEXTS.rows:
        assert row.place in PLACES
        assert not row.now or row.now in texts
        assert all(find_kind(code).means for code in row.codes)
        assert any(is_in(row, version) for version in VERSIONS) or row.until or row.since > VERSIONS[-1]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("node(s) had untolerated taint {node.kubernetes.io/not-ready: }", ("TAINT_NODE_CONDITION",)),
        ("node(s) had untolerated taint {node.kubernetes.io/unschedulable: }", ("CORDONED",)),
        ("node(s) had untolerated taint {dedicated: db}", ("TAINT_UNTOLERATED",)),
        ("Insufficient cpu", ("SHORT_CPU", "TOO_LARGE", "HELD_BY_NOMINATED")),
        ("Insufficient nvidia.com/gpu", ("SHORT_RESOURCE", "NOT_OFFERED")),
    ],
)
def test_a_special_text_comes_before_the_general_one(text, codes):
    assert TEXTS.find(text).codes[: len(codes)] == codes
