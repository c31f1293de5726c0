"""What is said of devices, as plain values: a page, a table and answers of workers read the same ones."""

from __future__ import annotations

from typing import Literal

import msgspec

CellState = Literal["use", "free", "taint", "out", "parts"]
ClaimState = Literal["waits", "idle", "allocated", "leaving"]
Fits = Literal["", "fits", "not"]


class DeviceChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page shows: devices of ``driver`` ("": the one with most), the selected ``claim`` (namespace/name) and
    ``node``, and the claim that nodes are coloured by (``fits``). ``q`` is looked for in the names of the list."""

    driver: str = ""
    claim: str = ""
    node: str = ""
    fits: str = ""
    q: str = ""
    list: Literal["claims", "classes", "slices"] = "claims"


class Parts(msgspec.Struct, frozen=True):
    """A device in parts: ``used`` of ``n`` parts of one size (``size``, in writing) of what is ``named`` so."""

    named: str
    size: str
    n: int
    used: int


class DeviceCell(msgspec.Struct, frozen=True, kw_only=True):
    """A device on the map, or the device that a set of counters stands for, with ``parts``.

    ``row`` is the value of the attribute that rows are made by. ``claims`` (namespace/name) have it; ``note`` says
    which taint, or what is wrong with its pool.
    """

    name: str
    state: CellState
    row: str = ""
    claims: tuple[str, ...] = ()
    note: str = ""
    parts: Parts | None = None


class DeviceCard(msgspec.Struct, frozen=True, kw_only=True):
    """The devices of a place: a node, or a pool that several nodes reach (``is_node`` False).

    ``cells`` are those of the chosen driver, ``others`` those of other drivers. ``about``: model and size that all
    have in common. ``problem``: what is wrong with its pool. ``fits``: whether the claim that is asked for gets
    devices there.
    """

    name: str
    is_node: bool
    about: str = ""
    cells: tuple[DeviceCell, ...] = ()
    others: tuple[DeviceCell, ...] = ()
    problem: str = ""
    fits: Fits = ""

    def count(self, state: CellState) -> int:
        """How many cells have the state."""
        return sum(cell.state == state for cell in self.cells)


class DeviceFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over the devices of a driver. Each cell is in one of the first five.

    ``n_pods`` and ``n_claims`` have those in use; ``most_free`` is the most on one place; ``taints`` and ``problems``
    in words; ``parts`` and ``parts_used`` over all devices in parts. ``n_waiting`` are claims of all drivers that
    pods wait for, with ``n_causes`` different things that they lack.
    """

    n_use: int = 0
    n_free: int = 0
    n_taint: int = 0
    n_out: int = 0
    n_parts: int = 0
    n_claims: int = 0
    n_pods: int = 0
    most_free: int = 0
    taints: str = ""
    problems: str = ""
    parts: int = 0
    parts_used: int = 0
    n_waiting: int = 0
    n_causes: int = 0
    n_pools: int = 0

    @property
    def n_devices(self) -> int:
        """All cells."""
        return self.n_use + self.n_free + self.n_taint + self.n_out + self.n_parts


class ClaimRow(msgspec.Struct, frozen=True, kw_only=True):
    """A claim in the list. ``says``: what it has, or what is short. ``node``: where its devices can be used. ``label``:
    what people call it, the pod that it was made for."""

    key: str
    label: str
    state: ClaimState
    says: str
    node: str = ""
    is_hopeless: bool = False
    """Whether something that it names is not there."""


class TakenRow(msgspec.Struct, frozen=True, kw_only=True):
    """A device that a claim has: ``has`` is its capacity in words, ``value`` that of the attribute of the rows."""

    request: str
    device: str
    driver: str
    pool: str
    has: str = ""
    value: str = ""
    consumed: str = ""


class AskedDevices(msgspec.Struct, frozen=True, kw_only=True):
    """A request of a claim in words, with its selectors as written."""

    request: str
    says: str
    selectors: tuple[str, ...] = ()


class ClaimChange(msgspec.Struct, frozen=True):
    """A change of the claim in a run: event ``seq``, virtual microseconds ``at``, what it was."""

    seq: int
    at: int
    says: str


