"""Answers made by hand, as view models read them."""

from __future__ import annotations

from dashboard.answers.answering.capacity import GroupsAnswer
from dashboard.answers.answering.capacity_state import GroupFacts
from scheduler_core.capacity.adding import AddingAnswer, GroupAnswer, MixAnswer
from scheduler_core.capacity.table import GroupTable, NeedRow, NewNode
from scheduler_core.capacity.unplaced import UnplacedPod

ETL = ("shop/etl-0", "shop/etl-1")
TAINT = UnplacedPod("shop/etl-0", ("TAINT_UNTOLERATED",), ("taint gpu=yes, which it does not tolerate",), ("gpu=yes",))
HELPS = GroupAnswer(name="general", nodes=2, pods=ETL, price=0.2)
REFUSES = GroupAnswer(name="gpu", nodes=0, refused=(TAINT,), codes=TAINT.codes)
FULL = GroupAnswer(name="large", nodes=0, codes=("GROUP_MAXIMUM",), bounds=("its maximum is 3 nodes",))
CELLS = (HELPS, REFUSES, FULL)


def facts(name: str, **fields) -> GroupFacts:
    """A group of four cpu."""
    plain = {"source": f"NodePool {name}", "present": 2, "minimum": 1, "maximum": None, "price": 0.1, "zone": "a",
             "amounts": {"cpu": 4_000, "memory": 16 << 30, "pods": 110}, "taints": (), "daemons": ()}  # fmt: skip
    return GroupFacts(name=name, **plain | fields)


def answer(cells=CELLS, mix: MixAnswer | None = None, **fields) -> GroupsAnswer:
    """Two pods of one controller and their cells."""
    adding = AddingAnswer(asked=ETL, groups=cells, mix=mix, in_time=fields.pop("in_time", True))
    row = NeedRow(namespace="shop", owner="ReplicaSet/etl", pods=ETL, requests={"cpu": 1_000}, cells=cells, lacking=2)
    gated = NeedRow(namespace="shop", owner="", pods=("shop/canary",), requests={})
    node = NewNode(name="general-new-1", group="general", pods=ETL, resource="cpu", used=2_000, free=3_900)
    table = GroupTable(answer=adding, rows=(row,), gated=(gated,), places=(node,), done=len(cells), total=6)
    return GroupsAnswer(table=table, groups=(facts("general"), facts("gpu"), facts("large", present=3, maximum=3)))
