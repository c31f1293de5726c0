"""A cycle on many nodes, and its frame."""

from __future__ import annotations

import pytest

from dashboard.debugger.inputs.node_set import NodeRows
from dashboard.debugger.panels.matrix.frame_view import FrameView
from dashboard.runs.storage import recordings
from tests.dashboard.debugger.conftest import tainted
from tests.dashboard.run_helpers import node, pod


@pytest.fixture
def big(execute):
    """A run of three pods on 130 nodes of two sizes, thirteen of them tainted."""
    nodes = [tainted(f"node-{n:03}") if n % 10 == 0 else node(f"node-{n:03}", f"{8 + n % 2 * 8}") for n in range(130)]
    return execute([*nodes, *(pod(f"pod-{n}") for n in range(3))], slug="big", schedule="pending", once=True)


@pytest.fixture
def frame(big):
    """The first cycle's frame."""
    return recordings.read(big.pk, lambda reader: reader.frame(1))


@pytest.fixture
def node_rows(big):
    """The nodes of the frame's rows."""
    return NodeRows(recordings.read(big.pk, lambda reader: reader.node_names(1)))


@pytest.fixture
def view(frame, node_rows):
    """The first cycle's frame with the names of its nodes."""
    return FrameView(frame, node_rows)
