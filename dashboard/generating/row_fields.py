"""The fields of pools and workloads that the form shows as rows, pairs and single inputs, as forms of objects do."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from dashboard.clusters.forms.kinds import taints
from dashboard.clusters.forms.model import FormSection, KindForm, make_form, shown
from dashboard.clusters.forms.pod_fields import SPREAD, TOLERATIONS, ZONE
from dashboard.generating.sizes import size_fields
from scheduler_core.workloads.generator.description_guide import DESCRIPTION, description_guide

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.forms.model import FormField

_POOL = (
    shown("labels", "Labels"),
    shown("reserved", "Reserved"),
    shown("unschedulable", "Cordoned"),
    taints("taints"),
    shown("resources", "Resources"),
)
# Without a selector a constraint counts the workload's own pods.
_SPREAD = replace(
    SPREAD,
    fields=tuple(replace(one, is_rare=one.is_rare or one.path[0] == "labelSelector") for one in SPREAD.fields),
    new={"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"},
)
_WORKLOAD = (
    shown("nodeSelector", "Node selector"),
    shown("labels", "Labels"),
    shown("apartBy", "Apart by", default="a node label"),
    shown("replicas", "By Deployments of", default="no owner"),
    shown("namespace", "Namespace"),
    TOLERATIONS,
    _SPREAD,
    shown(
        "variants",
        "Node selectors of a part of the pods",
        shown("percent", "Percent of the pods"),
        shown("nodeSelector", "Node selector"),
        new={"percent": 50, "nodeSelector": {}},
        noun="part",
    ),
)


@cache
def _form() -> KindForm:
    pools, workloads = shown("pools", "Node pools", *_POOL), shown("workloads", "Workloads", *_WORKLOAD)
    return make_form(DESCRIPTION, FormSection("", (pools, workloads)), guide=description_guide())


def pool_fields() -> dict[str, FormField]:
    """Return the fields of a pool by their names."""
    return {one.path[0]: one for one in _form().fields[0].fields}


def workload_fields() -> dict[str, FormField]:
    """Return the fields of a workload by their names, without its sizes."""
    return {one.path[0]: one for one in _form().fields[1].fields}


def form_of(raw: Mapping[str, Any]) -> KindForm:
    """Return the form of a description, by which edits find their fields: with the sizes of its workloads."""
    pools, workloads = _form().fields
    rows = raw.get("workloads")
    fields = (*workloads.fields, *size_fields(rows if isinstance(rows, list) else ()))
    return KindForm(DESCRIPTION, (FormSection("", (pools, replace(workloads, fields=fields))),))
