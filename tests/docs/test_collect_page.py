"""docs/collect.md says what the collector reads, needs and answers, as it is."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from scheduler_core.cli.live.collect import run
from scheduler_core.collect.collection import NOTHING, WHOLE, WITH_GAPS
from scheduler_core.collect.fields.allowed import EVENT_REASONS
from scheduler_core.collect.role import cluster_role
from scheduler_core.manifests.bundle.model import GapCode
from tests.docs.collect_fields import PAGE, ROOT, written

TEXT = PAGE.read_text()


def test_the_fields_are_those_of_the_allow_list():
    assert written(TEXT) == TEXT, "python -m tests.docs.collect_fields writes them"


def test_the_role_is_the_one_that_is_printed(capsys):
    assert f"```yaml\n{cluster_role()}```" in TEXT
    assert cluster_role() in (ROOT / "examples" / "collector" / "rights.yaml").read_text()
    assert run(["--role"]) == 0
    assert capsys.readouterr().out == cluster_role()


def test_every_gap_that_a_collector_writes_has_its_meaning():
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", TEXT, re.MULTILINE)) == set(get_args(GapCode))


def test_every_option_has_a_row(capsys):
    with pytest.raises(SystemExit):
        run(["--help"])
    options = set(re.findall(r"^  (?:-h, )?(--[a-z-]+)", capsys.readouterr().out, re.MULTILINE)) - {"--help"}
    rows = "\n".join(line for line in TEXT.splitlines() if line.startswith("| `--"))
    assert options == set(re.findall(r"`(--[a-z-]+)", rows)) - {"--follow"} | {"--follow"}


def test_every_status_has_a_row():
    rows = re.findall(r"^\| (\d) \|", TEXT, re.MULTILINE)
    assert rows == [str(one) for one in (WHOLE, NOTHING, 2, WITH_GAPS)]


def test_every_reason_of_an_event_is_named():
    (sentence,) = re.findall(r"for these reasons: (.*?)\.", TEXT, re.DOTALL)
    assert set(re.findall(r"\w+", sentence)) == EVENT_REASONS
