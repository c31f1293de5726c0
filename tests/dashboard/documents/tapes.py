"""Small tapes, and taking them in."""

from __future__ import annotations

import tempfile
from io import BytesIO
from pathlib import Path

import msgspec

from dashboard.documents.actions import NewText
from dashboard.documents.extenders.actions import take_tape
from scheduler_core.extenders.calls import ExtenderReply
from tests.scheduler_core.extenders.tape.taping import HEADER, answer, on_bind, on_nodes, on_victims, write_tape

RECORDED_AT = 1_767_603_600.0
CALLS = [
    (on_nodes(of="web-0"), answer(b'{"NodeNames": ["n1"]}')),
    (on_nodes(of="web-0", extender=1), ExtenderReply(fault="timeout")),
    (on_nodes(of="web-0", verb="prioritize"), ExtenderReply(500)),
    (on_victims({"n1": (["uid-a"], 0)}, of="web-1", step=2), answer(b"{}")),
    (on_bind(of="web-1", step=2), answer(b'{"Error": ""}')),
]


def small_tape(**header) -> bytes:
    """The bytes of a tape with one call of each verb, of pods web-0 and web-1, recorded on 5 January 2026."""
    header = msgspec.structs.replace(
        HEADER, **{"recorded_at": RECORDED_AT, "source": "prod.json", "n_nodes": 2} | header
    )
    with tempfile.TemporaryDirectory() as folder:
        return write_tape(Path(folder) / "t", CALLS, header).read_bytes()


def take(member, data: bytes, name: str, tape=None, file_name="run.tape"):
    """The revision of a tape that a member uploaded."""
    return take_tape(member, tape, BytesIO(data), file_name, NewText(name, ""))
