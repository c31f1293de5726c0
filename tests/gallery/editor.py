"""The states of the editor of drafts: selections, dialogs, texts with errors."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.gallery import editor_rows
from tests.gallery import editor_states as more
from tests.gallery.editor_rows import EditorRows
from tests.gallery.steps import CUT_OFF, REFUSED, click, presses, sees, then, types

State = Callable[[EditorRows], Page]
NODE, DEPLOYMENT = more.NODE, more.DEPLOYMENT
rows = editor_rows.rows


def opened(query: str = "", *keys: str, wait: str = "", is_large: bool = False) -> State:
    """Return a function that opens the editor at an address and presses keys; `wait` is a selector of what then is."""

    def show(all_rows: EditorRows) -> Page:
        page = all_rows.at(query, all_rows.large if is_large else None)
        for key in keys:
            page.keyboard.press(key)
        if wait:
            expect(page.locator(wait).first).to_be_visible()
        return page

    return show


def filtered(text: str, count: str) -> State:
    """Return a function that filters the tree; `count` is what it then says."""

    def show(all_rows: EditorRows) -> Page:
        page = all_rows.at()
        page.keyboard.press("/")
        page.keyboard.type(text)
        expect(page.locator("#wb-tree")).to_contain_text(count)
        return page

    return show


def all_selected(key: str = "", wait: str = "") -> State:
    """Return a function that selects all nodes by a filter, and presses a key."""

    def show(all_rows: EditorRows) -> Page:
        page = all_rows.at("?q=%3Anode")
        page.get_by_role("button", name="Select all").click()
        expect(page.locator("[data-hand-count]")).to_be_visible()
        if key:
            page.keyboard.press(key)
        if wait:
            expect(page.locator(wait).first).to_be_visible()
        return page

    return show


def yaml_with_an_error(all_rows: EditorRows) -> Page:
    """A node's text that is no YAML any more."""
    page = all_rows.at(NODE)
    page.locator("#form-text").fill("kind: [")
    page.locator("#form-text").blur()
    expect(page.locator("#object-form")).to_contain_text("this is no YAML")
    return page


def rare_actions(all_rows: EditorRows) -> Page:
    """The menu of what is done seldom."""
    page = all_rows.at(NODE)
    page.locator("[data-hand-more] summary").click()
    expect(page.get_by_role("menuitem", name="Uncordon")).to_be_visible()
    return page


def of(kind: str, name: str, namespace: str = "shop", show: str = "form") -> State:
    """Return a function that opens the form of an object."""
    place = f"&ns={namespace}" if namespace else ""
    return opened(f"?kind={kind}{place}&name={name}&show={show}")


def scrolled_to(label: str, state: State) -> State:
    """Return the state with this part of the form at the top."""
    part = f"#object-form [role=group][aria-label='{label}']"
    return then(state, lambda page: page.locator(part).first.evaluate("part => part.scrollIntoView()"))


