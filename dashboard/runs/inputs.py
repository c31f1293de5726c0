"""The inputs of the engine: a run's stored inputs as the core's types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

from dashboard.clusters.revisions.contents import read_contents
from dashboard.documents import store
from dashboard.documents.configurations.checking import WITH_EXTENDERS, read_configuration, registry
from dashboard.documents.extenders.answering import AnswersError, ExtenderAnswers
from dashboard.runs.models import Schedule, placed_changes
from dashboard.runs.policies import OF_OLD_RUNS
from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import ClusterObjects, Pod
from scheduler_core.manifests import UNKNOWN, LeftOut, leave_out_again
from scheduler_core.profiles.stand_ins import other_schedulers, still_needed, with_stand_ins, without_stand_ins
from scheduler_core.profiles.weights import with_weights
from scheduler_core.recording.errors import RecordingError
from scheduler_core.simulate import (
    Changed,
    ChangesError,
    InputChange,
    Policies,
    ProfileError,
    RunInputs,
    Timeline,
    TimelineError,
    WholeObjectChange,
    changes_from_raw,
    check_profiles,
    timeline_from_raw,
)
from scheduler_core.versions.gates import GateError
from scheduler_core.versions.trains import VersionError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dashboard.clusters.models import Revision
    from dashboard.runs.models import Run
    from scheduler_core.manifests import Finding
    from scheduler_core.simulate import Schedule as CoreSchedule

SHOWN_FINDINGS = 5
NUMEROUS = ("Node", "Pod")
# Fields of stored changes that the file format does not have.
WHOLE, WEIGHTS, PROFILE = "whole", "weights", "profile"


class InputError(Exception):
    """A stored input cannot be read; the message is for the user who started the run."""


def load_inputs(run: Run) -> RunInputs:
    """Return the run's inputs with all changes of its branches and its head; raises InputError that names what is
    wrong.
    """
    return inputs_with(run, placed_changes(run))


def inputs_with(run: Run, changes: Sequence[Mapping[str, Any]]) -> RunInputs:
    """Return the run's inputs with these changes, each with `at`, the number of events before it; raises InputError."""
    inputs = RunInputs(
        objects=load_objects(run.revision),
        configuration=load_configuration(run),
        schedule=cast("CoreSchedule", run.schedule),
        timeline=_timeline(run),
        policies=policies_from(run.policies),
        extender_answers=answers.as_input if (answers := extender_answers(run)) is not None else "",
        seed=run.seed,
        max_cycles=run.max_cycles,
        max_virtual_us=run.max_virtual_us,
        unplayed=read_contents(run.revision).loaded.unplayed,
    )
    check_answers(run, inputs, [inputs.configuration])
    if not changes:
        return inputs
    return msgspec.structs.replace(inputs, changes=tuple(read_changes(run, changes, inputs)))


def read_changes(run: Run, changes: Sequence[Mapping[str, Any]], inputs: RunInputs) -> list[InputChange]:
    """Return changes, each with `at`, as the core's types, for a run with these inputs; raises InputError."""
    read = _read_changes(run, changes, inputs, _manifests_for(run.revision, changes))
    check_answers(run, inputs, [change.object for change in read if change.action == "configure"])
    return read


def extender_answers(run: Run) -> ExtenderAnswers | None:
    """Return what answers for the extenders of the run's configuration, None where nothing does."""
    revision = run.tape_revision or run.declared_revision
    return None if revision is None else ExtenderAnswers(revision)


def is_answered(run: Run) -> bool:
    """Return whether something answers for extenders in the run, without reading what."""
    return run.tape_revision_id is not None or run.declared_revision_id is not None


def check_answers(run: Run, inputs: RunInputs, configurations: Iterable[SchedulerConfiguration]) -> None:
    """Raise InputError where what answers in the run does not fit the extenders of a configuration in it."""
    answers = extender_answers(run)
    if answers is None:
        return
    try:
        for configuration in configurations:
            answers.check(configuration.extenders, inputs.objects.nodes)
    except AnswersError as problem:
        raise InputError(str(problem)) from problem


