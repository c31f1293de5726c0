"""The page about devices as templates read it: addresses, lists, and the side about what is selected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.answers.outcomes import Answer
from dashboard.answers.panel import OutcomePanel
from dashboard.devices.cards import CardView, card_view
from dashboard.devices.squares import SquaresView
from scheduler_core.explain.devices.table import state_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.answers.outcomes import Outcome
    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.runs.models import Run
    from scheduler_core.explain.devices import Choice, DevicePage
    from scheduler_core.explain.devices.model import ClaimRow, DeviceCard, SelectedClaim


class StateLook(NamedTuple):
    """How a state of claims looks, its word, and the head of its rows."""

    meaning: str
    glyph: str
    word: str
    head: str


LOOKS: dict[str, StateLook] = {
    "waits": StateLook("unsched", "x", "waits", "Wait"),
    "leaving": StateLook("victim", "eject", "being deleted", "Being deleted"),
    "allocated": StateLook("bound", "check", "allocated", "Allocated"),
    "idle": StateLook("none", "dash", "not used", "Without devices, used by no pod"),
}


@dataclass(frozen=True)
class Place:
    """Where the page is: its address, that of its table, and what both keep of the query. `run` where it is of one."""

    path: str
    table: str
    query: dict[str, str]
    run: Run | None = None


class Figure(NamedTuple):
    """A cell of the strip."""

    meaning: str
    glyph: str
    number: int
    word: str
    note: str


@dataclass(frozen=True)
class ClaimLine:
    """A row of the list. `key` is the key that selects it, "" for none."""

    row: ClaimRow
    url: str
    meaning: str
    glyph: str
    is_selected: bool
    key: str = ""

    @property
    def namespace(self) -> str:
        """Return the claim's namespace."""
        return self.row.key.partition("/")[0]


