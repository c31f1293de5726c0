"""Taking in tapes and saving declared extenders: what is stored, what is refused, what may be deleted."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.clusters.revisions.actions import BadObjects
from dashboard.common.problems import Conflict, Forbidden, Problem
from dashboard.documents.actions import NewText
from dashboard.documents.extenders import actions, tape_files
from dashboard.documents.extenders.actions import rules_in, tape_in
from dashboard.documents.models import (
    DeclaredExtenders,
    DeclaredExtendersRevision,
    ExtenderTape,
    ExtenderTapePart,
    ExtenderTapeRevision,
)
from dashboard.runs.models import Run
from scheduler_core.extenders.tape import sections
from scheduler_core.extenders.tape.limits import TapeLimits
from scheduler_core.extenders.tape.sections import MAGIC
from tests.dashboard.documents.tapes import small_tape, take
from tests.scheduler_core.extenders.tape.taping import HEADER

pytestmark = pytest.mark.django_db


def header_bytes(**changed):
    """A header with other values, as it is written."""
    return msgspec.msgpack.encode({**msgspec.to_builtins(HEADER), **changed})


def forged(changed, header=b"", n_calls=0):
    """A tape without calls whose checksums are right, with another header and end."""
    end = msgspec.msgpack.encode({"n_calls": n_calls, "n_blocks": 0})
    parts = sections.packed(sections.HEADER, header or header_bytes(**changed)), sections.packed(sections.END, end)
    return sections.prologue() + b"".join(parts)


def test_a_tape_is_stored_with_what_it_holds(editor, monkeypatch):
    monkeypatch.setattr(tape_files, "PART_BYTES", 100)
    data = small_tape()
    revision = take(editor.member, data, "monday")
    assert b"".join(bytes(part.data) for part in revision.parts.all()) == data
    assert ExtenderTapePart.objects.count() == -(-len(data) // 100)
    assert (revision.size, revision.n_calls, revision.n_attempts) == (len(data), 5, 2)
    assert revision.counts[:2] == [[0, "filter", 1, 0], [0, "prioritize", 1, 1]]
    assert [1, "filter", 1, 1] in revision.counts
    with tape_files.open_tape(revision) as opened:
        assert opened.n_calls == 5
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.object, entry.details["calls"]) == ("tape.created", "monday r1", 5)


def test_a_further_recording_is_the_next_revision(editor, tape):
    revision = take(editor.member, small_tape(source="other.json"), "", tape)
    assert (revision.number, revision.parent.number) == (2, 1)
    with pytest.raises(Problem, match="revision 2 already"):
        take(editor.member, small_tape(source="other.json"), "", tape)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"apiVersion: v1", r"run.tape: is no tape: it does not begin with 'schedscope extender tape'"),
        (MAGIC, rf"run.tape: byte {len(MAGIC)}: the tape is cut off"),
        (small_tape()[:-9], r"run.tape: byte \d+: the tape is cut off"),
        (small_tape() + b"x", r"run.tape: byte \d+: there is more after the end of the tape"),
        (small_tape()[:60] + b"\x00\x00" + small_tape()[62:], r"run.tape: byte 27: a section is damaged"),
        (forged({"extenders": 5}), r"run.tape: byte 27: does not hold what it should: Expected `array`"),
        (forged({}, b"\x81\xa1a" + b"\x91" * 200_000), r"run.tape: byte 27: .* nested too deeply in each other"),
        (
            forged({}, b"\x84\xa1a\x01\xa1a\x02" + header_bytes()[1:]),
            "run.tape: byte 27: a key stands twice in the header",
        ),
        (forged({"recorded_at": float("nan")}), "run.tape: byte 27: recorded_at is no time: nan"),
        (forged({"source": "a\0b"}), "run.tape: byte 27: a text has a NUL in it"),
        (forged({}, n_calls=5), r"run.tape: byte \d+: the end tells 5 calls in 0 blocks; before it are 0 in 0"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_no_whole_tape_is_refused_with_file_and_byte(editor, data, said):
    with pytest.raises(Problem, match=said):
        take(editor.member, data, "monday")
    assert not ExtenderTape.objects.exists()


def test_a_tape_that_is_too_large_is_refused(editor, monkeypatch):
    monkeypatch.setattr(actions, "MOST_BYTES", 10)
    with pytest.raises(Problem, match="0 MiB together"):
        take(editor.member, small_tape(), "monday")
    assert not ExtenderTape.objects.exists()


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (TapeLimits(max_bytes=100), r"run.tape: has \d+ bytes, at most 100 are allowed"),
        (TapeLimits(max_index_bytes=10), "names and calls take more than 10 bytes when decompressed"),
        (TapeLimits(max_calls=4), "there are more than 4 calls"),
        (TapeLimits(max_answers_bytes=10), "answers take more than 10 bytes when decompressed"),
    ],
)
def test_a_tape_beyond_a_limit_is_refused_before_anything_is_stored(editor, monkeypatch, limits, said):
    monkeypatch.setattr(tape_files, "LIMITS", limits)
    with pytest.raises(Problem, match=said):
        take(editor.member, small_tape(), "monday")
    assert not ExtenderTape.objects.exists()


def test_who_only_looks_uploads_and_deletes_nothing(viewer, tape, declared):
    with pytest.raises(Forbidden):
        take(viewer.member, small_tape(), "another")
    with pytest.raises(Forbidden):
        actions.save_declared(viewer.member, None, NewText("n", declared.revisions.get().text))
    for thing in (tape, declared):
        with pytest.raises(Forbidden):
            actions.delete(viewer.member, thing)


def test_names_are_there_once(editor, tape):
    with pytest.raises(Conflict, match='"monday" exists already'):
        take(editor.member, small_tape(), "monday")


def test_rules_with_an_error_are_refused_with_line_and_field(editor):
    with pytest.raises(BadObjects) as refusal:
        actions.save_declared(editor.member, None, NewText("n", "extenders:\n- filter:\n  - {refuse: no}\n"))
    (finding,) = refusal.value.findings
    assert (finding.line, finding.field) == (3, "extenders[0].filter[0].refuse")


def test_rules_are_saved_with_a_history(editor, declared):
    text = declared.revisions.get().text + "# more\n"
    saved = actions.save_declared(editor.member, declared, NewText("", text, 1, "more"))
    assert (saved.number, saved.message) == (2, "more")
    with pytest.raises(Conflict, match="saved revision 2"):
        actions.save_declared(editor.member, declared, NewText("", text + "#", 1))
    with pytest.raises(Problem, match="Nothing differs"):
        actions.save_declared(editor.member, declared, NewText("", text, 2))


def test_what_no_run_needs_can_be_deleted(editor, tape, declared):
    take(editor.member, small_tape(source="other.json"), "", tape)
    actions.delete(editor.member, tape)
    actions.delete(editor.member, declared)
    assert not ExtenderTape.objects.exists()
    assert not ExtenderTapePart.objects.exists()
    assert not DeclaredExtenders.objects.exists()
    assert AuditEntry.objects.filter(action__in=["tape.deleted", "extenders.deleted"]).count() == 2


def test_what_a_run_needs_stays(editor, cluster, tape):
    Run.objects.create(
        workspace=cluster.workspace, number=1, revision=cluster.revisions.get(), tape_revision=tape.revisions.get()
    )
    assert actions.n_runs_with(tape) == 1
    with pytest.raises(Conflict, match="with monday"):
        actions.delete(editor.member, tape)
    assert tape.revisions.get().parts.exists()


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
    assert (first.label.split()[-1], rules_in(editor.member, path).revision) == ("r1", first.revision)
    path.write_text("extenders: [{}, {}]\n")
    assert rules_in(editor.member, path).label.endswith(" rules r2")
    assert DeclaredExtendersRevision.objects.count() == 2


def test_who_only_looks_saves_nothing(viewer, tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_text("extenders: [{}]\n")
    with pytest.raises(Forbidden):
        rules_in(viewer.member, path)
    path.write_bytes(small_tape())
    with pytest.raises(Forbidden):
        tape_in(viewer.member, path)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (
            lambda member, tape, declared: take(member, small_tape(), "", tape),
            "is revision 1 already, byte for byte",
        ),
        (
            lambda member, tape, declared: actions.save_declared(member, declared, NewText("", "extenders: []\n", 0)),
            "Somebody saved revision 1",
        ),
        (lambda member, tape, declared: actions.delete(member, tape), "Runs were made with monday"),
    ],
)
def test_words(editor, cluster, tape, declared, step, sentence):
    Run.objects.create(
        workspace=cluster.workspace, number=1, revision=cluster.revisions.get(), tape_revision=tape.revisions.get()
    )
    with pytest.raises(Problem) as raised:
        step(editor.member, tape, declared)
    assert sentence in raised.value.detail


def test_words_of_a_tape_that_is_too_large(editor, monkeypatch):
    monkeypatch.setattr(actions, "MOST_BYTES", 10)
    with pytest.raises(Problem, match="may take 0 MiB together"):
        take(editor.member, small_tape(), "monday")
