"""States of the editor that take several steps: selections, drops, drains, long changes, texts with findings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import Page, Route, expect

from tests.browser.yaml_text import put
from tests.gallery.editor_rows import DRAINED, LONG, EditorRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.gallery.steps import Step

NODE = "?q=%3Anode&node=node-b-0001"
DEPLOYMENT = f"?kind=Deployment&ns=shop&name={LONG}"
WAITS = "ml/web-25-00025"
CPU = '["spec","template","spec","containers",0,"resources","requests","cpu"]'
SLIPS = """\
apiVersion: v1
kind: Pod
metadata:
  name: web-25-00025
  namespace: ml
spec:
  containers:
  - name: main
    image: web:1
    resources: {requests: {cpu: 500 m, memory: 1Gi}}
  tolerations:
  - key: gpu
    operator: Exist
    efect: NoSchedule
  prioty: 5
"""


def range_selected(all_rows: EditorRows) -> Page:
    """Seven nodes by Shift, and one of them taken out by Ctrl."""
    page = all_rows.at("?q=%3Anode")
    links = page.locator("#wb-tree .wb-leaf > a")
    links.nth(2).click()
    links.nth(9).click(modifiers=["Shift"])
    links.nth(5).click(modifiers=["Control"])
    expect(page.locator("[data-hand-count]")).to_have_text("7 selected")
    return page


def _over(page: Page, node: str) -> tuple[float, float]:
    """Return where a node is on the map."""
    box = page.locator("#cluster-map").bounding_box()
    assert box is not None
    for y in range(24, int(box["height"]), 14):
        for x in range(12, int(box["width"]), 14):
            page.mouse.move(box["x"] + x, box["y"] + y)
            tip = page.locator(".cmap-tip")
            if tip.is_visible() and node in tip.inner_text():
                return box["x"] + x, box["y"] + y
    raise AssertionError(f"{node} is nowhere on the map")


def framed(all_rows: EditorRows) -> Page:
    """A frame that is being drawn round nodes of the map."""
    page = all_rows.at()
    box = page.locator("#cluster-map").bounding_box()
    assert box is not None
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.5, steps=4)
    return page


def frame_selected(all_rows: EditorRows) -> Page:
    """The nodes inside of a frame."""
    page = framed(all_rows)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(page.locator("[data-hand-count]")).to_be_visible()
    return page


def refused(all_rows: EditorRows) -> Page:
    """A pod was dropped on a node that it does not fit."""
    page = all_rows.at(f"?q=%3Anode+%2Fa-000&pod={WAITS}")
    page.locator(f"[data-pending] [data-map-pod='{WAITS}'], #wb-tree [data-map-pod='{WAITS}']").first.wait_for()
    page.drag_and_drop(f"[data-pending] [data-map-pod='{WAITS}']", "#wb-tree [data-map-node='node-a-0000']")
    expect(page.locator("#hand-bind")).to_contain_text("does not fit")
    return page


def drained(all_rows: EditorRows) -> Page:
    """What draining a node means: one pod stays, one finds no other node."""
    page = all_rows.at(f"?q=%3Anode&node={DRAINED}")
    page.keyboard.press("Shift+D")
    expect(page.locator("#hand-drained")).to_contain_text("would find no node")
    return page


def deleted(all_rows: EditorRows) -> Page:
    """An object was deleted, which the toast offers to undo."""
    page = all_rows.at("?q=%3Apod&pod=shop/web-3-00003")
    page.keyboard.press("Delete")
    expect(page.locator(".toast")).to_contain_text("Delete")
    expect(page.locator("#map-selected")).to_contain_text("Not in this draft")
    return page


def long_change(key: str, wait: str, *steps: Step) -> Callable[[EditorRows], Page]:
    """Return a function that begins a change of all nodes; it ends with the window."""

    def show(all_rows: EditorRows) -> Page:
        page = all_rows.at("?q=%3Anode")
        page.get_by_role("button", name="Select all").click()
        expect(page.locator("[data-hand-count]")).to_be_visible()
        _hold(page, "/act$")
        page.keyboard.press(key)
        for step in steps:
            step(page)
        expect(page.locator(wait)).to_contain_text("1,204 of 5,000 written")
        return page

    return show


def long_undo(all_rows: EditorRows) -> Page:
    """An undo of a large change, from the bar of the draft; it ends with the window."""
    page = all_rows.at("?q=%3Anode")
    _hold(page, "/undo$")
    page.keyboard.press("Control+z")
    expect(page.locator("#hand > .hand-busy")).to_contain_text("1,204 of 5,000 written")
    return page


def _hold(page: Page, path: str) -> None:
    """Leave requests to this path without an answer, and say how far their change is."""
    share = {"stage": "written", "done": 1_204, "total": 5_000}
    page.route(re.compile("[?&]progress="), lambda route: route.fulfill(json=share))
    page.route(re.compile(path), _unanswered)


def _unanswered(route: Route) -> None:
    """The answer to this request is still to come."""


def cut_off(all_rows: EditorRows) -> Page:
    """A field was changed while the server cannot be reached."""
    page = all_rows.at(DEPLOYMENT)
    page.context.set_offline(True)
    page.locator(f"[id='f-{CPU}']").fill("4")
    page.keyboard.press("Enter")
    expect(page.locator("#object-form .of-head [role=status]")).to_contain_text("kept here")
    return page


def two_people(all_rows: EditorRows) -> Page:
    """Somebody else is in the draft, and has another node selected."""
    all_rows.at("?q=%3Anode&node=node-c-0002", user=all_rows.jonas)
    page = all_rows.at(NODE)
    expect(page.locator("[data-draft-people] .avatar").first).to_be_visible()
    return page


def wrote(text: str, *steps: Step) -> Callable[[EditorRows], Page]:
    """Return a function that puts a text into the YAML editor of a pod; | is where the cursor stands."""

    def show(all_rows: EditorRows) -> Page:
        page = all_rows.at(f"?q=%3Apod&pod={WAITS}&show=yaml")
        page.wait_for_selector(".ace_editor")
        put(page, text)
        for step in steps:
            step(page)
        return page

    return show


def hovers(text: str) -> Step:
    """Return a step: to move the pointer over the line of the YAML editor with this text."""

    def hover(page: Page) -> None:
        page.locator(".ace_line", has_text=text).first.hover(position={"x": 40, "y": 8}, force=True)

    return hover
