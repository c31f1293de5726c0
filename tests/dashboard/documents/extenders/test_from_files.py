"""Files of scripts: saved under their names, as a further revision only where they have changed."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Forbidden
from dashboard.documents.extenders.from_files import rules_in, tape_in
from dashboard.documents.models import DeclaredExtendersRevision, ExtenderTapeRevision
from tests.dashboard.documents.tapes import small_tape

pytestmark = pytest.mark.django_db


def test_a_tape_is_taken_in_once(editor, tmp_path):
    path = tmp_path / "monday.tape"
    path.write_bytes(small_tape())
    first = tape_in(editor.member, path)
    assert (first.label, tape_in(editor.member, path).revision) == ("tape monday r1", first.revision)
    path.write_bytes(small_tape(source="other.json"))
    assert tape_in(editor.member, path).label == "tape monday r2"
    assert ExtenderTapeRevision.objects.count() == 2


def test_rules_are_saved_once(editor, tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_text("extenders: [{}]\n")
    first = rules_in(editor.member, path)
    assert (first.label, rules_in(editor.member, path).revision) == ("declared extenders rules r1", first.revision)
    path.write_text("extenders: [{}, {}]\n")
    assert rules_in(editor.member, path).label == "declared extenders rules r2"
    assert DeclaredExtendersRevision.objects.count() == 2


def test_who_only_looks_saves_nothing(viewer, tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_text("extenders: [{}]\n")
    with pytest.raises(Forbidden):
        rules_in(viewer.member, path)
    path.write_bytes(small_tape())
    with pytest.raises(Forbidden):
        tape_in(viewer.member, path)
