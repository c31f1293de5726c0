"""Proves that a plugin keeps the contract of framework/contracts/plugin.py, on generated clusters.

``check_plugin(MyPlugin)`` runs every check and raises the first failure; for one test each, parametrise over
``checks_of(MyPlugin)``. A failure is an AssertionError whose message says what was expected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scheduler_core.columns.cluster import Cluster
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import EventWithHint, Hint
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.contracts.status import REJECTIONS, Code, Status
from scheduler_core.framework.contracts.verdicts import MAX_NODE_SCORE
from scheduler_core.framework.runtime.filter_phase import FilterPhase
from scheduler_core.framework.runtime.framework import Framework, PluginPoints
from scheduler_core.framework.runtime.pre_filter_phase import run_pre_filter
from scheduler_core.profiles.args import decode_args
from scheduler_core.testing import agreement_checks, state_checks
from scheduler_core.testing.builders import make_node
from scheduler_core.testing.fact_checks import all_facts, check_alike, check_codes, check_facts, check_obstacles
from scheduler_core.testing.odd_objects import odd_cluster, odd_pods
from scheduler_core.testing.plugin_subject import Subject, answers

Check = Callable[[Subject], None]
_FACTS_PODS = 12
_ANY, _NODE_WISE = (fw.Plugin,), (fw.FilterPlugin, fw.ScorePlugin)


def check_plugin(plugin_type: type[fw.Plugin[Any]], args: Any = None) -> None:
    """Runs all checks that concern the plugin. Raises AssertionError at the first that fails, naming it."""
    for name in checks_of(plugin_type):
        run_check(name, plugin_type, args)


def checks_of(plugin_type: type[fw.Plugin[Any]]) -> list[str]:
    """Names of the checks that concern the extension points of the plugin."""
    return [name for name, (_, points) in CHECKS.items() if any(issubclass(plugin_type, point) for point in points)]


def run_check(name: str, plugin_type: type[fw.Plugin[Any]], args: Any = None) -> None:
    """Runs one check. Raises AssertionError naming plugin and check."""
    try:
        CHECKS[name][0](Subject(plugin_type, args))
    except AssertionError as failure:
        raise AssertionError(f'{plugin_type.name} fails the check "{name}": {failure}') from failure


# --- the plugin itself ---------------------------------------------------------------------------------------------
def _constructs(subject: Subject) -> None:
    plugin = subject.on(Cluster())
    assert plugin.name == subject.plugin_type.name != "", "the class attribute name is the plugin's name"
    assert plugin.args == subject.args, "the constructor keeps args"


def _refuses_wrong_args(subject: Subject) -> None:
    args_type = subject.plugin_type.Args
    _assert_refused(args_type, {"noSuchArgument": 1})
    for field in getattr(args_type, "__struct_fields__", ()):
        _assert_refused(args_type, {_camel(field): [None, {"?": None}]})


def _assert_refused(args_type: Any, raw: dict[str, Any]) -> None:
    try:
        decoded = decode_args(args_type, raw)
    except ValueError:  # msgspec.ValidationError is one
        return
    raise AssertionError(f"{raw} is taken for arguments: {decoded}")


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _hints(subject: Subject) -> None:
    for drawn, _cluster, plugin in subject.trials():
        assert isinstance(plugin, fw.EnqueueExtension)
        events = plugin.events_to_register()
        assert all(isinstance(event, EventWithHint) for event in events), "events_to_register gives EventWithHint"
        node = make_node("grown", cpu="64", memory="64Gi", pods=500)
        for event in events:
            if event.hint is None or event.event.resource.value != "Node":
                continue
            hints = [event.hint(pod, None, node) for pod in drawn.pods]
            assert all(isinstance(hint, Hint) for hint in hints), "a queueing hint answers with a Hint"


# --- good manners --------------------------------------------------------------------------------------------------
def _columns_untouched(subject: Subject) -> None:
    for drawn, cluster, plugin in subject.trials():
        before = _facts(cluster)
        for array in _arrays(cluster).values():
            array.flags.writeable = False
        try:
            answers(plugin, drawn.pods)
        except ValueError as problem:
            raise AssertionError(f"columns must be accepted read-only: {problem}") from problem
        after = _facts(cluster)
        assert before.keys() <= after.keys()
        changed = [name for name, fact in before.items() if not _begins_with(after[name], fact)]
        assert not changed, f"the cluster is not a plugin's to change, but {', '.join(changed)} changed"


def _arrays(cluster: Cluster) -> dict[str, Any]:
    return {name: value for name, value in vars(cluster.table).items() if isinstance(value, np.ndarray)}


def _facts(cluster: Cluster) -> dict[str, Any]:
    """Everything that a plugin can see and must not change; lazily made columns may be added."""
    facts: dict[str, Any] = {name: array.copy() for name, array in _arrays(cluster).items() if name != "_by_name"}
    facts |= {name: dict(value) for name, value in vars(cluster.listers).items() if isinstance(value, dict)}
    facts["nodes"] = [node for node in cluster.table.nodes if node is not None]
    facts["pods"] = {key: info.pod for key, info in cluster.pods.items()}
    return facts


def _begins_with(value: Any, start: Any) -> bool:
    if isinstance(start, np.ndarray):
        return bool(np.array_equal(value[: len(start)], start))
    return bool(value == start)


def _empty_cluster(subject: Subject) -> None:
    plugin = subject.on(Cluster())
    for answer in answers(plugin, subject.samples[0].pods):
        assert not answer.statuses, "no node, no verdict"
        assert not answer.raw, "no node, no score"


def _one_node(subject: Subject) -> None:
    for drawn in subject.samples:
        plugin = subject.on(drawn.cluster(drawn.nodes[:1]))
        for answer in answers(plugin, drawn.pods):
            assert answer.statuses is None or len(answer.statuses) == 1
            assert answer.raw is None or len(answer.raw) == 1


def _bounded(subject: Subject) -> None:
    for drawn, _cluster, plugin in subject.trials():
        for only in (None, [node.name for node in drawn.nodes[::2]]):
            for answer in answers(plugin, drawn.pods, only):
                outside = {n: s for n, s in (answer.normal or {}).items() if not 0 <= s <= MAX_NODE_SCORE}
                assert not outside, f"scores after normalising are 0 to {MAX_NODE_SCORE}, not {outside}"


def _reasons(subject: Subject) -> None:
    for drawn, _cluster, plugin in subject.trials():
        for answer in answers(plugin, drawn.pods):
            for status in (answer.pre_filter, *(answer.statuses or {}).values()):
                _check_reasons(status)


def _check_reasons(status: Status) -> None:
    refused = status.code in REJECTIONS or status.code is Code.ERROR
    assert refused or not status.reasons, f"only a refusal has reasons: {status}"
    assert not refused or status.reasons, f"a refusal says why: {status}"
    assert all(isinstance(reason, str) and reason.strip() for reason in status.reasons), f"reasons are texts: {status}"


def _facts_explain(subject: Subject) -> None:
    """Facts are typed, plain, the same when asked again, and refuse exactly where the plugin does."""
    for drawn, cluster, plugin in subject.trials():
        before = answers(plugin, drawn.pods)
        for pod in map(cluster.info, drawn.pods[:_FACTS_PODS]):
            for facts, refused in all_facts(plugin, cluster, pod):
                check_facts(facts, refused=refused)
            first, second = (list(all_facts(plugin, cluster, pod)) for _ in range(2))
            assert first == second, "the same facts again"
        assert answers(plugin, drawn.pods) == before, "asking for facts changes no answer"


def _facts_of_odd_objects(subject: Subject) -> None:
    """Facts of what is rare but legal, asked where the plugin gives a verdict or a score, raise nothing."""
    cluster = odd_cluster()
    plugin = subject.on(cluster)
    for pod in odd_pods():
        try:
            for facts, refused in all_facts(plugin, cluster, cluster.info(pod)):
                check_facts(facts, refused=refused)
        except Exception as problem:
            raise AssertionError(f"facts of {pod.name}: {type(problem).__name__}: {problem}") from problem


def _obstacles(subject: Subject) -> None:
    """What is declared is well formed, and each fact that refuses has a declared code."""
    check_obstacles(subject.plugin_type)
    for drawn, cluster, plugin in subject.trials():
        for pod in map(cluster.info, drawn.pods[:_FACTS_PODS]):
            for facts, _ in all_facts(plugin, cluster, pod):
                check_codes(subject.plugin_type, facts)


def _alike(subject: Subject) -> None:
    """Rows that are alike get equal facts, since an answer asks for them once."""
    for drawn, cluster, plugin in subject.trials():
        assert isinstance(plugin, fw.FilterPlugin)
        for pod in map(cluster.info, drawn.pods[:_FACTS_PODS]):
            check_alike(plugin, cluster, pod)


def _skip_is_honoured(subject: Subject) -> None:
    """What PreFilter or PreScore skips is never asked; a skip carries no verdict of its own."""
    for drawn, cluster, plugin in subject.trials():
        for pod in map(cluster.info, drawn.pods):
            framework = _alone(plugin, cluster)
            cycle = CycleState(1)
            outcome = run_pre_filter(framework, cycle, pod)
            skipped = any(status.is_skip for _, status, _ in outcome.statuses)
            for _, status, nodes in outcome.statuses:
                assert not status.is_skip or (nodes is None and not status.reasons), "a skip is nothing but a skip"
            if outcome.status.is_success and isinstance(plugin, fw.FilterPlugin):
                assert FilterPhase(framework).evaluate(cycle, pod).plugins == (() if skipped else (plugin.name,))


def _alone(plugin: fw.Plugin[Any], cluster: Cluster) -> Framework:
    framework = Framework("check", RunContext(cluster))
    points = PluginPoints()
    if isinstance(plugin, fw.PreFilterPlugin):
        points.pre_filter.append(plugin)
    if isinstance(plugin, fw.FilterPlugin):
        points.filter.append(plugin)
    framework.install({plugin.name: plugin}, points)
    return framework


CHECKS: dict[str, tuple[Check, tuple[type[fw.Plugin[Any]], ...]]] = {
    "constructs from its arguments": (_constructs, _ANY),
    "refuses wrong arguments": (_refuses_wrong_args, _ANY),
    "saves and restores its state": (state_checks.saves_its_state, _ANY),
    "filter: per node equals vectorised": (agreement_checks.filters_agree, (fw.FilterPlugin,)),
    "score: per node equals vectorised": (agreement_checks.scores_agree, (fw.ScorePlugin,)),
    "permuting nodes permutes answers": (agreement_checks.permutes, _NODE_WISE),
    "node_local answers are local": (agreement_checks.is_local, _NODE_WISE),
    "one class, one answer": (agreement_checks.follows_from_the_class, _NODE_WISE),
    "same question, same answer": (agreement_checks.same_twice, (fw.PreFilterPlugin, *_NODE_WISE)),
    "kept results equal recomputed ones": (agreement_checks.cached_is_recomputed, (fw.PreFilterPlugin, *_NODE_WISE)),
    "told changes are all changes": (agreement_checks.reports_all_changes, _NODE_WISE),
    "columns stay untouched": (_columns_untouched, (fw.PreFilterPlugin, *_NODE_WISE)),
    "empty cluster": (_empty_cluster, (fw.PreFilterPlugin, *_NODE_WISE)),
    "one node": (_one_node, _NODE_WISE),
    "normalised scores are within bounds": (_bounded, (fw.ScorePlugin,)),
    "refusals have reasons": (_reasons, (fw.PreFilterPlugin, fw.FilterPlugin)),
    "SKIP is honoured": (_skip_is_honoured, (fw.PreFilterPlugin, fw.FilterPlugin)),
    "add_pod and remove_pod equal a new PreFilter": (state_checks.extensions, (fw.PreFilterPlugin,)),
    "facts explain verdicts and scores": (_facts_explain, (fw.PreFilterPlugin, *_NODE_WISE)),
    "facts of odd objects": (_facts_of_odd_objects, (fw.PreFilterPlugin, *_NODE_WISE)),
    "rows that are alike get equal facts": (_alike, (fw.FilterPlugin,)),
    "obstacles are declared": (_obstacles, _ANY),
    "unreserve undoes reserve": (state_checks.unreserve, (fw.ReservePlugin,)),
    "events and hints are well formed": (_hints, (fw.EnqueueExtension,)),
}
"""Check and the extension points that it concerns, by name."""
