"""The states of the editor of drafts, of generating and of importing: selections, dialogs, texts with errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page, expect

from dashboard.accounts.models import Member, Role, User
from dashboard.clusters.by_hand.actions import act
from dashboard.clusters.by_hand.changes import HandValues
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.models import Cluster, Draft
from dashboard.clusters.revisions.actions import NewCluster, create_cluster
from dashboard.clusters.revisions.object_keys import Key
from tests.bench.cluster_page import manifests
from tests.browser.team import Team

NODES, PODS = 60, 400
LARGE_NODES, LARGE_PODS = 5_000, 50_000
READY = "html[data-map=ready][data-hand-ready]"
LABELS = {"app": "web", "tier": "front"}
TEMPLATE = {
    "metadata": {"labels": LABELS},
    "spec": {
        "containers": [{"name": "main", "image": "web:1", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}],
        "tolerations": [{"key": "gpu", "operator": "Exists"}],
        "nodeSelector": {"pool": "general"},
    },
}
DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "storefront-checkout-with-a-long-name-of-its-own", "namespace": "shop"},
    "spec": {"replicas": 6, "selector": {"matchLabels": LABELS}, "template": TEMPLATE},
}
HIGH = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1_000}
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"minAvailable": 6, "selector": {"matchLabels": LABELS}},
}


@dataclass(frozen=True)
class EditorRows:
    """What the pages show: a draft with changes of two people, and one of a large cluster."""

    team: Team
    mara: User
    draft: Draft
    large: Draft

    def here(self, draft: Draft, query: str) -> str:
        """Return the address of a draft's editor."""
        return f"/w/{self.team.workspace.slug}/clusters/{draft.cluster.slug}/drafts/{draft.pk}/edit/{query}"

    def at(self, query: str = "", draft: Draft | None = None) -> Page:
        """Return the editor at an address, once map and bar can be used."""
        page = self.team.open(self.mara, self.here(draft or self.draft, query))
        page.wait_for_selector(READY, state="attached")
        return page

    def of(self, path: str) -> Page:
        """Return another page of the workspace."""
        return self.team.open(self.mara, f"/w/{self.team.workspace.slug}/{path}")


def rows(team: Team) -> EditorRows:
    """Write what the pages show."""
    mara, jonas = team.join("Mara Lindqvist", Role.EDITOR), team.join("Jonas Okafor", Role.EDITOR)
    first, second = (Member.objects.select_related("workspace", "user").get(user=one) for one in (mara, jonas))
    objects = [*manifests(NODES, PODS), DEPLOYMENT, HIGH, BUDGET]
    cluster = create_cluster(first, NewCluster("prod"), objects)
    draft = new_draft(first, cluster, "Room for the evening")
    draft.invited.add(jonas)
    _change(first, draft)
    act(second, draft, "label", [Key("Node", "", "node-b-0001")], HandValues(key="team", value="ml"))
    large = create_cluster(first, NewCluster("large"), manifests(LARGE_NODES, LARGE_PODS))
    return EditorRows(team, mara, draft, new_draft(first, large, "All of it"))


def _change(member: Member, draft: Draft) -> None:
    nodes = [Key("Node", "", f"node-a-{i:04d}") for i in (0, 3, 6)]
    act(member, draft, "taint", nodes, HandValues(key="maintenance"))
    act(member, draft, "cordon", nodes[:1], HandValues())
    act(member, draft, "delete", [Key("Pod", "shop", "web-0-00000")], HandValues())


def opened(query: str = "", *keys: str, wait: str = "", is_large: bool = False) -> Callable[[EditorRows], Page]:
    """Return a function that opens the editor at an address and presses keys; `wait` is a selector of what then is."""

    def show(all_rows: EditorRows) -> Page:
        page = all_rows.at(query, all_rows.large if is_large else None)
        for key in keys:
            page.keyboard.press(key)
        if wait:
            expect(page.locator(wait).first).to_be_visible()
        return page

    return show


def filtered(text: str) -> Callable[[EditorRows], Page]:
    """Return a function that filters the tree."""

    def show(all_rows: EditorRows) -> Page:
        page = all_rows.at()
        page.keyboard.press("/")
        page.keyboard.type(text)
        page.wait_for_load_state("networkidle")
        return page

    return show


