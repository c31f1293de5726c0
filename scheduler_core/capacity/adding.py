"""Which node group would let pods run, and how many nodes of it: alone, and as a mix.

Of each group nodes are added one by one, all that waits is placed from the beginning with each number, and the fewest
nodes count with which as many of the asked pods run as with any number. So with LeastAllocated scoring three nodes may
do worse than two; every number is tried. The answer is proved by a whole run with it.

A mix is searched by all combinations of up to three groups, the fewest nodes (or the lowest price) first: what is found
first is the fewest (or cheapest). Where the search ends at its bounds, what each group does alone is put together, and
is only called a mix that works if it was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Sequence

import msgspec

from scheduler_core.api.objects import Node, Pod
from scheduler_core.capacity.groups.model import NodeGroup, UnknownGroup
from scheduler_core.capacity.mixes import MOST_GROUPS, mixes
from scheduler_core.capacity.resting import RestingCluster, may_follow, whole_run
from scheduler_core.capacity.unplaced import UnplacedPod, off_all, off_node

MOST_ADDED = 1_000
FEWEST, CHEAPEST, WORKS = "fewest", "cheapest", "works"


class GroupAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What nodes of one group do: with ``nodes`` of them (0: none helps) ``pods`` run that wait now, and ``refused``
    are those that no number of them lets run, with what keeps them off a node of the group. ``codes`` has the codes of
    these, and GROUP_MAXIMUM or GROUP_LIMITS where the group may not grow that far, GROUP_NOT_READY where its object
    says that it takes no nodes (``bounds`` says it). ``is_proved``: a whole run gave the same."""

    name: str
    nodes: int
    pods: tuple[str, ...] = ()
    refused: tuple[UnplacedPod, ...] = ()
    codes: tuple[str, ...] = ()
    bounds: tuple[str, ...] = ()
    price: float | None = None
    is_proved: bool = False


class MixAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes of several groups with which all pods run that any group helps: numbers by group, what they cost an hour
    (None: not known), and what is ``proved`` of it: the fewest nodes, the cheapest, or that it works."""

    nodes: dict[str, int]
    proved: str
    price: float | None = None


class AddingAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """``asked`` are the pods that wait, ``unplaced`` those of them that no group lets run, each with what keeps it off
    the nodes that are there. ``unknown`` are groups whose nodes are not known, ``words`` what the cluster's autoscaler
    said of a pod (words.py). ``in_time`` False: not all was tried."""

    asked: tuple[str, ...]
    groups: tuple[GroupAnswer, ...] = ()
    mix: MixAnswer | None = None
    unplaced: tuple[UnplacedPod, ...] = ()
    unknown: tuple[UnknownGroup, ...] = ()
    words: dict[str, str] = {}
    in_time: bool = True


def which_group(
    resting: RestingCluster,
    groups: Sequence[NodeGroup],
    pod: str = "",
    *,
    by_price: bool = False,
    is_over: Callable[[], bool] = lambda: False,
) -> AddingAnswer:
    """The answer for all pods that find no node, or for the ``pod`` (namespace/name) alone, as if no other waited.
    Raises KeyError for a pod that does not wait."""
    asking = GroupQuestion(resting, groups, (pod,) if pod else (), by_price=by_price)
    for _ in asking.steps():
        if is_over():
            break
    return asking.answer


class GroupQuestion:
    """The question ``which_group`` in steps, for these pods alone, as if no other waited (none: all that wait). What
    ``answer`` says holds after any step. Raises KeyError for a pod that does not wait."""

    def __init__(
        self,
        resting: RestingCluster,
        groups: Sequence[NodeGroup],
        pods: Collection[str] = (),
        *,
        by_price: bool = False,
    ) -> None:
        self.resting, self.groups, self.by_price = resting, groups, by_price
        self.queue: Sequence[Pod] = resting.waiting
        if pods:
            self.queue = [one for one in resting.waiting if one.key in pods]
            if unknown := {*pods} - {one.key for one in self.queue}:
                raise KeyError(min(unknown))
        nodes_of = self._placed([])
        self.asked = [one for one in self.queue if one.key not in nodes_of]
        self.answers: list[GroupAnswer] = []
        self.mix: MixAnswer | None = None
        self.unplaced: list[UnplacedPod] = []
        self.is_done = False

    def steps(self) -> Iterator[None]:
        """Go on; between two steps the cluster is as it was, and at most one placement of all pods is made."""
        yield from self.alone()
        yield from self._find_unplaced()
        yield from self._find_mix()
        self.is_done = True

    def alone(self, *, is_proved: bool = True) -> Iterator[None]:
        """Only what each group does alone, without the proof by a whole run where it need not be ``is_proved``."""
        for group in self.groups:
            yield
            yield from self._of_group(group, is_proved=is_proved)

    @property
    def answer(self) -> AddingAnswer:
        """What is known so far."""
        return AddingAnswer(
            asked=tuple([pod.key for pod in self.asked]),
            groups=tuple(self.answers),
            mix=self.mix,
            unplaced=tuple(self.unplaced),
            in_time=self.is_done,
        )

    def _helped(self) -> set[str]:
        return {pod for one in self.answers for pod in one.pods}

    def _placed(self, nodes: Sequence[Node]) -> dict[str, str]:
        return self.resting.where(self.queue, nodes)

    # --- one group ---------------------------------------------------------------------------------------------------
    def _of_group(self, group: NodeGroup, *, is_proved: bool) -> Iterator[None]:
        against = self._against(group)
        may_run = [pod.key for pod in self.asked if pod.key not in against or self._may_be_helped(pod)]
        n_nodes, pods = (yield from self._fewest(group, may_run)) if may_run else (0, ())
        refused = [one for pod, one in against.items() if pod not in pods]
        left = [pod for pod in may_run if pod not in pods and pod not in against]
        bounds = _bounds(group, n_nodes, is_short=bool(left))
        codes = [code for one in refused for code in one.codes] + [code for code, _ in bounds]
        is_proved = is_proved and bool(n_nodes) and self._is_proved(_nodes(group, n_nodes), pods)
        answer = GroupAnswer(
            name=group.name,
            nodes=n_nodes,
            pods=pods,
            refused=tuple(refused),
            codes=tuple(dict.fromkeys(codes)),
            bounds=tuple([text for _, text in bounds]),
            price=None if group.price is None else group.price * n_nodes,
            is_proved=is_proved,
        )
        self.answers.append(answer)

    def _against(self, group: NodeGroup) -> dict[str, UnplacedPod]:
        """What keeps pods off an empty node of the group, by those that do not fit there."""
        node = group.node(1)
        with self.resting.changed([node]):
            return {pod.key: one for pod in self.asked if (one := off_node(self.resting, pod, node.name)) is not None}

    def _may_be_helped(self, pod: Pod) -> bool:
        """Whether nodes that the pod cannot use may still let it in: others leave it room, or are where it looks."""
        return may_follow(pod) or bool(self.resting.node_for(pod))

    def _fewest(self, group: NodeGroup, may_run: Sequence[str]) -> Generator[None, None, tuple[int, tuple[str, ...]]]:
        """The fewest nodes with which as many of the pods run as with any number: at most one for each that waits, as
        others may take a new node first."""
        most = min(len(self.queue), MOST_ADDED, group.room if group.room is not None else MOST_ADDED)
        best: tuple[int, tuple[str, ...]] = (0, ())
        for count in range(1, most + 1):
            nodes_of = self._placed(_nodes(group, count))
            run = tuple([pod.key for pod in self.asked if pod.key in nodes_of])
            if len(run) > len(best[1]):
                best = count, run
            if set(may_run) <= set(run):
                break
            yield
        return best

    def _is_proved(self, nodes: Sequence[Node], pods: Sequence[str]) -> bool:
        nodes_of = whole_run(self.resting, nodes, pods={pod.key for pod in self.queue})
        return {pod.key for pod in self.asked if nodes_of.get(pod.key)} == set(pods)

    # --- a mix -------------------------------------------------------------------------------------------------------
    def _find_mix(self) -> Iterator[None]:
        helped = self._helped()
        useful = [group for group, one in zip(self.groups, self.answers, strict=True) if one.nodes]
        if len(useful) <= 1:
            return
        by_price = self.by_price and all(group.price is not None for group in useful)
        for numbers in mixes(useful, by_price=by_price):
            yield
            if helped <= self._placed(_nodes_of(useful, numbers)).keys():
                proved = CHEAPEST if by_price else FEWEST
                self.mix = _mix_of(useful, numbers, proved if len(useful) <= MOST_GROUPS else WORKS)
                return
        yield
        together = [one.nodes for one in self.answers if one.nodes]
        if helped <= self._placed(_nodes_of(useful, together)).keys():
            self.mix = _mix_of(useful, together, WORKS)

    # --- what no group helps -----------------------------------------------------------------------------------------
    def _find_unplaced(self) -> Iterator[None]:
        helped = self._helped()
        for pod in self.asked:
            if pod.key not in helped:
                yield
                self.unplaced.append(off_all(self.resting, pod))


def _nodes(group: NodeGroup, count: int) -> list[Node]:
    return [group.node(number) for number in range(1, count + 1)]


def _nodes_of(groups: Sequence[NodeGroup], numbers: Sequence[int]) -> list[Node]:
    return [node for group, count in zip(groups, numbers, strict=True) for node in _nodes(group, count)]


def _bounds(group: NodeGroup, n_nodes: int, *, is_short: bool) -> list[tuple[str, str]]:
    """Why the group may not grow as far as it would have to."""
    bounds: list[tuple[str, str]] = []
    if is_short and group.maximum is not None and n_nodes >= group.maximum - len(group.present):
        bounds.append(
            ("GROUP_MAXIMUM", f"its maximum is {group.maximum:,} nodes, and {len(group.present):,} are there")
        )
    for resource, most in sorted(group.limits.items()) if is_short else ():
        if group.each(resource) * (len(group.present) + n_nodes + 1) > most:
            bounds.append(("GROUP_LIMITS", f"its limit of {resource} leaves no room for one more node"))
    return [*bounds, ("GROUP_NOT_READY", group.says)] if group.says else bounds


def _mix_of(groups: Sequence[NodeGroup], numbers: Sequence[int], proved: str) -> MixAnswer:
    taken = {group.name: count for group, count in zip(groups, numbers, strict=True) if count}
    prices = [group.price for group in groups if group.name in taken]
    price = None if None in prices else sum((group.price or 0.0) * taken.get(group.name, 0) for group in groups)
    return MixAnswer(nodes=taken, proved=proved, price=price)