def _manifests_for(revision: Revision, changes: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the manifests that reading the changes needs; of kinds with many objects only the named ones."""
    by_key = read_contents(revision).by_key
    objects = [one["object"] for one in changes if isinstance(one.get("object"), dict)]
    named = {
        (one.get("kind"), metadata.get("name")) for one in objects if isinstance(metadata := one.get("metadata"), dict)
    }
    return (by_key[key] for key in by_key if key.kind not in NUMEROUS or (key.kind, key.name) in named)


def configuration_at(run: Run, seq: int) -> SchedulerConfiguration:
    """Return the configuration in effect after the run's first `seq` events, without reading objects; raises
    InputError.
    """
    start = RunInputs(objects=ClusterObjects(), configuration=load_configuration(run))
    ours = [one for one in placed_changes(run) if one["action"] == "configure" and int(one["at"]) < seq]
    return _read_changes(run, ours, start)[-1].object if ours else start.configuration


def _read_changes(
    run: Run, changes: Sequence[Mapping[str, Any]], inputs: RunInputs, manifests: Iterable[Mapping[str, Any]] = ()
) -> list[InputChange]:
    """Return the changes as the core's types, in their order; raises InputError that names change and field.

    A change with WHOLE is of an object that the engine made up (WholeObjectChange); one with WEIGHTS is the
    configuration in effect there with other weights in a PROFILE. A changed configuration leaves out the same plugins
    as the run, and its profiles serve the same other schedulers.
    """
    of = Changed(
        manifests=manifests,
        timeline=inputs.timeline,
        policies=inputs.policies,
        known_plugins=registry().names,
        leave_out=leave_out_again(ignored_inputs(run)),
        extenders_answered=is_answered(run),
    )
    configuration, read = inputs.configuration, []
    try:
        ours = {WHOLE, WEIGHTS}
        written = iter(changes_from_raw({"changes": [one for one in changes if not ours & one.keys()]}, of))
        for one in changes:
            if WHOLE in one:
                change = msgspec.convert(one[WHOLE], WholeObjectChange).at(int(one["at"]))
            elif WEIGHTS in one:
                own = without_stand_ins(configuration, run.stand_ins)
                profile = run.stand_ins.get(one[PROFILE], one[PROFILE])
                other = with_weights(own, profile, one[WEIGHTS], registry())
                change = InputChange(seq=int(one["at"]), action="configure", object=other)
            else:
                change = next(written)
            if change.action == "configure":
                configuration = with_stand_ins(change.object, still_needed(change.object, run.stand_ins))
                change = msgspec.structs.replace(change, object=configuration)
            read.append(change)
    except (ChangesError, ProfileError, RecordingError) as error:
        raise InputError(str(error)) from error
    return read


def load_objects(revision: Revision) -> ClusterObjects:
    """Return a revision's objects after admission and the expansion of workloads; raises InputError."""
    loaded = read_contents(revision).loaded
    if not loaded.ok:
        raise InputError(_words(f"{revision} cannot be scheduled", loaded.errors))
    return loaded.objects


def load_configuration(run: Run) -> SchedulerConfiguration:
    """Return the configuration of a saved revision or preset, or the default one, with the run's stand-ins for other
    schedulers.

    Raises InputError.
    """
    configuration, answered = SchedulerConfiguration(), is_answered(run)
    if run.config_revision is not None:
        name = str(run.config_revision)
        configuration = _configuration(run.config_revision.text, name, ignored_inputs(run), answered=answered)
    elif run.config_text:
        configuration = _configuration(run.config_text, f"preset {run.preset}", answered=answered)
    try:
        return with_stand_ins(configuration, run.stand_ins)
    except ProfileError as error:
        raise InputError(str(error)) from error


def stand_ins_for(run: Run, profile: str) -> dict[str, str]:
    """Return {scheduler: profile} for every scheduler that pods of the run name and no profile serves; raises
    InputError.
    """
    pods = [*load_objects(run.revision).pods]
    pods += [one.object for one in _timeline(run).entries if one.action == "put" and isinstance(one.object, Pod)]
    configuration = load_configuration(run)
    stand_ins = dict.fromkeys(sorted(other_schedulers(pods, configuration, all_wait=True)), profile)
    try:
        with_stand_ins(configuration, stand_ins)
    except ProfileError as error:
        raise InputError(str(error)) from error
    return stand_ins


def _configuration(
    text: str, name: str, left_out: Collection[LeftOut] = (), *, answered: bool = False
) -> SchedulerConfiguration:
    reading = read_configuration(text, leave_out_again(left_out), answered=answered)
    if reading.configuration is None:
        raise InputError(_words(f"{name} is no scheduler configuration", reading.findings))
    return reading.configuration


def ignored_inputs(run: Run) -> tuple[LeftOut, ...]:
    """Return the plugins and extenders that the run ignores, and what that changes."""
    return msgspec.convert(run.left_out, tuple[LeftOut, ...])


def not_installed(text: str, *, answered: bool = False) -> tuple[LeftOut, ...]:
    """Return the plugins that a configuration's text names and that are not installed here, and its extenders unless
    something answers for them.
    """
    return read_configuration(text, WITH_EXTENDERS if answered else UNKNOWN, answered=answered).left_out


def check_configuration(
    text: str, name: str, left_out: Collection[LeftOut] = (), *, answered: bool = False
) -> SchedulerConfiguration:
    """Return the configuration in a text without `left_out`, with which the engine can work; raises InputError."""
    configuration = _configuration(text, name, left_out, answered=answered)
    try:
        check_profiles(configuration)
    except ProfileError as error:
        raise InputError(f"{name} cannot work: {error}") from error
    return configuration


def policies_from(raw: Mapping[str, Any]) -> Policies:
    """Return stored policies as typed; raises InputError for an unknown name or value."""
    unknown = set(raw) - set(Policies.__struct_fields__)
    if unknown:
        raise InputError(f"there are no policies {', '.join(sorted(unknown))}")
    try:
        policies = msgspec.convert({**OF_OLD_RUNS, **raw}, Policies)
    except msgspec.ValidationError as error:
        raise InputError(f"policies: {error}") from error
    try:
        policies.behaviours  # noqa: B018 - raises
    except (VersionError, GateError) as error:
        raise InputError(f"policies: {error}") from error
    if policies.unschedulable_stay_us is not None and policies.unschedulable_stay_us < 1:
        raise InputError("policies: unschedulable_stay_us must be at least 1, or None for the queue's own")
    if policies.job_running_us is not None and policies.job_running_us < 1:
        raise InputError("policies: job_running_us must be at least 1, or None for ever")
    if policies.max_replacements < 0:
        raise InputError("policies: max_replacements must be at least 0")
    return policies


def _timeline(run: Run) -> Timeline:
    if run.schedule != Schedule.TIMELINE:
        return Timeline()
    if run.timeline_revision is None:
        raise InputError("the run is to follow a timeline but names none")
    try:
        base = read_contents(run.revision).manifests
        return timeline_from_raw(store.read_timeline(run.timeline_revision), base, follows_run=True)
    except TimelineError as error:
        raise InputError(f"{run.timeline_revision}: {error}") from error


def _words(what: str, findings: list[Finding]) -> str:
    errors = [finding for finding in findings if finding.severity == "error"]
    shown = "; ".join(finding.text() for finding in errors[:SHOWN_FINDINGS])
    more = f"; and {len(errors) - SHOWN_FINDINGS} more" if len(errors) > SHOWN_FINDINGS else ""
    return f"{what}: {shown}{more}"
