"""Whether the engine agrees with the real scheduler about a cluster: computed here if that takes only a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.stored_events import current_events
from dashboard.runs import chosen
from dashboard.runs.inputs import load_objects, policies_from
from scheduler_core.explain.agreement import (
    Agreement,
    ScoreAgreement,
    agreement,
    scheduler_reports,
    score_agreement,
    scores_in_annotations,
)
from scheduler_core.simulate import RunInputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dashboard.answers.answering.cluster_source import ClusterSource
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import AgreementOf
    from dashboard.clusters.models import Revision
    from dashboard.clusters.revisions.contents import Contents
    from dashboard.runs.chosen import ChosenConfiguration

# Other questions wait meanwhile.
LONGEST_SECONDS = 3.0


class Compared(msgspec.Struct, frozen=True):
    """A cluster's pods compared with the dump, and with the annotations of kube-scheduler-simulator if it has any.

    `pods` is None where the time ended before all were decided.
    """

    pods: Agreement | None = None
    annotations: ScoreAgreement | None = None


class _TimeIsOverError(Exception):
    """The attempts take longer than an answer may."""


def agreement_inputs(revision: Revision, configuration: ChosenConfiguration) -> RunInputs:
    """Return the inputs that the engine is to decide on; raises InputError, ProfileError."""
    policies = policies_from(configuration.policies_on(revision))
    return RunInputs(objects=load_objects(revision), configuration=configuration.typed(), policies=policies)


def compared(revision: Revision, configuration: ChosenConfiguration, progress: Callable[[int, int], None]) -> Compared:
    """Decide every pod of the revision; `progress` gets (decided, of all). Raises InputError, ProfileError."""
    contents = read_contents(revision)
    inputs = msgspec.structs.replace(agreement_inputs(revision, configuration), unplayed=contents.loaded.unplayed)
    events = current_events(revision, contents)
    pods = agreement(inputs, scheduler_reports(_raw_pods(contents), events), events, progress=progress)
    annotated = scores_in_annotations(inputs.objects.pods)
    annotations = score_agreement(inputs, annotated) if annotated.of or annotated.problems.count else None
    return Compared(pods, annotations)


def compute_agreement(source: ClusterSource, question: AgreementOf, limit: TimeLimit) -> Compared:
    """Decide every pod of the revision; the comparison is empty if that would hold up other questions for too long."""
    configuration = chosen.named(source.revision.cluster.workspace, question.config)
    is_over = limit.within(LONGEST_SECONDS)

    def go_on(_done: int, _of: int) -> None:
        if is_over():
            raise _TimeIsOverError

    try:
        return compared(source.revision, configuration, go_on)
    except _TimeIsOverError:
        return Compared()


def _raw_pods(contents: Contents) -> Iterator[dict[str, Any]]:
    return (contents.by_key[key] for key in contents.by_key if key.kind == "Pod")
