"""Prefers nodes that hold the pod's images already, less so when many nodes hold them or they are small.

Mirrors the upstream plugin ImageLocality of v1.34 (plugins/imagelocality, backend/cache for the images' states); since
v1.36 images of volumes count as those of containers (behaviour ``image_volumes_count``).
Known difference: where nodes report different sizes for one image name, upstream keeps the size it saw first, even
after that node left; here the size on the first row that still holds the image counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scheduler_core.api.objects import ContainerImage, Pod
from scheduler_core.columns.node_table import NodeTable
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.facts import Facts, ImageFact
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.plugin import NoArgs, ScorePlugin
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import MAX_NODE_SCORE, Rows, Scores
from scheduler_core.framework.plugin_helpers.node_selectors import GenerationMemo

MIN_THRESHOLD = 23 * 1024 * 1024
MAX_CONTAINER_THRESHOLD = 1000 * 1024 * 1024

_LARGEST = 1 << 62

Images = tuple[ContainerImage, ...]


class ImageLocality(ScorePlugin[NoArgs]):
    """A row's score depends on how many nodes hold an image, so it is not node-local."""

    name = "ImageLocality"
    Args = NoArgs
    traits = Traits(static=True)

    def __init__(self, args: NoArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._index = ImageIndex()
        self._scores: GenerationMemo[Scores] = GenerationMemo()

    def score_node(self, state: Any, pod: PodInfo, node: NodeView) -> int:
        """The images' sizes, each scaled by the share of nodes that hold it, on a scale between two thresholds."""
        table = self.handle.cluster.table
        self._index.update(table)
        names = self._names(pod.pod)
        total = sum(
            self._index.scaled_size(name, len(table.row_of)) for name in names if node.row in self._index.holders(name)
        )
        return _scaled_score(total, _n_containers(pod.pod))

    def score_facts(self, state: Any, pod: PodInfo, node: NodeView) -> Facts:
        """Each image of the pod, whether the node has it, and what counts of its size."""
        table = self.handle.cluster.table
        self._index.update(table)
        return tuple(self._image_fact(name, node.row, len(table.row_of)) for name in self._names(pod.pod))

    def _image_fact(self, name: str, row: int, n_nodes: int) -> ImageFact:
        holders = self._index.holders(name)
        return ImageFact(
            image=name,
            here=row in holders,
            size=holders[min(holders)] if holders else 0,
            nodes=len(holders),
            of_nodes=n_nodes,
            counted=self._index.scaled_size(name, n_nodes) if row in holders else 0,
        )

    def score(self, state: Any, pod: PodInfo, rows: Rows) -> Scores:
        """The same for all rows, kept per list of images until a node object changes."""
        table = self.handle.cluster.table
        names, n_containers = self._names(pod.pod), _n_containers(pod.pod)
        scores = self._scores.get(
            table.static_generation, (names, n_containers), lambda: self._all_scores(table, names, n_containers)
        )
        return scores.take(rows)

    def _names(self, pod: Pod) -> tuple[str, ...]:
        return _image_names(pod, with_volumes=self.handle.run.behaviours.image_volumes_count)

    def _all_scores(self, table: NodeTable, names: tuple[str, ...], n_containers: int) -> Scores:
        self._index.update(table)
        sums = np.zeros(table.capacity, dtype=np.int64)
        highest = MAX_CONTAINER_THRESHOLD * n_containers
        for name in names:
            holders = self._index.holders(name)
            if holders:
                sums[list(holders)] += self._index.scaled_size(name, len(table.row_of))
                np.minimum(sums, highest, out=sums)  # at once, so that no sum is larger than an int64
        clamped = np.maximum(sums, MIN_THRESHOLD)
        return MAX_NODE_SCORE * (clamped - MIN_THRESHOLD) // (highest - MIN_THRESHOLD)


class ImageIndex:
    """Which rows hold which image name, and its size there; follows the node table when asked to."""

    def __init__(self) -> None:
        self._generation = 0
        self._seen: dict[int, Images] = {}
        self._holders: dict[str, dict[int, int]] = {}

    def holders(self, name: str) -> dict[int, int]:
        """Size by row, of the rows that hold the image."""
        return self._holders.get(name, {})

    def scaled_size(self, name: str, n_nodes: int) -> int:
        """Bytes of the image times the share of nodes that hold it, truncated; at most 4Ei, far above any threshold."""
        holders = self.holders(name)
        spread = float(len(holders)) / float(n_nodes)
        return min(int(float(holders[min(holders)]) * spread), _LARGEST)

    def update(self, table: NodeTable) -> None:
        """Take up the nodes that came, changed or went since the last call."""
        if self._generation >= table.static_generation:
            return
        for row in table.changed_since(self._generation).tolist():
            node = table.nodes[row]
            images = node.images if node is not None else ()
            if images is not self._seen.get(row, ()):
                self._replace(row, images)
        self._generation = table.generation

    def _replace(self, row: int, images: Images) -> None:
        for image in self._seen.get(row, ()):
            for name in image.names:
                self._holders[name].pop(row, None)
        self._seen[row] = images
        for image in images:
            for name in image.names:
                self._holders.setdefault(name, {}).setdefault(row, image.size_bytes)


def _n_containers(pod: Pod) -> int:
    return len(pod.init_containers) + len(pod.containers)


def _image_names(pod: Pod, *, with_volumes: bool) -> tuple[str, ...]:
    images = [container.image for container in (*pod.init_containers, *pod.containers)]
    if with_volumes:
        images += [volume.attributes.get("reference", "") for volume in pod.volumes if volume.source == "image"]
    return tuple(map(_with_tag, images))


def _with_tag(name: str) -> str:
    """The name with ":latest" where no tag is given; a colon before the last slash belongs to a port."""
    return name if name.rfind(":") > name.rfind("/") else f"{name}:latest"


def _scaled_score(total: int, n_containers: int) -> int:
    highest = MAX_CONTAINER_THRESHOLD * n_containers
    clamped = MIN_THRESHOLD if total < MIN_THRESHOLD else min(total, highest)
    return MAX_NODE_SCORE * (clamped - MIN_THRESHOLD) // (highest - MIN_THRESHOLD)
