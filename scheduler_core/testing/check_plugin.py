"""Proves that a plugin keeps the contract of framework/contracts/plugin.py, on generated clusters.

``check_plugin(MyPlugin)`` runs every check and raises the first failure; for one test each, parametrise over
``checks_of(MyPlugin)``. A failure is an AssertionError whose message says what was expected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import msgspec
import numpy as np

from scheduler_core.columns.cluster import Cluster
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import EventWithHint, Hint
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.contracts.status import REJECTIONS, SUCCESS, Code, Status
from scheduler_core.framework.contracts.verdicts import MAX_NODE_SCORE
from scheduler_core.framework.runtime.filter_phase import FilterPhase
from scheduler_core.framework.runtime.framework import Framework, PluginPoints
from scheduler_core.framework.runtime.pre_filter_phase import run_pre_filter
from scheduler_core.profiles.args import decode_args
from scheduler_core.testing.agreement import assert_filters_agree, assert_scores_agree
from scheduler_core.testing.builders import make_node
from scheduler_core.testing.facts import check_facts, told_by
from scheduler_core.testing.following import Follower, changes_of_pods
from scheduler_core.testing.generated import GeneratedCluster
from scheduler_core.testing.odd_objects import odd_cluster, odd_pods
from scheduler_core.testing.plugin_subject import Subject, SubjectAnswer, answers, filter_on

Check = Callable[[Subject], None]
_CHANGES = 30
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


def _saves_its_state(subject: Subject) -> None:
    for drawn, cluster, plugin in subject.trials():
        _use(plugin, drawn)
        saved = msgspec.json.decode(msgspec.json.encode(plugin.dump()))
        other = subject.on(cluster)
        if saved is not None:
            other.load(saved)
        assert other.dump() == saved, "load takes back what dump gave, as JSON"
        assert _answers(other, drawn) == _answers(plugin, drawn), "a restored plugin answers the same"


def _use(plugin: fw.Plugin[Any], drawn: GeneratedCluster) -> None:
    """Have the plugin see some pods, and reserve for them where it does."""
    _answers(plugin, drawn)
    if isinstance(plugin, fw.ReservePlugin):
        for pod, node in _possible(plugin, drawn):
            plugin.reserve(CycleState(), pod, node)


def _possible(plugin: fw.Plugin[Any], drawn: GeneratedCluster) -> Iterator[tuple[Any, str]]:
    """(pod, node) that the plugin itself does not refuse: only such a pair gets to Reserve."""
    for pod, answer in zip(drawn.pods, _answers(plugin, drawn), strict=True):
        if not answer.pre_filter.is_rejected:
            statuses = answer.statuses or {node.name: SUCCESS for node in drawn.nodes}
            yield from [(plugin.handle.cluster.info(pod), n) for n, s in statuses.items() if s.is_success][:1]


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


# --- one meaning, however it is computed ---------------------------------------------------------------------------
def _filters_agree(subject: Subject) -> None:
    for drawn, cluster, plugin in subject.trials():
        assert isinstance(plugin, fw.FilterPlugin)
        order = cluster.table.order
        for pod in map(cluster.info, drawn.pods):
            for rows in (order, order[::3], order[:0]):
                assert_filters_agree(plugin, pod, rows)


def _scores_agree(subject: Subject) -> None:
    for drawn, cluster, plugin in subject.trials():
        assert isinstance(plugin, fw.ScorePlugin)
        order = cluster.table.order
        for pod in map(cluster.info, drawn.pods):
            for rows in (order, order[::3]):
                assert_scores_agree(plugin, pod, rows)


def _permutes(subject: Subject) -> None:
    for seed, drawn in enumerate(subject.samples):
        nodes = list(drawn.nodes)
        Random(seed).shuffle(nodes)
        given, shuffled = subject.on(drawn.cluster()), subject.on(drawn.cluster(nodes))
        assert _answers(given, drawn) == _answers(shuffled, drawn), "answers follow nodes, whatever their order"


def _is_local(subject: Subject) -> None:
    if not subject.plugin_type.traits.node_local:
        return
    for drawn, _cluster, plugin in subject.trials():
        together = _answers(plugin, drawn)
        for node in drawn.nodes[::4]:
            alone = answers(subject.on(drawn.cluster([node])), drawn.pods)
            expected = [_only(answer, node.name) for answer in together]
            actual = [_only(answer, node.name) for answer in alone]
            assert actual == expected, f"node_local: the answer for {node.name} does not depend on other nodes"


def _only(answer: SubjectAnswer, name: str) -> tuple[Any, Any]:
    return (answer.statuses or {}).get(name), (answer.raw or {}).get(name)


def _same_twice(subject: Subject) -> None:
    for drawn, cluster, plugin in subject.trials():
        first = _answers(plugin, drawn)
        assert _answers(plugin, drawn) == first, "the same question has the same answer"
        assert _answers(subject.on(cluster), drawn) == first, "a new plugin answers the same"


def _kept_is_recomputed(subject: Subject) -> None:
    for drawn, cluster, plugin in subject.trials():
        for step, node in enumerate(drawn.nodes[:6]):
            _answers(plugin, drawn)
            _change(cluster, drawn, step, node)
            assert _answers(plugin, drawn) == _answers(subject.on(cluster), drawn), (
                "what a plugin keeps between cycles must not outlive what it was derived from"
            )


def _told_is_all(subject: Subject) -> None:
    for seed, (drawn, cluster, plugin) in enumerate(subject.trials()):
        random = Random(seed)
        followers = [Follower(plugin, cluster.info(pod)) for pod in drawn.pods]
        feasible = cluster.table.order
        for _ in changes_of_pods(cluster, drawn.pods, random, _CHANGES):
            if random.random() < 0.3:
                feasible = cluster.table.order[: random.choice((None, -1, 7, 1))]
            for follower in random.sample(followers, 5):
                follower.check(feasible)


def _change(cluster: Cluster, drawn: GeneratedCluster, step: int, node: Any) -> None:
    """One change of each kind in turn."""
    if step % 3 == 0:
        cluster.drop_node(node.name)
        if step:
            cluster.put_node(msgspec.structs.replace(node, taints=(), labels={**node.labels, "disk": "ssd"}))
    elif step % 3 == 1:
        moved = msgspec.structs.replace(drawn.pods[step], name=f"moved-{step}", node_name=node.name)
        cluster.put_pod(cluster.info(moved), node.name)
    else:
        key = next(iter(cluster.pods))
        relabelled = msgspec.structs.replace(cluster.pods[key].pod, labels={"app": "web"})
        cluster.update_pod(cluster.info(relabelled))
        cluster.drop_pod(next(reversed(cluster.pods)))


def _answers(plugin: fw.Plugin[Any], drawn: GeneratedCluster) -> list[SubjectAnswer]:
    return answers(plugin, drawn.pods)


# --- good manners --------------------------------------------------------------------------------------------------
def _columns_untouched(subject: Subject) -> None:
    for drawn, cluster, plugin in subject.trials():
        before = _facts(cluster)
        for array in _arrays(cluster).values():
            array.flags.writeable = False
        try:
            _answers(plugin, drawn)
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
        for answer in _answers(plugin, drawn):
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
        for answer in _answers(plugin, drawn):
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
        before = _answers(plugin, drawn)
        for pod in map(cluster.info, drawn.pods[:_FACTS_PODS]):
            for facts, refused in told_by(plugin, cluster, pod):
                check_facts(facts, refused=refused)
            assert list(told_by(plugin, cluster, pod)) == list(told_by(plugin, cluster, pod)), "the same facts again"
        assert _answers(plugin, drawn) == before, "telling facts changes no answer"


def _facts_of_odd_objects(subject: Subject) -> None:
    """Facts of what is rare but legal, asked where the plugin gives a verdict or a score, raise nothing."""
    cluster = odd_cluster()
    plugin = subject.on(cluster)
    for pod in odd_pods():
        try:
            for facts, refused in told_by(plugin, cluster, cluster.info(pod)):
                check_facts(facts, refused=refused)
        except Exception as problem:
            raise AssertionError(f"facts of {pod.name}: {type(problem).__name__}: {problem}") from problem


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


# --- state that other points change --------------------------------------------------------------------------------
def _extensions(subject: Subject) -> None:
    """Taking a pod away by remove_pod, or bringing it by add_pod, equals PreFilter on a cluster without or with it.

    Terminating pods are left out: upstream's spreading does not count them in PreFilter, but does in AddPod.
    """
    for drawn, cluster, plugin in subject.trials():
        assert isinstance(plugin, fw.PreFilterPlugin)
        if not plugin.has_extensions or not isinstance(plugin, fw.FilterPlugin):
            return
        for pod in map(cluster.info, drawn.pods):
            for key in [k for k, info in cluster.pods.items() if not info.cls.terminating][::5]:
                _check_extension(plugin, cluster, pod, key)


def _check_extension(plugin: Any, cluster: Cluster, pod: Any, key: str) -> None:
    node_name, other = cluster.node_of(key), cluster.pods[key]
    assert node_name is not None
    row = cluster.table.row_of[node_name]
    with_it = plugin.pre_filter(CycleState(), pod)
    present = _verdicts(plugin, cluster, pod, with_it)
    if present is None or with_it.status.is_skip:
        return  # the runtime does not ask then
    taken = plugin.clone(with_it.state)
    view = cluster.view(row)
    view.remove_pod(other)
    assert plugin.remove_pod(taken, pod, other, view).is_success
    actual = _verdicts_of(plugin, cluster, pod, taken, {row: view})
    assert _verdicts(plugin, cluster, pod, with_it) == present, "a clone is independent of its original"
    cluster.drop_pod(key)
    without = plugin.pre_filter(CycleState(), pod)
    expected = _verdicts(plugin, cluster, pod, without)
    cluster.put_pod(other, node_name)
    if expected is not None:
        assert actual == expected, f"remove_pod of {key} equals PreFilter without it"
    view.add_pod(other)
    assert plugin.add_pod(taken, pod, other, view).is_success
    assert _verdicts_of(plugin, cluster, pod, taken, {row: view}) == present, f"add_pod of {key} undoes remove_pod"


def _verdicts(plugin: Any, cluster: Cluster, pod: Any, result: fw.PreFilterResult) -> dict[int, Status] | None:
    """Per node; None where PreFilter refuses, and all success where it skips."""
    if result.status.is_skip:
        return dict.fromkeys(cluster.table.order.tolist(), SUCCESS)
    return _verdicts_of(plugin, cluster, pod, result.state, {}) if result.status.is_success else None


def _verdicts_of(plugin: Any, cluster: Cluster, pod: Any, state: Any, views: dict[int, Any]) -> dict[int, Status]:
    rows = cluster.table.order.tolist()
    return {row: filter_on(plugin, state, pod, views.get(row) or cluster.view(row)) for row in rows}


def _unreserve(subject: Subject) -> None:
    for drawn, _cluster, plugin in subject.trials():
        assert isinstance(plugin, fw.ReservePlugin)
        before = msgspec.json.encode(plugin.dump())
        for pod, node in _possible(plugin, drawn):
            cycle = CycleState(1)
            plugin.reserve(cycle, pod, node)
            for _ in range(2):
                plugin.unreserve(cycle, pod, node)
                assert msgspec.json.encode(plugin.dump()) == before, (
                    "unreserve undoes reserve, and does no harm a second time"
                )


CHECKS: dict[str, tuple[Check, tuple[type[fw.Plugin[Any]], ...]]] = {
    "constructs from its arguments": (_constructs, _ANY),
    "refuses wrong arguments": (_refuses_wrong_args, _ANY),
    "saves and restores its state": (_saves_its_state, _ANY),
    "filter: per node equals vectorised": (_filters_agree, (fw.FilterPlugin,)),
    "score: per node equals vectorised": (_scores_agree, (fw.ScorePlugin,)),
    "permuting nodes permutes answers": (_permutes, _NODE_WISE),
    "node_local answers are local": (_is_local, _NODE_WISE),
    "same question, same answer": (_same_twice, (fw.PreFilterPlugin, *_NODE_WISE)),
    "kept results equal recomputed ones": (_kept_is_recomputed, (fw.PreFilterPlugin, *_NODE_WISE)),
    "told changes are all changes": (_told_is_all, _NODE_WISE),
    "columns stay untouched": (_columns_untouched, (fw.PreFilterPlugin, *_NODE_WISE)),
    "empty cluster": (_empty_cluster, (fw.PreFilterPlugin, *_NODE_WISE)),
    "one node": (_one_node, _NODE_WISE),
    "normalised scores are within bounds": (_bounded, (fw.ScorePlugin,)),
    "refusals have reasons": (_reasons, (fw.PreFilterPlugin, fw.FilterPlugin)),
    "SKIP is honoured": (_skip_is_honoured, (fw.PreFilterPlugin, fw.FilterPlugin)),
    "add_pod and remove_pod equal a new PreFilter": (_extensions, (fw.PreFilterPlugin,)),
    "facts explain verdicts and scores": (_facts_explain, (fw.PreFilterPlugin, *_NODE_WISE)),
    "facts of odd objects": (_facts_of_odd_objects, (fw.PreFilterPlugin, *_NODE_WISE)),
    "unreserve undoes reserve": (_unreserve, (fw.ReservePlugin,)),
    "events and hints are well formed": (_hints, (fw.EnqueueExtension,)),
}
"""Check and the extension points that it concerns, by name."""
