"""The page about devices as one value, from a world and what the reader chose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from msgspec.structs import replace

from scheduler_core.api.devices import ClaimSpec, DeviceRequest, ResourceSlice
from scheduler_core.api.objects import ResourceClaim
from scheduler_core.explain.devices.cells import Inventory, natural, places_text
from scheduler_core.explain.devices.claims import ClaimList
from scheduler_core.explain.devices.funnel import RequestEverywhere, requests_of
from scheduler_core.explain.devices.model import (
    ClaimChange,
    ClassRow,
    DeviceCard,
    DeviceChoice,
    DeviceFigures,
    DevicePage,
    SliceRow,
    Squares,
)
from scheduler_core.explain.devices.rows import row_attribute
from scheduler_core.explain.devices.selected import selected_claim
from scheduler_core.explain.devices.world import DeviceWorld
from scheduler_core.explain.outcomes.texts import plural

LARGE = 200
"""The number of places from which on the map has squares in the place of cards."""
MOST_ROWS = 300
_MOST_CARDS, _NAMED = 60, 2


Changes = Callable[[str], Sequence[ClaimChange]]
"""The recorded changes of a claim, by its key."""


class Devices:
    """A world with what is kept of it between pages: its inventory, its claims, its cards by driver."""

    def __init__(self, world: DeviceWorld) -> None:
        self.world, self.inventory, self.claims = world, Inventory(world), ClaimList(world)
        self._cards: dict[str, tuple[str, list[DeviceCard]]] = {}

    def cards(self, driver: str) -> tuple[str, list[DeviceCard]]:
        """The attribute of the rows, and a card for each place."""
        if driver not in self._cards:
            attribute = row_attribute(self.inventory, driver)
            places = self.inventory.places()
            self._cards[driver] = attribute, [self.inventory.card(place, driver, attribute) for place in places]
        return self._cards[driver]

    def page(
        self, choice: DeviceChoice, happened: Callable[[str], Sequence[ClaimChange]] = lambda claim: ()
    ) -> DevicePage:
        """The page; what is chosen and not there is as if nothing was: then it shows the first claim, unless a node is
        chosen. ``happened`` gives the recorded changes of a claim."""
        drivers = dict(self.inventory.drivers)
        driver = choice.driver if choice.driver in drivers else next(iter(drivers), "")
        attribute, cards = self.cards(driver)
        waiting = [row.key for row in self.claims.rows if row.state == "waits"]
        fits = choice.fits if choice.fits in waiting else ""
        first = self.claims.rows[0].key if self.claims.rows and not choice.node else ""
        chosen = self.world.claims.get(choice.claim) or self.world.claims.get(first)
        fitting = set(self.claims.nodes(self.world.claims[fits])) if fits else None
        if fitting is not None:
            cards = [replace(card, fits=_fits(card, fitting)) for card in cards]
        rows = list(self.claims.rows_with(choice.q)) if choice.list == "claims" else []
        selected = None
        if chosen is not None:
            selected = selected_claim(self.claims, self.inventory, chosen, attribute, happened(chosen.key))
        offer = chosen.key if chosen is not None and chosen.key in waiting else next(iter(waiting), "")
        is_large = len(cards) >= LARGE
        shown = list(self._shown(cards, choice, chosen)) if is_large else cards
        named = {key for card in shown for cell in (*card.cells, *card.others) for key in cell.claims}
        named |= {offer, fits} - {""}
        return DevicePage(
            driver=driver,
            drivers=self.inventory.drivers,
            figures=self.figures(driver),
            row_attribute=attribute,
            cards=tuple(shown),
            squares=_squares(cards, fitting is not None) if is_large else None,
            claims=tuple(rows[:MOST_ROWS]),
            n_claims=len(self.world.claims),
            classes=tuple(self._classes(choice.q)) if choice.list == "classes" else (),
            slices=tuple(self._slices(choice.q)) if choice.list == "slices" else (),
            n_classes=len(self._class_names),
            n_slices=len(self.world.slices),
            selected=selected,
            fit_offer=offer,
            asked_fit=fits,
            n_fits=0 if fitting is None else len(fitting),
            labels={key: self.claims.label(self.world.claims[key]) for key in sorted(named)},
        )

    def _shown(
        self, cards: list[DeviceCard], choice: DeviceChoice, chosen: ResourceClaim | None
    ) -> Iterator[DeviceCard]:
        """Of many cards the chosen one and those of the chosen claim, else those with most free devices."""
        mine = [c for c in cards if c.name == choice.node or (chosen and _has(c, chosen.key))]
        others = sorted((c for c in cards if c not in mine), key=lambda card: -card.count("free")) if not mine else []
        yield from [*mine, *others][: _MOST_CARDS if mine else 12]

    # --- sums -------------------------------------------------------------------------------------------------------
    def figures(self, driver: str) -> DeviceFigures:
        """The sums of a driver's devices."""
        cards = self.cards(driver)[1]
        cells = [cell for card in cards for cell in card.cells]
        states = Counter(cell.state for cell in cells)
        claims = {key for cell in cells if cell.state == "use" for key in cell.claims}
        holding = [self.world.claims[key] for key in claims]
        pods = {
            (claim.namespace, one.name) for claim in holding for one in claim.reserved_for if one.resource == "pods"
        }
        waiting = [row for row in self.claims.rows if row.state == "waits"]
        tainted = [(card.name, cell.note) for card in cards for cell in card.cells if cell.state == "taint"]
        return DeviceFigures(
            n_use=states["use"],
            n_free=states["free"],
            n_taint=states["taint"],
            n_out=states["out"],
            n_parts=states["parts"],
            n_claims=len(claims),
            n_pods=len(pods),
            most_free=max((card.count("free") for card in cards), default=0),
            taints=_taints(tainted),
            problems=_problems(cards),
            parts=sum(cell.parts.n for cell in cells if cell.parts is not None),
            parts_used=sum(cell.parts.used for cell in cells if cell.parts is not None),
            n_waiting=len(waiting),
            n_causes=len({row.says for row in waiting}),
            n_pools=sum(key[0] == driver for key in self.world.pools),
        )

    @cached_property
    def _class_names(self) -> Counter[str]:
        """The classes that are there, and those that claims name, with the number of such claims."""
        named = Counter(dict.fromkeys(self.world.classes, 0))
        for claim in self.world.claims.values():
            named.update({one.request.class_name for one in requests_of(claim)})
        return named

    # --- lists ------------------------------------------------------------------------------------------------------
    def _classes(self, text: str) -> Iterator[ClassRow]:
        part, named = text.casefold(), self._class_names
        for name in sorted(named, key=natural):
            if part not in name.casefold():
                continue
            of = self.world.classes.get(name)
            if of is None:
                yield ClassRow(
                    name=name, selectors=(), n_devices=0, n_free=0, n_claims=named[name], problem="does not exist"
                )
                continue
            everywhere = self._of_class(name)
            free = {key for usable in everywhere.usable.values() for key in usable}
            yield ClassRow(
                name=name,
                selectors=of.selectors,
                n_devices=len(everywhere.of_class),
                n_free=len(free),
                n_claims=named[name],
            )

    def _of_class(self, name: str) -> RequestEverywhere:
        spec = ClaimSpec(requests=(DeviceRequest(name="of", class_name=name),))
        return self.claims.everywhere(ResourceClaim(name="", spec=spec))[0]

    def _slices(self, text: str) -> Iterator[SliceRow]:
        part = text.casefold()
        several = sorted(self.world.slices, key=lambda one: natural(one.name))
        rows = [one for one in several if any(part in t.casefold() for t in (one.name, one.pool, one.node_name))]
        for one in rows[:MOST_ROWS]:
            newest = self.world.pools[one.driver, one.pool]
            yield SliceRow(
                name=one.name,
                pool=f"{one.driver}/{one.pool}",
                generation=one.generation,
                where=_where(one),
                n_devices=len(one.devices),
                problem=_problem_of(one, newest),
            )


