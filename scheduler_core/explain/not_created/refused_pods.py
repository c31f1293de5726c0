"""Pods that admission refuses, and how remedies for them are written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from scheduler_core.admission.amounts import text as amount_text
from scheduler_core.api.objects import Pod
from scheduler_core.explain.remedies.codes import needed_actor
from scheduler_core.explain.remedies.model import LIMITS, ProposedEdit, Remedy
from scheduler_core.manifests.kinds.registry import KINDS, served_version
from scheduler_core.manifests.writing.json_edits import SET
from scheduler_core.recording import events as ev


class RefusedPods(NamedTuple):
    """Pods that admission refuses: the last refusal, one of them, how many are ``missing``, and whose they are
    ("Deployment team/web", or "Pod team/web-0")."""

    event: ev.CreationRefused
    pod: Pod
    missing: int
    title: str


def in_template(refused: RefusedPods, kind: str, code: str, path: str, subject: str, value: str) -> ProposedEdit:
    """An edit of the pod, in the template of the workload that makes it."""
    of, _, name = refused.title.partition(" ")
    version = served_version(of) if of in KINDS else ""
    where = path if of == "Pod" else f"/spec/template{path}"
    return ProposedEdit(
        kind, subject, "", value, code=code, op=SET, object=f"{version}/{of}/{name}", path=where, value=value
    )


def amount_edit(  # noqa: PLR0913
    kind: str, code: str, target: str, path: str, resource: str, before: int | None, after: int, of: str = ""
) -> ProposedEdit:
    """An amount of a quota or a range, written as one of the resource, or of ``of`` where that is another."""
    was = "" if before is None else amount_text(of or resource, before)
    now = amount_text(of or resource, after)
    return ProposedEdit(kind, resource, was, now, code=code, op=SET, object=target, path=path, value=now)


def remedy(text: str, edits: Iterable[ProposedEdit], code: str = "") -> Remedy:
    """The remedy of these edits, of the kind of the first; ``code`` where there are none."""
    made = tuple(edits)
    first = made[0].code if made else code
    kind = made[0].kind if made else LIMITS
    return Remedy(kind, text, made, float(len(made)), code=first, actor=needed_actor((first,)))


def escaped(name: str) -> str:
    """The name as a step of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")
