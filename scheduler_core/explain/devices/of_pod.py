"""Why the claims of a pod get no devices: per request, who has the devices that it could use, nodes by what they lack.

Which nodes are nearest follows from how many devices each request could have there; the codes of what refuses are
those of the plugin's explanation of the node (``explaining/explainer.py``), which asks the allocator again without
each obstacle. So both say the same as the groups of nodes beside them, which come from the same facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scheduler_core.api.objects import Pod, ResourceClaim
from scheduler_core.controllers.claims import claim_keys
from scheduler_core.explain.devices.cells import Inventory, natural
from scheduler_core.explain.devices.claims import ClaimList
from scheduler_core.explain.devices.funnel import RequestEverywhere
from scheduler_core.explain.devices.model import (
    DeviceCard,
    DeviceCell,
    DeviceNodeGroup,
    Holding,
    NodePicture,
    PodDevices,
)
from scheduler_core.explain.devices.rows import row_attribute
from scheduler_core.explain.devices.words import class_noun
from scheduler_core.explain.devices.world import DeviceWorld
from scheduler_core.explain.outcomes.objects import stem
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.framework.contracts.facts import DeviceFact
from scheduler_core.plugins.dynamic_resources.explaining.explainer import Explainer
from scheduler_core.plugins.dynamic_resources.pools import DeviceKey
from scheduler_core.plugins.dynamic_resources.work import ClaimWork

_MOST_GROUPS, _MOST_NODES, _MOST_HOLDERS, _NAMED = 12, 6, 12, 3


def devices_of_pod(world: DeviceWorld, pod: Pod) -> PodDevices | None:
    """What is said of the pod's claims; None for a pod without claims."""
    several = [world.claims[key] for key in claim_keys(pod) if key in world.claims]
    if not several:
        return None
    claims, inventory = ClaimList(world), Inventory(world)
    waiting = [one for one in several if one.allocation is None and not claims.missing_classes(one)]
    rows = tuple(claims.row(one) for one in several)
    if not waiting:
        return PodDevices(pod=pod.key, claims=rows)
    everywhere = [one for claim in waiting for one in claims.everywhere(claim)]
    matching = {key for one in everywhere for key in one.matching}
    held = {key for key in matching if world.holders.get(key)}
    driver = next((key[0] for key in everywhere[0].of_class), "")
    attribute = row_attribute(inventory, driver) if driver else ""
    return PodDevices(
        pod=pod.key,
        claims=rows,
        funnels=tuple(funnel for claim in waiting for funnel in claims.funnels(claim)),
        holding=tuple(_holding(world, pod, matching)),
        n_held=len(held),
        n_devices=len(matching),
        groups=tuple(_groups(_Nodes(world, pod, several, inventory, everywhere), driver, attribute)),
        row_attribute=attribute,
    )


# --- who has them ---------------------------------------------------------------------------------------------------
def _holding(world: DeviceWorld, pod: Pod, matching: set[DeviceKey]) -> Iterator[Holding]:
    """The owners of devices that the pod's requests match, those with most first."""
    by_owner: dict[str, dict[str, set[DeviceKey]]] = {}
    for key in matching:
        for claim in world.holders.get(key, ()):
            by_owner.setdefault(_owner(claim), {}).setdefault(claim.key, set()).add(key)
    several = sorted(by_owner.items(), key=lambda item: (-sum(map(len, item[1].values())), item[0]))
    for owner, claims in several[:_MOST_HOLDERS]:
        users = [p for name in claims for p in world.users.get(name, ())]
        places = {key[1] for keys in claims.values() for key in keys}
        yield Holding(
            owner=owner,
            n_devices=len({key for keys in claims.values() for key in keys}),
            claims=tuple(sorted(claims, key=natural)),
            says=", ".join(
                filter(None, (plural(len(claims), "claim"), f"in {plural(len(places), 'pool')}", _priority(users, pod)))
            ),
        )


def _owner(claim: ResourceClaim) -> str:
    """The stem of the pods that reserve the claim, "serve-*" of serve-0; else the claim's name."""
    pods = [one.name for one in claim.reserved_for if one.resource == "pods"]
    return f"{claim.namespace}/{stem(pods[0])}" if pods else claim.key


def _priority(users: Sequence[Pod], pod: Pod) -> str:
    if not users:
        return "reserved by no pod"
    low, high = min(one.priority for one in users), max(one.priority for one in users)
    said = f"priority {low:,}" if low == high else f"priorities {low:,} to {high:,}"
    if high < pod.priority:
        return f"{said}, lower than this pod's; preemption frees no devices"
    return said