@dataclass(frozen=True)
class DevicesPanel:
    """The page, or what it waits for. `more` is what the next request for the same answer says."""

    outcome: Outcome
    place: Place
    choice: Choice
    more: Mapping[str, str]
    cursor: Cursor | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def state(self) -> OutcomePanel:
        """Return what stands for a missing answer."""
        return OutcomePanel(self.outcome)

    @property
    def page(self) -> DevicePage | None:
        """Return the answer, None where there is none yet."""
        return self.outcome.value if isinstance(self.outcome, Answer) else None

    # --- addresses --------------------------------------------------------------------------------------------------
    def url(self, **changes: str) -> str:
        """Return the address of the page with another choice."""
        return _address(self.place.path, self.place.query | self._chosen(changes))

    def _chosen(self, changes: Mapping[str, str]) -> dict[str, str]:
        chosen = {name: getattr(self.choice, name) for name in self.choice.__struct_fields__}
        return {name: value for name, value in (chosen | dict(changes)).items() if value and value != "claims"}

    @property
    def again(self) -> str:
        """Return the address at which the page asks for the same answer again."""
        return _address(self.place.path, self.place.query | self._chosen({}) | dict(self.more))

    @property
    def table_url(self) -> str:
        """Return the address of the table in text."""
        return _address(self.place.table, self.place.query | self._chosen({}))

    @property
    def kept(self) -> list[tuple[str, str]]:
        """Return what the form of the filter keeps of the query."""
        return list((self.place.query | self._chosen({"q": ""})).items())

    def claim_url(self, claim: str) -> str:
        """Return the address with the claim selected."""
        return self.url(claim=claim, node="", list="claims")

    # --- strip ------------------------------------------------------------------------------------------------------
    @property
    def figures(self) -> list[Figure]:
        """Return the strip; what no device is has its place, too."""
        assert self.page is not None
        one = self.page.figures
        claims = f"{one.n_claims:,} claim{_s(one.n_claims)}, {one.n_pods:,} pod{_s(one.n_pods)}"
        causes = f"for {one.n_causes:,} cause{_s(one.n_causes)}" if one.n_waiting else "none has to"
        return [
            Figure("bound", "box", one.n_use, "in use", claims),
            Figure("none", "ring", one.n_free, "free", f"most on one node {one.most_free:,}"),
            Figure("backoff", "ban", one.n_taint, "tainted", one.taints or "none"),
            Figure("backoff", "alert", one.n_out, "not offered", one.problems or "all pools are whole"),
            Figure("none", "grid", one.n_parts, "in parts", f"{one.parts_used:,} of {one.parts:,} parts in use"),
            Figure("unsched" if one.n_waiting else "none", "x", one.n_waiting, f"claim{_s(one.n_waiting)} wait"
                   + ("s" if one.n_waiting == 1 else ""), causes),
        ]  # fmt: skip

    # --- lists ------------------------------------------------------------------------------------------------------
    @property
    def lists(self) -> list[tuple[str, str, int, str, bool]]:
        """Return (name, word, number, address, whether it is shown) of each list."""
        assert self.page is not None
        sizes = {"claims": self.page.n_claims, "classes": self.page.n_classes, "slices": self.page.n_slices}
        return [
            (name, name.capitalize(), n, self.url(list=name, q=""), name == self.choice.list)
            for name, n in sizes.items()
        ]

    @cached_property
    def claim_lines(self) -> list[ClaimLine]:
        """The rows of the list of claims, with the keys that go to the next and the previous one."""
        assert self.page is not None
        rows, selected = self.page.claims, self.selected
        at = next((i for i, row in enumerate(rows) if selected is not None and row.key == selected.key), -1)
        return [
            ClaimLine(
                row=row,
                url=self.claim_url(row.key),
                meaning="unres" if row.is_hopeless else LOOKS[row.state].meaning,
                glyph="ban" if row.is_hopeless else LOOKS[row.state].glyph,
                is_selected=i == at,
                key="j" if i == at + 1 else "k" if at > 0 and i == at - 1 else "",
            )
            for i, row in enumerate(rows)
        ]

    @property
    def claim_groups(self) -> Iterator[tuple[str, list[ClaimLine]]]:
        """The rows under their heads."""
        for state, look in LOOKS.items():
            lines = [line for line in self.claim_lines if line.row.state == state]
            if lines:
                yield look.head, lines

    # --- map --------------------------------------------------------------------------------------------------------
    @property
    def drivers(self) -> list[tuple[str, int, str, bool]]:
        """Return (driver, devices, address, whether it is shown)."""
        assert self.page is not None
        return [(one, n, self.url(driver=one, node=""), one == self.page.driver) for one, n in self.page.drivers]

    @property
    def row_name(self) -> str:
        """Return the last part of the attribute that rows are made by."""
        return self.page.row_attribute.rpartition("/")[2] if self.page is not None else ""

    @cached_property
    def cards(self) -> list[CardView]:
        """The places as cards."""
        assert self.page is not None
        me = self.selected.key if self.selected is not None else ""
        return [card_view(card, self.page.labels, me, self.choice.node, self._cell_url) for card in self.page.cards]

    def _cell_url(self, node: str, claims: tuple[str, ...]) -> str:
        return self.claim_url(claims[0]) if claims else self.url(claim="", node=node, list="claims")

    @cached_property
    def squares(self) -> SquaresView | None:
        """The squares of a large cluster."""
        if self.page is None or self.page.squares is None:
            return None
        mine = {card.name for card in self.page.cards if self.selected and _holds(card, self.selected.key)}
        return SquaresView(self.page.squares, mine | {self.choice.node}, self.url(claim="", node="", list="claims"))

    @property
    def use_url(self) -> str:
        """Return the address of the map coloured by use."""
        return self.url(fits="")

    @property
    def fits_url(self) -> str:
        """Return the address of the map coloured by where the claim to offer gets devices, "" without one."""
        assert self.page is not None
        return self.url(fits=self.page.fit_offer) if self.page.fit_offer else ""

    @property
    def fits_label(self) -> str:
        """Return what people call the claim that is offered."""
        assert self.page is not None
        offered = self.page.asked_fit or self.page.fit_offer
        return self.page.labels.get(offered, offered)

    # --- side -------------------------------------------------------------------------------------------------------
    @property
    def selected(self) -> SelectedClaim | None:
        """Return the claim of the side."""
        return self.page.selected if self.page is not None else None

    @property
    def selected_look(self) -> tuple[str, str, str]:
        """Return meaning, word and glyph of the selected claim's state."""
        assert self.selected is not None
        look = LOOKS[self.selected.state]
        return look.meaning, look.word, look.glyph

    @property
    def chosen_card(self) -> DeviceCard | None:
        """Return the node that is chosen, where no claim is."""
        if self.page is None or self.selected is not None:
            return None
        return next((card for card in self.page.cards if card.name == self.choice.node), None)

    @property
    def chosen_devices(self) -> list[tuple[str, str, str, list[tuple[str, str]], str]]:
        """Return (device, state, row, claims with their addresses, note) of the chosen node."""
        card = self.chosen_card
        cells = (*card.cells, *card.others) if card is not None else ()
        return [
            (cell.name, state_in_words(cell), cell.row, [(key, self.claim_url(key)) for key in cell.claims], cell.note)
            for cell in cells
        ]

    @property
    def object_url(self) -> str:
        """Return the address of the selected claim as YAML."""
        assert self.selected is not None
        key, run = self.selected.key, self.place.run
        namespace, _, name = key.partition("/")
        if run is not None and self.cursor is not None:
            path = reverse("debugger:object", args=[self.cursor.slug, run.number, "ResourceClaim"])
            return _address(path, self.place.query | {"key": key})
        path = self.place.path.removesuffix("devices/") + "object/"
        return _address(path, self.place.query | {"kind": "ResourceClaim", "ns": namespace, "name": name})

    @property
    def reserved(self) -> list[tuple[str, str, str]]:
        """Return (pod, its node, its address) of those that reserve the selected claim."""
        assert self.selected is not None
        return [(pod, node, self.pod_url(pod)) for pod, node in self.selected.reserved]

    @property
    def waiting_pods(self) -> list[tuple[str, str]]:
        """Return (pod, where it is said why it waits, "" in a cluster) of the pods that wait for the claim."""
        assert self.selected is not None
        return [(pod, self.why_url(pod)) for pod in self.selected.waiting]

    def pod_url(self, pod: str) -> str:
        """Return the address of the pod's page, "" in a cluster."""
        run = self.place.run
        if run is None or self.cursor is None:
            return ""
        return _address(
            reverse("debugger:run", args=[self.cursor.slug, run.number]), {"seq": str(self.cursor.seq), "pod": pod}
        )

    def why_url(self, pod: str) -> str:
        """Return the address that says why the pod waits, "" in a cluster, where a run has to be started for it."""
        run = self.place.run
        if run is None or self.cursor is None:
            return ""
        return _address(
            reverse("debugger:why", args=[self.cursor.slug, run.number]), {"seq": str(self.cursor.seq), "pod": pod}
        )

    @property
    def happened(self) -> list[tuple[int, str, str]]:
        """Return (virtual microseconds, words, address of the moment) of each change of the claim."""
        run = self.place.run
        if self.selected is None or run is None or self.cursor is None:
            return []
        path = reverse("debugger:events", args=[self.cursor.slug, run.number])
        return [
            (one.at, one.says, _address(path, {"seq": str(one.seq + 1), "step": "event"}))
            for one in self.selected.happened
        ]


def _holds(card: DeviceCard, claim: str) -> bool:
    return any(claim in cell.claims for cell in (*card.cells, *card.others))


def _address(path: str, query: Mapping[str, Any]) -> str:
    return f"{path}?{urlencode(query, safe='/')}" if query else path


def _s(count: int) -> str:
    return "" if count == 1 else "s"
