"""The side of the page about devices: the selected claim or node, and where its pods, events and text are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from scheduler_core.explain.devices.table import state_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.runs.models import Run
    from scheduler_core.explain.devices import DeviceChoice, DevicePage
    from scheduler_core.explain.devices.model import DeviceCard, SelectedClaim


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
class DevicesPlace:
    """Where the page is: its address, that of its table, and what both keep of the query. `run` where it is of one."""

    path: str
    table: str
    query: dict[str, str]
    run: Run | None = None


@dataclass(frozen=True)
class DevicesSide:
    """What is said of what is selected; `claim_url` gives the address with a claim selected."""

    page: DevicePage
    place: DevicesPlace
    choice: DeviceChoice
    cursor: Cursor | None
    claim_url: Callable[[str], str]

    @property
    def selected(self) -> SelectedClaim | None:
        """Return the claim."""
        return self.page.selected

    @property
    def selected_look(self) -> tuple[str, str, str]:
        """Return meaning, word and glyph of the selected claim's state."""
        assert self.selected is not None
        look = LOOKS[self.selected.state]
        return look.meaning, look.word, look.glyph

    @property
    def chosen_card(self) -> DeviceCard | None:
        """Return the node that is chosen, where no claim is."""
        if self.selected is not None:
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
            return address(path, self.place.query | {"key": key})
        path = self.place.path.removesuffix("devices/") + "object/"
        return address(path, self.place.query | {"kind": "ResourceClaim", "ns": namespace, "name": name})

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
        return address(
            reverse("debugger:run", args=[self.cursor.slug, run.number]), {"seq": str(self.cursor.seq), "pod": pod}
        )

    def why_url(self, pod: str) -> str:
        """Return the address that says why the pod waits, "" in a cluster, where a run has to be started for it."""
        run = self.place.run
        if run is None or self.cursor is None:
            return ""
        return address(
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
            (one.at, one.says, address(path, {"seq": str(one.seq + 1), "step": "event"}))
            for one in self.selected.happened
        ]


def address(path: str, query: Mapping[str, Any]) -> str:
    """Return a path with a query."""
    return f"{path}?{urlencode(query, safe='/')}" if query else path
