"""Ready lists: every shape and size is valid, and their shares are those that were published."""

from __future__ import annotations

from scheduler_core.manifests import load_manifests
from scheduler_core.workloads.generator.generate import generate
from scheduler_core.workloads.generator.ready_lists import SHAPES, SIZE_LISTS, SOURCES
from tests.scheduler_core.workloads.generator.texts import described


def test_every_ready_list_gives_valid_objects() -> None:
    pools = ", ".join(f"{{name: p{i}, nodes: 1, shape: {name}}}" for i, name in enumerate(SHAPES))
    workloads = ", ".join(f"{{name: w{i}, pods: 40, sizes: {name}}}" for i, name in enumerate(SIZE_LISTS))
    made = generate(described(f"{{pools: [{pools}], workloads: [{workloads}]}}"))
    result = load_manifests(made.manifests)
    assert result.findings == []
    assert len(result.objects.nodes) == len(SHAPES)


def test_shares_of_openb_are_those_of_the_trace() -> None:
    """1,523 nodes, 549 of them with eight G2 cards: the trace's README."""
    openb = [shape for shape in SHAPES.values() if shape.source.name == "openb"]
    assert sum(shape.share for shape in openb) == 1_523
    assert max(openb, key=lambda shape: shape.share).name == "openb-g2-8-96"


def test_each_source_is_in_use_and_has_an_address() -> None:
    used = {one.source for one in (*SHAPES.values(), *SIZE_LISTS.values())}
    assert used == set(SOURCES)
    assert all(source.address.startswith("https://") for source in SOURCES)