def device_page(world: DeviceWorld, choice: DeviceChoice) -> DevicePage:
    """The page of a world that is asked for once."""
    return Devices(world).page(choice)


def _fits(card: DeviceCard, fitting: Iterable[str]) -> str:
    return ("fits" if card.name in fitting else "not") if card.is_node else ""


def _has(card: DeviceCard, claim: str) -> bool:
    return any(claim in cell.claims for cell in (*card.cells, *card.others))


def _squares(cards: list[DeviceCard], is_asked: bool) -> Squares:
    return Squares(
        tuple(card.name for card in cards),
        tuple(card.count("use") + card.count("parts") for card in cards),
        tuple(card.count("free") for card in cards),
        tuple(len(card.cells) for card in cards),
        tuple(any(cell.state in ("out", "taint") for cell in card.cells) for card in cards),
        tuple(card.fits == "fits" for card in cards) if is_asked else (),
    )


def _taints(tainted: list[tuple[str, str]]) -> str:
    if not tainted:
        return ""
    keys = list(dict.fromkeys(note.partition(":")[0] for _, note in tainted))
    more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
    return f"{plural(len({name for name, _ in tainted}), 'node')}: {', '.join(keys[:_NAMED])}{more}"


def _problems(cards: list[DeviceCard]) -> str:
    flawed = [card for card in cards if any(cell.state == "out" for cell in card.cells)]
    if not flawed:
        return ""
    first = f"{flawed[0].name}: {flawed[0].problem}"
    return first if len(flawed) == 1 else f"{first}, and {plural(len(flawed) - 1, 'more place')}"


def _where(one: ResourceSlice) -> str:
    if one.per_device_nodes:
        return "by device"
    if one.shared_counters and not one.devices:
        return "counters alone"
    return f"node {one.node_name}" if one.node_name else places_text(one.node_selector)


def _problem_of(one: ResourceSlice, newest: list[ResourceSlice]) -> str:
    if not any(one is each for each in newest):
        return f"older than generation {newest[0].generation} of its pool"
    if len(newest) != newest[0].slice_count:
        return f"{len(newest)} of {plural(newest[0].slice_count, 'slice')} of its pool"
    return ""
