"""The API server's verdict on a text, and the cases of some kinds of objects."""

from __future__ import annotations

from scheduler_core.manifests.kinds.registry import KINDS
from tests.scheduler_core.manifests.manifest_helpers import load
from tests.scheduler_core.manifests.object_rules import OBJECTS


def object_text(kind, fields):
    group, version = KINDS[kind].group, KINDS[kind].versions[0]
    return f"apiVersion: {group + '/' if group else ''}{version}\nkind: {kind}\n{fields}\n"


def judge(text, field):
    errors = load(text).errors
    assert [e.field for e in errors] == ([] if field is None else [field]), [e.text() for e in errors]
    assert all(e.line is not None and e.object for e in errors)


def cases_of(*kinds):
    """Return the cases of these kinds: (upstream function, kind, the object's fields, refused field or None)."""
    cases = [case for case in OBJECTS if case[1] in kinds]
    assert {case[1] for case in cases} == set(kinds)
    return cases
