"""The figures in docs/fidelity.md are those of the recordings; that each matches is test_recorded_decisions' to say."""

from __future__ import annotations

import pytest

from scheduler_core.profiles.presets import PRESETS
from scheduler_core.profiles.registry import IN_TREE, LEGACY
from tests.conformance.figures import (
    BEGIN_VERSIONS,
    CASES,
    END_VERSIONS,
    HEAD_VERSIONS,
    PAGE,
    decisions,
    families,
    table,
    written,
)
from tests.conformance.test_recorded_decisions import files, recordings
from tests.conformance.test_recorded_versions import KEPT_HERE, VERSIONS


@pytest.mark.slow
def test_the_table_counts_what_is_kept_here():
    kept_of = {line.family: line.n_kept for line in written()}
    assert kept_of == {family: sum(p.parent.name == family for p in files(CASES)) for family in families()}


def test_every_recorded_case_is_said_to_match():
    assert [line for line in written() if line.matching != line.cases] == []


def test_the_table_is_the_generated_one():
    assert table(written()) in PAGE.read_text()


@pytest.mark.slow
@pytest.mark.skipif(not recordings(), reason="only the subset of the recordings is at hand")
def test_the_table_counts_all_recordings():
    for line in written():
        if line.family == "devices":
            continue  # recorded as families of their own, of which this is a selection
        recorded = [path for path in recordings() if path.parent.name == line.family]
        assert (line.cases, line.decisions) == (len(recorded), decisions(recorded)), line.family


@pytest.mark.slow
def test_the_table_of_versions_counts_what_is_kept_here_and_all_of_it_matches():
    lines = written(BEGIN_VERSIONS, END_VERSIONS)
    kept_of = {line.family: line.n_kept for line in lines}
    assert kept_of == {name: len(files(KEPT_HERE / name)) for name in (*VERSIONS, "differences")}
    assert [line for line in lines if line.matching != line.cases] == []
    assert table(lines, HEAD_VERSIONS) in PAGE.read_text()


@pytest.mark.parametrize("name", [plugin.name for plugin in (*IN_TREE, *LEGACY)])
def test_the_page_speaks_of_every_plugin(name):
    is_there = f"| {name} |" in PAGE.read_text()
    assert is_there, f'add a row "| {name} | |" to the table "Plugin by plugin" of docs/fidelity.md'


@pytest.mark.parametrize("name", PRESETS)
def test_the_page_speaks_of_every_preset(name):
    is_there = f"`{name}`" in PAGE.read_text()
    assert is_there, f"docs/fidelity.md says nothing of the preset `{name}`"
