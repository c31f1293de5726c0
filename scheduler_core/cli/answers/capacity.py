"""``capacity FILES...``: which node group would let pods run, how many more of a pod fit, where the pods of drained
nodes go, which nodes are not needed. kube-scheduler would accept the nodes that are named; whether an autoscaler adds
them is another question."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from scheduler_core.capacity.adding import AddingAnswer, GroupAnswer, which_group
from scheduler_core.capacity.fitting import FittingAnswer, how_many_fit
from scheduler_core.capacity.groups.files import groups_from_raw
from scheduler_core.capacity.groups.found import FoundGroups, groups_of
from scheduler_core.capacity.groups.model import like
from scheduler_core.capacity.leaving import NodeNeed, NodesDrained, drain, unneeded
from scheduler_core.capacity.resting import RestingCluster
from scheduler_core.capacity.unplaced import UnplacedPod
from scheduler_core.capacity.words import autoscaler_words
from scheduler_core.cli.common.answering import add_exit_code, answer
from scheduler_core.cli.common.inputs import BadInput, add_input_arguments, read_document, read_objects, run_inputs
from scheduler_core.cli.common.progress import ProgressLine
from scheduler_core.cli.common.version import add_version_arguments
from scheduler_core.explain.agreement import scheduler_events
from scheduler_core.manifests.model import LoadResult, quoted

_MOST_LISTED = 40


class Unneeded(msgspec.Struct, frozen=True):
    """The answer about all nodes."""

    nodes: tuple[NodeNeed, ...]


Answer = AddingAnswer | FittingAnswer | NodesDrained | Unneeded


def run(argv: list[str]) -> int:
    """Exit status 0; 1 for wrong input; 2 for a wrong command line; 3 with --exit-code where a pod stays unplaced or a
    drain is blocked."""
    options = _parser().parse_args(argv)
    return answer(
        lambda: _answer(options),
        _lines,
        as_json=options.json,
        finds=lambda one: options.exit_code and _falls_short(one),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler_core capacity", description=__doc__)
    add_input_arguments(parser)
    add_version_arguments(parser)
    parser.add_argument(
        "--groups",
        type=Path,
        metavar="FILE",
        help="node groups (kind: NodeGroups, docs/capacity.md); default: those of the input",
    )
    parser.add_argument("--like", action="append", default=[], metavar="NODE", help="a group of nodes like this one")
    parser.add_argument("--by-price", action="store_true", help="of mixes the cheapest first, where prices are known")
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--pending", action="store_true", help="which groups let the pods run that wait")
    asked.add_argument("--pod", metavar="NS/NAME", help="which groups let this pod run, as if no other waited")
    asked.add_argument("--fits", metavar="NS/NAME", help="how many more of this pod fit, and where")
    asked.add_argument("--drain", nargs="+", metavar="NODE", help="where the pods of these nodes go")
    asked.add_argument("--unneeded", action="store_true", help="the nodes whose pods fit elsewhere")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_exit_code(parser, "a pod stays unplaced or a drain is blocked")
    return parser


def _answer(options: argparse.Namespace) -> Answer:
    line = ProgressLine(sys.stderr)
    result = read_objects(options, line)
    resting = RestingCluster(run_inputs(options, result))
    if options.fits:
        pod = resting.simulation.world.pods.get(options.fits)
        if pod is None:
            raise BadInput(f"there is no pod {quoted(options.fits)}")
        if not resting.decides(pod):
            name = quoted(pod.scheduler_name)
            raise BadInput(f"{pod.key} is for the scheduler {name}, which the configuration does not have")
        return how_many_fit(resting, pod)
    if options.drain:
        unknown = [name for name in options.drain if name not in resting.nodes]
        if unknown:
            raise BadInput(f"there is no node {quoted(unknown[0])}")
        return drain(resting, list(dict.fromkeys(options.drain)))
    if options.unneeded:
        return Unneeded(tuple(unneeded(resting)))
    if options.pod and all(pod.key != options.pod for pod in resting.waiting):
        raise BadInput(f"no pod {quoted(options.pod)} waits for a node")
    return _which_group(options, result, resting)


def _which_group(options: argparse.Namespace, result: LoadResult, resting: RestingCluster) -> AddingAnswer:
    pools = _groups(options, resting)
    given = which_group(resting, pools.groups, options.pod or "", by_price=options.by_price)
    asked = set(given.asked)
    pods = [pod for pod in result.objects.pods if pod.key in asked]
    words = autoscaler_words(scheduler_events(result.events), pods)
    return replace(given, unknown=pools.unknown, words=words)


def _groups(options: argparse.Namespace, resting: RestingCluster) -> FoundGroups:
    nodes = resting.nodes
    unknown = [name for name in options.like if name not in nodes]
    if unknown:
        raise BadInput(f"there is no node {quoted(unknown[0])}")
    given = [like(nodes[name]) for name in options.like]
    if options.groups is not None:
        given += read_document(options.groups, "file of node groups", lambda raw: groups_from_raw(raw, nodes))
    pools = groups_of(resting.inputs, given)
    if not pools.groups and not pools.unknown:
        raise BadInput("no object and no label of a node names a pool. Give --groups FILE or --like NODE")
    return pools


def _falls_short(one: Answer) -> bool:
    if isinstance(one, AddingAnswer):
        return bool(one.unplaced)
    return isinstance(one, NodesDrained) and bool(one.pending or one.blocked)


# --- lines ---------------------------------------------------------------------------------------------------------
def _lines(one: Answer) -> Iterator[str]:
    if isinstance(one, AddingAnswer):
        return _of_adding(one)
    if isinstance(one, FittingAnswer):
        return _of_fitting(one)
    return _of_drain(one) if isinstance(one, NodesDrained) else _of_unneeded(one)


def _of_adding(one: AddingAnswer) -> Iterator[str]:
    count = len(one.asked)
    if not count:
        yield "what waits finds a node as it is: no node has to be added"
        return
    yield f"{count:,} pod{' finds' if count == 1 else 's find'} no node"
    for group in one.groups:
        yield from _of_group(group, count)
    for unknown in one.unknown[:_MOST_LISTED]:
        yield f"{unknown.name}: not asked: {unknown.why}"
    if one.mix is not None:
        said = ", ".join(f"{number:,} of {name}" for name, number in one.mix.nodes.items())
        how = {"fewest": "no mix has fewer nodes", "cheapest": "no mix is cheaper", "works": "a mix that works"}
        price = "" if one.mix.price is None else f", {one.mix.price:g} an hour"
        yield f"together: {said}{price} ({how[one.mix.proved]})"
    for refused in one.unplaced[:_MOST_LISTED]:
        yield f"no group helps {refused.pod}: {'; '.join(refused.texts) or ', '.join(refused.codes)}"
    for pod, text in list(one.words.items())[:_MOST_LISTED]:
        yield f"of {pod} {text}"
    yield "kube-scheduler would accept these nodes; whether an autoscaler adds them is another question."


def _of_group(group: GroupAnswer, asked: int) -> Iterator[str]:
    price = "" if group.price is None else f", {group.price:g} an hour"
    helped = f"{group.nodes:,} node{'' if group.nodes == 1 else 's'} let {len(group.pods):,} of {asked:,} run{price}"
    yield f"{group.name}: {helped if group.nodes else 'none of the pods runs there'}"
    for bound in group.bounds:
        yield f"    {bound}"
    for texts, pods in _by_text(group.refused).items():
        more = f" and {len(pods) - 1:,} more" if len(pods) > 1 else ""
        yield f"    not {pods[0]}{more}: {'; '.join(texts)}"


def _by_text(several: tuple[UnplacedPod, ...]) -> dict[tuple[str, ...], list[str]]:
    by_text: dict[tuple[str, ...], list[str]] = {}
    for one in several:
        by_text.setdefault(one.texts or one.codes, []).append(one.pod)
    return by_text


def _of_fitting(one: FittingAnswer) -> Iterator[str]:
    yield f"{'' if one.in_time else 'at least '}{one.count:,} more of {one.pod} fit, on {len(one.by_node):,} nodes"
    for shape in one.by_shape:
        full = f"full after {shape.full_after - 1:,} on a node"
        yield f"    {shape.shape}: {shape.count:,} on {shape.nodes:,} nodes, {full}"
    if one.refused is not None:
        yield f"then: {'; '.join(one.refused.texts)}"


def _of_drain(one: NodesDrained) -> Iterator[str]:
    yield f"{len(one.moves):,} pods move, {len(one.pending):,} stay pending, {len(one.blocked):,} may not be evicted"
    for move in one.moves:
        yield f"    {move.pod}: {move.source} to {move.target}"
    for refused in one.pending:
        yield f"    {refused.pod} stays pending: {'; '.join(refused.texts)}"
    for blocked in one.blocked:
        yield f"    {blocked.pod} stays: {blocked.why}"


def _of_unneeded(one: Unneeded) -> Iterator[str]:
    free = [node for node in one.nodes if not node.needed]
    yield f"{len(free):,} of {len(one.nodes):,} nodes are not needed, each alone"
    for node in free:
        said = f"its {node.moves:,} pods fit elsewhere" if node.moves else "no pod would have to move"
        yield f"    {node.name}: {said}"
    for node in one.nodes:
        if node.needed:
            yield f"    {node.name} is needed for {node.pod}: {node.why}"