def all_selected(key: str = "", wait: str = "") -> Callable[[EditorRows], Page]:
    """Return a function that selects all nodes by a filter, and presses a key."""

    def show(all_rows: EditorRows) -> Page:
        page = all_rows.at("?q=%3Anode")
        page.get_by_role("button", name="Select all").click()
        expect(page.locator("[data-hand-count]")).to_contain_text("selected")
        if key:
            page.keyboard.press(key)
        if wait:
            expect(page.locator(wait).first).to_be_visible()
        return page

    return show


def yaml_with_an_error(all_rows: EditorRows) -> Page:
    """A node's text that is no YAML any more."""
    page = all_rows.at("?q=%3Anode&node=node-b-0001")
    page.locator("#form-text").fill("kind: [")
    page.locator("#form-text").blur()
    expect(page.locator("#object-form")).to_contain_text("this is no YAML")
    return page


def rare_actions(all_rows: EditorRows) -> Page:
    """The menu of what is done seldom."""
    page = all_rows.at("?q=%3Anode&node=node-b-0001")
    page.locator("[data-hand-more] summary").click()
    expect(page.get_by_role("menuitem", name="Uncordon")).to_be_visible()
    return page


def generated(*presses: str) -> Callable[[EditorRows], Page]:
    """Return a function that opens a description as form and YAML, with the field list where keys ask for it."""

    def show(all_rows: EditorRows) -> Page:
        page = all_rows.of("generate/?recipe=web")
        page.wait_for_selector("html[data-gen-ready]", state="attached")
        if presses:
            page.locator("#gen-yaml > summary").click()
            page.locator(".gen-yaml .ace_text-input").focus()
            for key in presses:
                page.keyboard.press(key)
            expect(page.locator(".ace_autocomplete")).to_be_visible()
        return page

    return show


def cluster_of(all_rows: EditorRows) -> Cluster:
    """Return the cluster of the draft."""
    return all_rows.draft.cluster


STATES: dict[str, Callable[[EditorRows], Page]] = {
    "nothing-selected": opened(),
    "node": opened("?q=%3Anode&node=node-b-0001"),
    "node-form": opened("?q=%3Anode&node=node-b-0001&show=form"),
    "pod": opened("?q=%3Apod&pod=ml/web-1-00001"),
    "pod-waits": opened("?q=%3Apod&pod=ml/web-25-00025"),
    "deployment": opened("?kind=Deployment&ns=shop&name=storefront-checkout-with-a-long-name-of-its-own"),
    "priority-class": opened("?kind=PriorityClass&name=high"),
    "budget": opened("?kind=PodDisruptionBudget&ns=shop&name=web"),
    "new-object": opened("", "n", wait="[role=menuitem]:visible"),
    "all-nodes": all_selected(),
    "taint": opened("?q=%3Anode&node=node-b-0001", "t", wait="#hand-taint"),
    "label": opened("?q=%3Anode&node=node-b-0001", "l", wait="#hand-label"),
    "resize": opened("?q=%3Anode&node=node-b-0001", "r", wait="#hand-resize"),
    "zone": opened("?q=%3Anode&node=node-b-0001", "z", wait="#hand-zone"),
    "duplicate": opened("?q=%3Anode&node=node-b-0001", "d", wait="#hand-duplicate"),
    "label-all": all_selected("l", "#hand-label"),
    "rare-actions": rare_actions,
    "yaml-error": yaml_with_an_error,
    "filter-text": filtered("/0001"),
    "filter-not": filtered(":node /!a-"),
    "filter-labels": filtered(":node -l pool=gpu"),
    "filter-finds-nothing": filtered("/nothing-like-it"),
    "large": opened("", is_large=True),
    "large-pods": opened("?q=%3Apod", is_large=True),
    "changes": lambda all_rows: all_rows.of(f"clusters/{cluster_of(all_rows).slug}/drafts/{all_rows.draft.pk}/"),
    "generator": generated(),
    "generator-completion": generated("Control+End", "Control+Space"),
    "import": lambda all_rows: all_rows.of("import/"),
}
