"""Texts that a version does not have."""

from __future__ import annotations

import pytest

from scheduler_core.compare.upgrade.texts import has_text, text_changes
from scheduler_core.explain.messages.table import TEXTS
from scheduler_core.versions.trains import TRAINS

NAMED, PLAIN = "node(s) had untolerated taint {<taint>}", "node(s) had untolerated taint(s)"


@pytest.mark.parametrize(
    ("text", "trains"),
    [
        (NAMED, ["1.33", "1.34.0"]),
        (PLAIN, ["1.34", "1.35", "1.36", "1.37"]),
        ("no new claims to deallocate", ["1.34.0", "1.34", "1.35", "1.36", "1.37"]),
        ("Insufficient <resource>", list(TRAINS)),
    ],
)
def test_each_train_has_the_texts_of_its_versions(text, trains):
    row = next(row for row in TEXTS.rows if row.text == text)
    assert [name for name, train in TRAINS.items() if has_text(row, train)] == trains


def test_a_text_that_both_versions_have_is_no_change_though_one_side_alone_says_it():
    both = (TRAINS["1.34"], TRAINS["1.36"])
    message = "0/1 nodes are available: 1 Insufficient cpu."
    assert text_changes([], [message], both) == ()
    assert text_changes(["no message of this form"], [], both) == ()
