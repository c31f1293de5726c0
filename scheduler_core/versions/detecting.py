"""Which version of Kubernetes a cluster runs, as its objects say: the control plane's images first, else the newest
kubelet.

A kubelet is never newer than the control plane, so the newest one is the nearest to it. Where nothing says it, the
newest version counts whose decisions were recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.versions.trains import (
    NEWEST_MEASURED,
    VersionError,
    find_train,
    is_outside,
    version_numbers,
)

Source = Literal["kube-scheduler", "kube-apiserver", "server", "kubelet", "nothing"]

AS_BEFORE = "kube-scheduler 1.34, as before runs named a version"
_NAMESPACE = "kube-system"
_TAG = re.compile(r":v?(\d+\.\d+\.\d+)(?:[-_.+][^@/]*)?(?:@|$)")
_COMPONENTS: tuple[Source, ...] = ("kube-scheduler", "kube-apiserver")


class ClusterVersion(msgspec.Struct, frozen=True, kw_only=True):
    """What a cluster runs: the ``version`` without what vendors add ("" where nothing says it), what it was taken
    from, and the train that is followed (its name). ``outside``: "older" or "newer" than all trains, or ""."""

    version: str = ""
    source: Source = "nothing"
    train: str = NEWEST_MEASURED
    outside: str = ""

    @property
    def origin(self) -> str:
        """ "the cluster runs 1.35.6, by the image of its kube-scheduler"."""
        if self.source == "nothing":
            return "nothing says which version the cluster runs"
        if self.source == "kubelet":
            return f"the newest kubelet is {self.version}"
        by = "its API server" if self.source == "server" else f"the image of its {self.source}"
        return f"the cluster runs {self.version}, by {by}"

    @property
    def text(self) -> str:
        """What is followed and why, with the evidence for it, in one line."""
        outside = f", which is {self.outside} than all that can be followed" if self.outside else ""
        return f"{followed(self.train)}; {self.origin}{outside}"


def followed(version: str) -> str:
    """ "kube-scheduler 1.36, measured against 1.36.2": what decides by a version, "" for a run that names none. Raises
    VersionError."""
    if not version:
        return AS_BEFORE
    train = find_train(version)
    return f"kube-scheduler {train.label}, {train.evidence}"


def detect(pods: Iterable[Pod], kubelets: Iterable[str] | Mapping[str, int] = (), server: str = "") -> ClusterVersion:
    """The version of a cluster with these pods and kubelets' versions; ``server`` is what its API server said."""
    tags = _tags(pods)
    candidates: tuple[tuple[Source, Iterable[str]], ...] = (
        ("kube-scheduler", tags["kube-scheduler"]),
        ("server", [server] if server else []),
        ("kube-apiserver", tags["kube-apiserver"]),
        ("kubelet", kubelets),
    )
    for source, texts in candidates:
        readable = [version for text in texts if (version := _read(text)) is not None]
        if readable:
            newest = max(readable)
            return ClusterVersion(
                version=newest.text, source=source, train=find_train(newest.text).name, outside=is_outside(newest.text)
            )
    return ClusterVersion()


def _tags(pods: Iterable[Pod]) -> dict[Source, list[str]]:
    """Tags of the images of the control plane's containers, by component."""
    tags: dict[Source, list[str]] = {name: [] for name in _COMPONENTS}
    for pod in pods:
        if pod.namespace != _NAMESPACE or pod.is_terminal:
            continue
        for container in pod.containers:
            component = _component(container.name, container.image)
            if component is not None and (tag := _TAG.search(container.image)) is not None:
                tags[component].append(tag[1])
    return tags


def _component(name: str, image: str) -> Source | None:
    """The component of a container, by its own name or by that of its image; some distributions have one image for
    all of them."""
    repository = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
    return next((one for one in _COMPONENTS if one in (name, repository)), None)


class _Version(NamedTuple):
    order: tuple[int, int, int]
    text: str


def _read(text: str) -> _Version | None:
    """A version without what vendors add; None for a text that is none."""
    try:
        major, minor, patch = version_numbers(text)
    except VersionError:
        return None
    written = f"{major}.{minor}" if patch is None else f"{major}.{minor}.{patch}"
    return _Version((major, minor, patch or 0), written)
