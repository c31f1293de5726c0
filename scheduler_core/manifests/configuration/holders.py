"""What holds a configuration, or stands where one is expected: ConfigMaps, pods of kube-scheduler, Volcano's form."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from scheduler_core.manifests.kinds.registry import CONFIG_KINDS, CONFIGURATION
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, Path, Raw, shortened
from scheduler_core.manifests.parsing.sources import read_documents, read_text

KIND = CONFIGURATION
LIMITS = Limits(max_bytes=4 << 20, max_json_values=200_000, max_yaml_nodes=200_000, max_alias_weight=20_000)
"""Of a configuration, and of what holds one."""
_MOST_TEXTS = 100
_MOST_DEPTH = 12
_SCHEDULER = re.compile(r"(?:^|/)kube-scheduler$")
_OPTION = "--config"
_MOST_SHOWN = 5


class HeldText(NamedTuple):
    """A text in an object: what holds it, in words, and where: the number of its document and the path there."""

    text: str
    holder: str
    document: int
    path: Path


def held_configurations(documents: Iterable[tuple[int, Any]]) -> list[HeldText]:
    """The texts in ConfigMaps that are configurations, where no document is one itself."""
    documents = list(documents)
    if any(isinstance(raw, dict) and raw.get("kind") in CONFIG_KINDS for _, raw in documents):
        return []
    texts = list(_texts(documents))
    are_configurations = {text: _is_configuration(text) for text in dict.fromkeys(one.text for one in texts)}
    return [one for one in texts if are_configurations[one.text]]


def configuration_text(text: str) -> str:
    """The configuration in a text that holds one in a ConfigMap, else the text itself."""
    if "ConfigMap" not in text or KIND not in text:
        return text
    try:
        values = [(i, document.value) for i, document in enumerate(read_documents(text, LIMITS))]
    except LoadError:
        return text
    held = held_configurations(values)
    return held[0].text if len(held) == 1 else text


def refusal(documents: Iterable[tuple[int, Any]], held: list[HeldText]) -> str:
    """Why none is read, where the documents hold several or something else that stands for one; "" otherwise."""
    if len(held) > 1:
        names = ", ".join(one.holder for one in held[:_MOST_SHOWN])
        return f"there are {len(held)} configurations in it ({names}). Give the text of one of them"
    documents = list(documents)
    if any(_is_of_volcano(raw) for _, raw in documents) or any(
        "tiers:" in one.text and "actions:" in one.text for one in _texts(documents)
    ):
        return (
            "this is a configuration of Volcano (actions, tiers), which is another scheduler and is not played here. "
            f"A {KIND} of kube-scheduler is needed"
        )
    return next((text for _, raw in documents for text in _of_pods(raw, _identity(raw), 0)), "")


def _texts(documents: Iterable[tuple[int, Any]]) -> Iterator[HeldText]:
    number = 0
    for document, raw in documents:
        for path, one in _objects(raw):
            if one.get("kind") != "ConfigMap":
                continue
            for key, text in _data(one):
                number += 1
                if number > _MOST_TEXTS:
                    return
                holder = f"ConfigMap {_identity(one)}, data[{shortened(key)}]"
                yield HeldText(text, holder, document, (*path, "data", key))


def _objects(raw: Any) -> Iterator[tuple[Path, Raw]]:
    if isinstance(raw, dict) and isinstance(raw.get("items"), list):
        yield from ((("items", i), one) for i, one in enumerate(raw["items"]) if isinstance(one, dict))
    elif isinstance(raw, dict):
        yield (), raw


def _data(raw: Raw) -> Iterator[tuple[str, str]]:
    data = raw.get("data")
    if isinstance(data, dict):
        yield from ((key, text) for key, text in data.items() if isinstance(key, str) and isinstance(text, str))


def _is_configuration(text: str) -> bool:
    if not any(kind in text for kind in CONFIG_KINDS):
        return False
    try:
        source = ManifestSource("", text.encode("utf-8", "replace"))
        values = [document.value for document in read_documents(read_text(source, LIMITS), LIMITS)]
    except LoadError:
        return f"kind: {KIND}" in text  # reading it says what is wrong
    return any(isinstance(value, dict) and value.get("kind") in CONFIG_KINDS for value in values)


def _is_of_volcano(raw: Any) -> bool:
    return isinstance(raw, dict) and "kind" not in raw and "tiers" in raw and "actions" in raw


def _identity(raw: Any) -> str:
    metadata = raw.get("metadata") if isinstance(raw, dict) else None
    names = metadata if isinstance(metadata, dict) else {}
    parts = (names.get("namespace"), names.get("name"))
    return "/".join(shortened(part) for part in parts if isinstance(part, str) and part)


def _of_pods(value: Any, name: str, depth: int) -> Iterator[str]:
    """What to fetch instead of the pods of kube-scheduler in a value."""
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, list):
        for one in value:
            yield from _of_pods(one, _identity(one) or name, depth + 1)
    elif isinstance(value, dict):
        containers = value.get("containers")
        for container in containers if isinstance(containers, list) else ():
            argv = _arguments(container)
            if any(_SCHEDULER.search(argument) for argument in argv[:4]):
                yield _what_to_fetch(_config_path(argv), value, container, name)
                return
        for one in value.values():
            if isinstance(one, dict | list):
                yield from _of_pods(one, name, depth + 1)


def _arguments(container: Any) -> list[str]:
    if not isinstance(container, dict):
        return []
    lists = (container.get(field) for field in ("command", "args"))
    return [argument for one in lists if isinstance(one, list) for argument in one if isinstance(argument, str)]


def _config_path(argv: list[str]) -> str:
    for i, argument in enumerate(argv):
        if argument.startswith(f"{_OPTION}="):
            return argument.partition("=")[2]
        if argument == _OPTION and i + 1 < len(argv):
            return argv[i + 1]
    return ""


def _what_to_fetch(path: str, spec: Raw, container: Raw, name: str) -> str:
    who = f"the pod of kube-scheduler{f' ({name})' if name else ''}"
    if not path:
        return f"this is {who}, and it has no {_OPTION}: it runs the default configuration, so none is needed"
    config_map = _mounted_config_map(path, spec, container)
    if config_map:
        namespace = name.partition("/")[0] if "/" in name else "kube-system"
        fetch = f"kubectl get configmap -n {namespace} {config_map} -o yaml"
        return f"this is {who}; its configuration is in the ConfigMap {config_map}. Fetch it: {fetch}"
    shown = shortened(path, 200)
    return f"this is {who}; its configuration is the file {shown} of the node where it runs. Fetch it: cat {shown}"


def _mounted_config_map(path: str, spec: Raw, container: Raw) -> str:
    """The ConfigMap that is mounted where the path leads, "" for none."""
    mounts = container.get("volumeMounts")
    inner = [
        mount.get("name")
        for mount in (mounts if isinstance(mounts, list) else ())
        if isinstance(mount, dict) and str(mount.get("mountPath", "")).rstrip("/") in (path, posixpath.dirname(path))
    ]
    volumes = spec.get("volumes")
    for volume in volumes if isinstance(volumes, list) else ():
        source = volume.get("configMap") if isinstance(volume, dict) else None
        if isinstance(source, dict) and volume.get("name") in inner and isinstance(source.get("name"), str):
            return shortened(source["name"])
    return ""
