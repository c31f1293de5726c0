"""The devices as a table in text, to be pasted: one line a device, columns by tabs."""

from __future__ import annotations

from scheduler_core.explain.devices.model import DeviceCard, DeviceCell, Squares

_WORDS = {"use": "in use", "free": "free", "taint": "tainted", "out": "not offered", "parts": "in parts"}


def device_table(cards: list[DeviceCard], attribute: str) -> str:
    """A head, then each device with its state and the claims that have it."""
    head = ["place", "device", attribute or "row", "state", "claims", "note"]
    lines = [head, *(_line(card, cell) for card in cards for cell in (*card.cells, *card.others))]
    return "".join("\t".join(line) + "\n" for line in lines)


def _line(card: DeviceCard, cell: DeviceCell) -> list[str]:
    return [card.name, cell.name, cell.row, state_in_words(cell), " ".join(cell.claims), cell.note]


def state_in_words(cell: DeviceCell) -> str:
    """ "in use", "3 of 7 parts of 10Gi memory in use" """
    if cell.state == "parts" and cell.parts is not None:
        return f"{cell.parts.used} of {cell.parts.n} parts of {cell.parts.size} {cell.parts.named} in use"
    return _WORDS[cell.state]


def cell_in_words(card: DeviceCard, cell: DeviceCell) -> str:
    """ "gpu-0 of g-04: in use, claim ml/tune-2" """
    who = f", claim{'' if len(cell.claims) == 1 else 's'} {', '.join(cell.claims)}" if cell.claims else ""
    note = f", {cell.note}" if cell.note else ""
    return f"{cell.name} of {card.name}: {state_in_words(cell)}{who}{note}"


def square_table(squares: Squares) -> str:
    """The places of a large cluster, one line each."""
    head = "place\tdevices\tin use\tfree\ttainted or not offered\n"
    columns = zip(squares.names, squares.total, squares.used, squares.free, squares.flawed, strict=True)
    return head + "".join(
        f"{name}\t{total}\t{used}\t{free}\t{'yes' if flawed else 'no'}\n" for name, total, used, free, flawed in columns
    )