class SelectedClaim(msgspec.Struct, frozen=True, kw_only=True):
    """All that is said of one claim. ``reserved``: (pod, its node or ""); ``places``: nodes of its devices in words.

    ``if_freed``: what would follow if its pods ended, ``if_deleted`` if somebody deleted it, sentence by sentence.
    """

    key: str
    label: str
    state: ClaimState
    says: str
    taken: tuple[TakenRow, ...] = ()
    places: str = ""
    reserved: tuple[tuple[str, str], ...] = ()
    waiting: tuple[str, ...] = ()
    """The pods that wait for it."""
    origin: str = ""
    asked: tuple[AskedDevices, ...] = ()
    constraints: tuple[str, ...] = ()
    config: tuple[str, ...] = ()
    if_freed: tuple[str, ...] = ()
    if_deleted: tuple[str, ...] = ()
    funnels: tuple[Funnel, ...] = ()
    happened: tuple[ClaimChange, ...] = ()


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """How many devices are left after a test of the allocator. ``note``: which went, or where those are that stay."""

    says: str
    left: int
    note: str = ""


class Funnel(msgspec.Struct, frozen=True, kw_only=True):
    """A request and what each test leaves, in the allocator's order; the last number decides.

    ``asked`` 0: all that there are. ``short`` is by how many devices the best node falls short, by this request alone.
    """

    claim: str
    request: str
    says: str
    asked: int
    stages: tuple[Stage, ...]
    short: int = 0
    nearest: tuple[str, ...] = ()
    """The nodes with the most."""


class ClassRow(msgspec.Struct, frozen=True, kw_only=True):
    """A device class: selectors as written, how many devices it selects, of them free ones, and claims that name it."""

    name: str
    selectors: tuple[str, ...]
    n_devices: int
    n_free: int
    n_claims: int
    problem: str = ""


class SliceRow(msgspec.Struct, frozen=True, kw_only=True):
    """A slice: its pool as driver/pool, the nodes that reach it in words, and what is wrong with it."""

    name: str
    pool: str
    generation: int
    where: str
    n_devices: int
    problem: str = ""


class DevicePage(msgspec.Struct, frozen=True, kw_only=True):
    """The page about devices. ``row_attribute``: the attribute that rows of cards are made by, "" for none.

    ``cards`` has all places, or of a large cluster the chosen one alone; then ``squares`` has for each place its name,
    how many of its devices are in use, free, and all, and whether the claim fits, as columns. ``drivers`` are all, with
    their devices. ``asked_fit`` is the claim that nodes are coloured by, ``fit_offer`` the one to offer for it.
    """

    driver: str
    drivers: tuple[tuple[str, int], ...] = ()
    figures: DeviceFigures = DeviceFigures()
    row_attribute: str = ""
    cards: tuple[DeviceCard, ...] = ()
    squares: Squares | None = None
    claims: tuple[ClaimRow, ...] = ()
    n_claims: int = 0
    classes: tuple[ClassRow, ...] = ()
    slices: tuple[SliceRow, ...] = ()
    n_classes: int = 0
    n_slices: int = 0
    selected: SelectedClaim | None = None
    fit_offer: str = ""
    asked_fit: str = ""
    n_fits: int = 0
    labels: dict[str, str] = {}
    """What people call the claims that the cards name."""


class Squares(msgspec.Struct, frozen=True):
    """Places of a large cluster as columns, in the order of their names."""

    names: tuple[str, ...]
    used: tuple[int, ...]
    free: tuple[int, ...]
    total: tuple[int, ...]
    flawed: tuple[bool, ...]
    fits: tuple[bool, ...] = ()


class Holding(msgspec.Struct, frozen=True, kw_only=True):
    """Claims of one owner that have devices which a pod could use: how many devices, in words about them."""

    owner: str
    n_devices: int
    claims: tuple[str, ...]
    says: str


class NodePicture(msgspec.Struct, frozen=True, kw_only=True):
    """A node that refuses the claims: its devices, how many each request could have there (in the order of the
    funnels), who has the others, and the codes of what refuses."""

    node: str
    cells: tuple[DeviceCell, ...]
    could: tuple[int, ...]
    says: str
    codes: tuple[str, ...] = ()


class DeviceNodeGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes that fall short in the same way, nearest first; ``n_nodes`` of which ``nodes`` are shown."""

    says: str
    n_nodes: int
    nodes: tuple[NodePicture, ...]


class PodDevices(msgspec.Struct, frozen=True, kw_only=True):
    """Why the claims of a pod get no devices: per request, who has the devices, nodes by what they lack.

    ``claims``: its claims, with what is said of each. ``n_held`` of ``n_devices`` that its requests could use are held.
    """

    pod: str
    claims: tuple[ClaimRow, ...]
    funnels: tuple[Funnel, ...] = ()
    holding: tuple[Holding, ...] = ()
    n_held: int = 0
    n_devices: int = 0
    groups: tuple[DeviceNodeGroup, ...] = ()
    row_attribute: str = ""