# --- nodes ----------------------------------------------------------------------------------------------------------
class _Nodes:
    """What each node lacks for the claims."""

    def __init__(
        self,
        world: DeviceWorld,
        pod: Pod,
        claims: list[ResourceClaim],
        inventory: Inventory,
        everywhere: list[RequestEverywhere],
    ) -> None:
        self.world, self.inventory, self.everywhere = world, inventory, everywhere
        self._work = ClaimWork(claims, world.around)
        self._explainer = Explainer(pod, self._work, world.around, world.claims.values(), world.slices)

    def could(self, node: str) -> tuple[int, ...]:
        """How many devices each request could have on the node."""
        return tuple(one.together(node) for one in self.everywhere)

    def lacks(self, could: Sequence[int]) -> tuple[int, ...]:
        """By how many each request falls short."""
        return tuple(
            max(0, (1 if one.asks_for_all else one.one.request.count) - count)
            for one, count in zip(self.everywhere, could, strict=True)
        )

    def refuses(self, node: str) -> bool:
        """Whether the allocator gives nothing there."""
        return not self._work.on(self.world.nodes[node]).status.is_success

    def facts(self, node: str) -> list[DeviceFact]:
        """What keeps the claims from devices on the node."""
        return [one for one in self._explainer.refusal(self.world.nodes[node]) if isinstance(one, DeviceFact)]


def _groups(nodes: _Nodes, driver: str, attribute: str) -> Iterator[DeviceNodeGroup]:
    """Nodes that fall short by the same numbers, those that lack least first."""
    by_lack: dict[tuple[int, ...], list[str]] = {}
    for node in nodes.world.nodes:
        if nodes.refuses(node):
            by_lack.setdefault(nodes.lacks(nodes.could(node)), []).append(node)
    several = sorted(by_lack.items(), key=lambda item: (sum(item[0]), -len(item[1]), item[0]))
    for lack, names in several[:_MOST_GROUPS]:
        shown = sorted(names, key=natural)[:_MOST_NODES]
        pictures = tuple(_picture(nodes, name, driver, attribute) for name in shown)
        yield DeviceNodeGroup(says=_lack_in_words(nodes, lack), n_nodes=len(names), nodes=pictures)


def _lack_in_words(nodes: _Nodes, lack: Sequence[int]) -> str:
    said = [
        f"{n:,} {class_noun(one.one.request.class_name)} short"
        for one, n in zip(nodes.everywhere, lack, strict=True)
        if n
    ]
    return listed(said, "and") or "enough for each request, not for all together"


def _picture(nodes: _Nodes, node: str, driver: str, attribute: str) -> NodePicture:
    has_devices = (True, node) in nodes.inventory.by_place
    card = nodes.inventory.card((True, node), driver, attribute) if has_devices else None
    facts = nodes.facts(node)
    return NodePicture(
        node=node,
        cells=card.cells if card is not None else (),
        could=nodes.could(node),
        says=_holders_in_words(nodes.world, card) if card is not None else "no device of its own",
        codes=tuple(dict.fromkeys(fact.code for fact in facts)),
    )


def _holders_in_words(world: DeviceWorld, card: DeviceCard) -> str:
    """ "serve-0 has 1, tune-0 2; 1 tainted" """
    by_owner: dict[str, int] = {}
    for cell in card.cells:
        for key in cell.claims:
            name = _user(world, key)
            by_owner[name] = by_owner.get(name, 0) + 1
    has = [f"{name} has {n}" for name, n in sorted(by_owner.items(), key=lambda item: (-item[1], item[0]))]
    more = [f"{len(has) - _NAMED} more"] if len(has) > _NAMED else []
    return "; ".join(filter(None, (", ".join([*has[:_NAMED], *more]), *_flaws(card.cells)))) or "all are free"


def _flaws(cells: Sequence[DeviceCell]) -> Iterator[str]:
    out = [cell for cell in cells if cell.state == "out"]
    tainted = [cell for cell in cells if cell.state == "taint"]
    if out:
        yield f"{len(out)} not offered, {out[0].note}"
    if tainted:
        yield f"{len(tainted)} tainted {tainted[0].note}"


def _user(world: DeviceWorld, claim: str) -> str:
    """The first pod that reserves the claim, else the claim."""
    reserved = world.claims[claim].reserved_for
    return reserved[0].name if reserved else claim.partition("/")[2]
