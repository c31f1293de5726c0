"""docs/fidelity.md names the versions, behaviours and changes that there are."""

from __future__ import annotations

import re

from scheduler_core.simulate import Policies
from tests.docs.version_tables import PAGE, behaviours, settled, trains, unplayed, written

TEXT = PAGE.read_text()


def test_the_tables_are_those_of_the_room():
    assert written(TEXT) == TEXT, "python -m tests.docs.version_tables writes them"
    for table in (trains, behaviours, unplayed, settled):
        assert "\n".join(table()) in TEXT


def test_every_policy_of_a_version_has_a_row():
    named = set(re.findall(r"^\| `([a-z_]+)` \|", TEXT.partition("## Versions of the reference")[2], re.MULTILINE))
    assert {"kubernetes", "gates", "switched", "taint_message"} <= named & set(Policies.__struct_fields__)
