"""Forms that hold no whole objects: each is refused by its name, with the command that gives what is needed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import partial
from typing import NoReturn

from scheduler_core.manifests.forms.model import FileHead, InputForm
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource
from scheduler_core.manifests.parsing.sources import read_text

_TYPED = re.compile(r"^(?:kind|apiVersion):", re.MULTILINE)
_VALUES_NAME = re.compile(r"(?:.*[.-])?values(?:[.-].*)?\.ya?ml")
_VALUES = re.compile(
    r"^(replicaCount|image|imagePullSecrets|nameOverride|fullnameOverride|serviceAccount|podAnnotations|"
    r"podSecurityContext|securityContext|service|ingress|resources|autoscaling|nodeSelector|tolerations|affinity|"
    r"global):",
    re.MULTILINE,
)
_ENOUGH_VALUES = 3
_LONGEST_PATCH = 1 << 15
_MAPPING = re.compile(r"\s*(?:#[^\n]*\n\s*|---[^\n]*\n\s*)*[A-Za-z][\w.-]*:(?:\s|$)")
_CHART = [re.compile(pattern, re.MULTILINE) for pattern in (r"^apiVersion: *v[12]\s*$", r"^version:", r"^name:")]
_KIND = re.compile(r"^kind:", re.MULTILINE)
_KUSTOMIZATION = re.compile(r"""^apiVersion:\s*["']?kustomize\.config\.k8s\.io/""", re.MULTILINE)
_KUSTOMIZATION_NAMES = ("kustomization.yaml", "kustomization.yml", "kustomization")
_OPERATIONS = "add|replace|remove|move|copy|test"
_PATCH = re.compile(
    rf"""\s*(?:#[^\n]*\n\s*|---\s*\n\s*)*-\s+(?:op:\s*["']?(?:{_OPERATIONS})\b|path:\s*["']?/)"""
    rf"""|\s*\[\s*\{{\s*"(?:op"\s*:\s*"(?:{_OPERATIONS})"|path"\s*:\s*"/)"""
)
_WORKLOAD = re.compile(r"^kind: *(?:Deployment|StatefulSet|DaemonSet|ReplicaSet)\s*$", re.MULTILINE)
_WHOLE = re.compile(r"""(?<!\w)["']?(?:selector|image)["']?\s*:""")
_DIRECTIVE = re.compile(r"^\s*(?:- )?\$(?:patch|setElementOrder|deleteFromPrimitiveList|retainKeys)\b", re.MULTILINE)
_SPEC = re.compile(r"^spec:", re.MULTILINE)
_TABLE = re.compile(r"[ \t\r\n]*(?:NAMESPACE[ \t]+)?NAME(?:[ \t]{2,}|\t)([A-Z][^\n]*)")
_TABLES = (
    ("CPU(cores)", "kubectl top", "requests, and says what is used instead", "nodes,pods"),
    ("RESTARTS", "kubectl get pods", "requests, affinity and tolerations", "pods"),
    ("ROLES", "kubectl get nodes", "allocatable amounts, labels and taints", "nodes"),
    ("UP-TO-DATE", "kubectl get deployments", "templates of pods", "deployments"),
    ("COMPLETIONS", "kubectl get jobs", "templates of pods", "jobs"),
    ("NODE SELECTOR", "kubectl get daemonsets", "templates of pods", "daemonsets"),
    ("STORAGECLASS", "kubectl get pv,pvc", "node affinity and names of volumes", "pv,pvc"),
)
_SIMON = re.compile(r"^apiVersion:\s*simon/", re.MULTILINE)


def _is_yaml(head: FileHead) -> bool:
    return head.text.lstrip()[:1] not in ("{", "[", "<")


def _file(head: FileHead) -> str:
    return posixpath.basename(head.name.removesuffix(".gz")).lower()


def _is_values(head: FileHead) -> bool:
    if not _is_yaml(head) or _TYPED.search(head.text) or not _MAPPING.match(head.text):
        return False
    n_known = len(set(_VALUES.findall(head.text)))
    return n_known >= _ENOUGH_VALUES or _VALUES_NAME.fullmatch(_file(head)) is not None


def _is_chart(head: FileHead) -> bool:
    return _is_yaml(head) and _KIND.search(head.text) is None and all(part.search(head.text) for part in _CHART)


def _is_kustomization(head: FileHead) -> bool:
    return _is_yaml(head) and (_file(head) in _KUSTOMIZATION_NAMES or _KUSTOMIZATION.search(head.text) is not None)


def _is_patch(head: FileHead) -> bool:
    return _PATCH.match(head.text) is not None


def _is_part_of_object(head: FileHead) -> bool:
    """A strategic merge patch: it has a directive, or is one workload without a selector and without images, which
    every workload has. Longer files than a head are none."""
    if not _is_yaml(head) or len(_KIND.findall(head.text)) != 1 or len(head.data) >= _LONGEST_PATCH:
        return False
    if _DIRECTIVE.search(head.text):
        return True
    is_workload = _WORKLOAD.search(head.text) is not None and _SPEC.search(head.text) is not None
    return is_workload and _WHOLE.search(head.text) is None


def _is_table(head: FileHead) -> bool:
    return _TABLE.match(head.text) is not None


def _is_simon(head: FileHead) -> bool:
    return _is_yaml(head) and _SIMON.search(head.text) is not None


def _refuse(source: ManifestSource, limits: Limits, *, message: str) -> NoReturn:
    raise LoadError(message, 1)


def _refuse_table(source: ManifestSource, limits: Limits) -> NoReturn:
    header = _TABLE.match(read_text(source, limits))
    columns = header[1] if header is not None else ""
    for column, command, lacks, resources in _TABLES:
        if column in columns:
            message = f"this is a table for people ({command}): it lacks {lacks}"
            raise LoadError(f"{message}. Get the objects: kubectl get {resources} -A -o yaml", 1)
    raise LoadError("this is a table for people (kubectl get). Get the objects: kubectl get ... -A -o yaml", 1)


def _form(name: str, recognises: Callable[[FileHead], bool], message: str) -> InputForm:
    return InputForm(name, recognises, partial(_refuse, message=message))


REFUSED: tuple[InputForm, ...] = (
    _form(
        "kustomization",
        _is_kustomization,
        "this is a kustomization, which names files of objects and changes to them. Build it: kubectl kustomize FOLDER",
    ),
    _form(
        "JSON patch",
        _is_patch,
        "this is a patch (op, path), not an object. Build what it changes: kubectl kustomize FOLDER",
    ),
    _form(
        "strategic merge patch",
        _is_part_of_object,
        "this is a part of an object, as patches of kustomize are: it has no selector and no image. Build what it "
        "changes: kubectl kustomize FOLDER",
    ),
    _form(
        "Chart.yaml of Helm",
        _is_chart,
        "this describes a Helm chart and holds no objects. Render the chart: helm template RELEASE CHART",
    ),
    _form(
        "values of Helm",
        _is_values,
        "these are values of a Helm chart, not objects. Render it with them: helm template RELEASE CHART -f FILE",
    ),
    _form(
        "configuration of open-simulator",
        _is_simon,
        "this is a configuration of open-simulator (simon), which names folders of manifests. Give those folders "
        "instead: spec.cluster.customConfig and the path of each entry of spec.appList; charts as helm template prints "
        "them",
    ),
    InputForm("table of kubectl get", _is_table, _refuse_table),
)