COMPLAINTS = {"cut-off": CUT_OFF, "resize-refused": REFUSED}
STATES: dict[str, State] = {
    "nothing-selected": opened(),
    "node": opened(NODE),
    "node-form": opened(f"{NODE}&show=form"),
    "node-yaml": then(opened(f"{NODE}&show=yaml"), sees(".ace_editor")),
    "node-new": opened("?q=%3Anode+%2Fnew&node=new-01"),
    "pod": opened("?q=%3Apod&pod=ml/web-1-00001"),
    "pod-waits": opened("?q=%3Apod&pod=ml/web-25-00025"),
    "deployment": opened(DEPLOYMENT),
    "deployment-form": opened(f"{DEPLOYMENT}&show=form"),
    "builders": of("Deployment", "train"),
    "builders-affinity": scrolled_to("Node affinity", of("Deployment", "train")),
    "builders-spread": scrolled_to("Spread", of("Deployment", "train")),
    "builders-matches": then(of("Deployment", "train"), click("#object-form .of-note summary")),
    "stateful-set": of("StatefulSet", "db"),
    "daemon-set": of("DaemonSet", "agent"),
    "job": of("Job", "train-once", show="both"),
    "replica-set": of("ReplicaSet", "web-old"),
    "service": of("Service", "web", show="both"),
    "volume": of("PersistentVolume", "disk-1", ""),
    "claim": of("PersistentVolumeClaim", "data", show="both"),
    "storage-class": of("StorageClass", "disks", "", "both"),
    "pod-group": of("PodGroup", "gang", show="both"),
    "priority-class": of("PriorityClass", "high", "", "both"),
    "budget": of("PodDisruptionBudget", "web", show="both"),
    "new-object": opened("", "n", wait="[role=menuitem]:visible"),
    "new-deployment": opened("?new=Deployment"),
    "gone": opened("?node=node-of-yesterday"),
    "empty": lambda all_rows: all_rows.at("", all_rows.empty),
    "all-nodes": all_selected(),
    "range": more.range_selected,
    "several-kinds": then(filtered("/0001", "found"), click("[data-pick-found]"), sees("[data-hand-count]")),
    "frame": more.framed,
    "frame-selected": more.frame_selected,
    "taint": opened(NODE, "t", wait="#hand-taint"),
    "label": opened(NODE, "l", wait="#hand-label"),
    "resize": opened(NODE, "r", wait="#hand-resize"),
    "resize-refused": then(
        opened(NODE, "r", wait="#hand-resize"),
        types("#hand-cpu", "lots"),
        presses("Enter"),
        sees("#hand-resize [data-hand-problem]"),
    ),
    "zone": opened(NODE, "z", wait="#hand-zone"),
    "duplicate": opened(NODE, "d", wait="#hand-duplicate"),
    "scale": opened(DEPLOYMENT, "s", wait="#hand-scale"),
    "bind": opened("?q=%3Apod&pod=ml/web-25-00025", "m", wait="#hand-places li"),
    "bind-by-name": then(
        opened("?q=%3Apod&pod=ml/web-25-00025", "m", wait="#hand-places li"),
        types("#hand-word", "new"),
        sees("#hand-places li:first-child .wrap-any"),
    ),
    "bind-refused": more.refused,
    "drain": more.drained,
    "drain-all": all_selected("Shift+D", "#hand-drained li"),
    "deleted": more.deleted,
    "label-all": all_selected("l", "#hand-label"),
    "long-change": more.long_change(
        "l", "#hand-label .hand-busy", types("#hand-label [name=label_key]", "team"), presses("Enter")
    ),
    "long-change-in-bar": more.long_change("c", "#hand > .hand-busy"),
    "long-undo": more.long_undo,
    "rare-actions": rare_actions,
    "yaml-error": yaml_with_an_error,
    "yaml-slips": more.wrote(more.SLIPS + "|", sees("[data-finding]", "efect")),
    "yaml-fix": more.wrote(
        more.SLIPS.replace("Exist\n", "Exist|\n"), sees("[data-finding]", "Exist"), presses("Alt+Enter")
    ),
    "yaml-completion": more.wrote(
        more.SLIPS.partition("  prioty")[0] + "  topo|", presses("Control+Space"), sees(".ace_autocomplete")
    ),
    "yaml-hover": more.wrote(
        more.SLIPS + "|", sees("[data-finding]", "efect"), more.hovers("tolerations"), sees(".ace_tooltip .yaml-tip")
    ),
    "cut-off": more.cut_off,
    "two-people": more.two_people,
    "filter-text": filtered("/0001", "found"),
    "filter-not": filtered(":node /!a-", "found"),
    "filter-labels": filtered(":node -l pool=gpu", "found"),
    "filter-finds-nothing": filtered("/nothing-like-it", "No object matches"),
    "filter-wrong": filtered(":nod", "is no kind"),
    "large": opened("", is_large=True),
    "large-pods": opened("?q=%3Apod", is_large=True),
}
