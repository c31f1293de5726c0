"""The states of generating, importing and arrivals, and of the page of a draft's changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.db.models.functions import Now
from playwright.sync_api import FilePayload, Page, expect

from dashboard.clusters.background import asking
from dashboard.clusters.background.asking import JobRequest
from dashboard.clusters.importing import jobs
from dashboard.clusters.importing.actions import new_draft
from dashboard.clusters.models import BackgroundTask
from dashboard.clusters.uploads.opening import Upload, opened
from tests.gallery import source_rows as files
from tests.gallery.source_rows import SourceRows
from tests.gallery.steps import Step, button, sees

if TYPE_CHECKING:
    from tests.browser.team import Team

State = Callable[[SourceRows], Page]
WRITE = "text => window.ace.edit(document.querySelector('.gen-yaml .ace-host')).setValue(text, -1)"
FIND = "text => window.ace.edit(document.querySelector('.gen-yaml .ace-host')).find(text)"
DROP = """([name, data, kinds]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([data], name));
    for (const kind of kinds)
        document.body.dispatchEvent(new DragEvent(kind, {dataTransfer: transfer, bubbles: true, cancelable: true}));
}"""
DRAG = ["dragenter", "dragover"]


def rows(team: Team) -> SourceRows:
    """Write what the pages show."""
    return files.written(team)


def at(path: str, *steps: Step) -> State:
    """Return a function that opens a page of the workspace and takes these steps on it."""

    def show(all_rows: SourceRows) -> Page:
        page = all_rows.open(path)
        for step in steps:
            step(page)
        return page

    return show


def fills(selector: str, text: str) -> Step:
    """Return a step: to write into the first of these fields."""
    return lambda page: page.locator(selector).first.fill(text)


# ---------------------------------------------------------------- generating

READY = sees("html[data-gen-ready]")
SHOWN = sees("#gen-stage[data-gen-state=shown]")


def generated(recipe: str, *steps: Step) -> State:
    """Return a function that opens a description to begin with, and takes these steps."""
    return at(f"generate/?recipe={recipe}", READY, *steps)


def process(name: str) -> State:
    """Return a function that chooses how pods arrive."""
    return generated("web", button(name), SHOWN, sees("[aria-pressed=true]", name))


def opens_yaml(page: Page) -> None:
    """The description as YAML."""
    page.locator("#gen-yaml > summary").click()
    page.locator(".gen-yaml .ace_text-input").focus()


def writes(text: str) -> Step:
    """Return a step: to replace the YAML."""
    return lambda page: page.evaluate(WRITE, text)


def hovers(page: Page) -> None:
    """What a field means, beside the pointer."""
    page.evaluate(FIND, "shape:")
    page.keyboard.press("ArrowLeft")
    box = page.locator(".gen-yaml .ace_cursor").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 8, box["y"] + 6)
    page.mouse.move(box["x"] + 10, box["y"] + 8)
    expect(page.locator(".ace_tooltip:not(.ace_gutter-tooltip)")).to_be_visible()


def completes(page: Page) -> None:
    """The fields that may stand at the end."""
    page.keyboard.press("Control+End")
    page.keyboard.press("Control+Space")
    expect(page.locator(".ace_autocomplete")).to_be_visible()


def opens_rows(page: Page) -> None:
    """What a pool and a workload have besides; one of these fields is wrong."""
    for row in ("pools-1", "workloads-0"):
        page.locator(f"#more-{row} > summary").click()
    page.locator('[name="pools.1.reserved"]').fill("{cpu: some}")
    expect(page.locator("#bad-pools-1-reserved")).to_be_visible()


def opens_shapes(page: Page) -> None:
    """The shapes of published clusters and clouds."""
    page.locator("#gen-shapes > summary").click()
    expect(page.get_by_role("button", name="m5.large as a pool", exact=True)).to_be_visible()


def making(page: Page) -> None:
    """It is being made."""
    page.route("**/generate/make", lambda _: None)
    page.locator("[data-gen-name]").fill("synthetic-2")
    page.get_by_role("button", name="Generate").click()
    expect(page.locator("[data-gen-progress]")).to_contain_text("Making")


def unreachable(page: Page) -> None:
    """The server is gone while somebody types."""
    page.context.set_offline(True)
    page.locator('[name="pools.0.nodes"]').fill("30")
    expect(page.locator(".toast").first).to_be_visible()


def result(into: str) -> State:
    """Return a function that makes a draft of a cluster, or a new cluster of this name."""

    def show(all_rows: SourceRows) -> Page:
        page = generated("web", fills('[name="workloads.0.pods"]', "8"), SHOWN)(all_rows)
        if into:
            page.locator("[data-gen-into]").select_option(into)
        else:
            page.locator("[data-gen-name]").fill("made of a description")
        page.get_by_role("button", name="Generate").click()
        page.wait_for_url("**/drafts/*/" if into else "**/clusters/made-of-a-description/")
        expect(page.locator(".toast").first).to_be_visible()
        return page

    return show


BENCHMARK = b"""\
- name: Basic
  workloadTemplate: [{opcode: createNodes, countParam: $nodes}, {opcode: createPods, count: 2}]
  workloads: [{name: small, params: {nodes: 3}}, {name: large, params: {nodes: 9}}]
"""


def cases_of(data: bytes, seen: str) -> State:
    """Return a function that chooses a file of test cases."""

    def show(all_rows: SourceRows) -> Page:
        page = all_rows.open("generate/scheduler-perf/")
        file: FilePayload = {"name": "performance-config.yaml", "mimeType": "text/yaml", "buffer": data}
        page.get_by_label("Files").set_input_files(file)
        expect(page.locator("#cases")).to_contain_text(seen)
        return page

    return show


# ---------------------------------------------------------------- importing


def chosen(*uploads: tuple[str, bytes]) -> Step:
    """Return a step: to choose these files."""
    sent: list[FilePayload] = [
        {"name": name, "mimeType": "application/octet-stream", "buffer": data} for name, data in uploads
    ]
    return lambda page: page.locator("input[type=file]:not([webkitdirectory])").first.set_input_files(sent)


def refused(name: str, data: bytes) -> State:
    """Return a function that sends an archive that is refused."""
    return at("import/", chosen((name, data)), button("Preview"), sees(".toast, .note.m-error"))


def left_to_worker(seen: str, **fields: Any) -> State:
    """Return a function that opens the page of a task in this state."""

    def show(all_rows: SourceRows) -> Page:
        asked = JobRequest(jobs.READ, "Read dump-of-the-production-cluster-eu-west-1.json.gz")
        BackgroundTask.objects.all().delete()
        task = asking.new_task(all_rows.member, asked, "/w/team/import/")
        BackgroundTask.objects.filter(pk=task.pk).update(asked_at=Now(), **fields)
        page = all_rows.open(f"tasks/{task.pk}/")
        expect(page.locator("#task")).to_contain_text(seen)
        return page

    return show


def preview(*uploads: tuple[str, bytes], into: bool = False, more: str = "") -> State:
    """Return a function that opens the preview of these files."""

    def show(all_rows: SourceRows) -> Page:
        cluster = all_rows.cluster if into else None
        draft = new_draft(all_rows.member, opened([Upload(name, data) for name, data in uploads]), cluster)
        return all_rows.open(f"import/{draft.pk}/{more}")

    return show


def changed_nodes(all_rows: SourceRows) -> bytes:
    """Return the cluster's first ten nodes, two of them changed, and one more."""
    nodes = [one for one in all_rows.objects if one["kind"] == "Node"][:10]
    nodes[:2] = [{**one, "spec": {**one.get("spec", {}), "unschedulable": True}} for one in nodes[:2]]
    more = {**nodes[3], "metadata": {**nodes[3]["metadata"], "name": "node-from-a-file"}}
    return files.yaml_of([*nodes, more])


def imported(name: str, press: str) -> State:
    """Return a function that imports changed nodes into the cluster: as a draft or as a revision."""

    def show(all_rows: SourceRows) -> Page:
        page = preview((name, changed_nodes(all_rows)), into=True)(all_rows)
        page.get_by_role("button", name=press).click()
        page.wait_for_url("**/clusters/prod/**")
        return page

    return show


def merged_map(all_rows: SourceRows) -> Page:
    """The map of the draft that an import was merged into."""
    page = imported("nodes.yaml", "Merge in a draft")(all_rows)
    number = page.url.partition("/drafts/")[2].partition("/")[0]
    return all_rows.open(f"clusters/prod/?draft={number}")


def replaced(all_rows: SourceRows) -> Page:
    """What a revision that replaces all objects changes."""
    imported("nodes.yaml", "Import 11 objects")(all_rows)
    newest = all_rows.cluster.revisions.order_by("-number")[0].number
    return all_rows.open(f"clusters/prod/diff/?from={newest - 1}&to={newest}")


def dragged(page: Page) -> None:
    """A file is dragged over the page."""
    expect(page.locator("html")).to_have_attribute("data-drop-ready", "")
    page.evaluate(DROP, ["dump.zip", "x", DRAG])
    expect(page.locator("[data-drop-sign]")).to_be_visible()


def dropped(page: Page) -> None:
    """Two files are dropped beside the form."""
    expect(page.locator("html")).to_have_attribute("data-drop-ready", "")
    for name in ("nodes-of-the-production-cluster-eu-west-1.yaml", "pods.json.gz"):
        page.evaluate(DROP, [name, "a: 1", [*DRAG, "drop"]])
    expect(page.locator(".drop .names")).to_contain_text("pods.json.gz")


def more_menu(page: Page) -> None:
    """The menu with the exports."""
    page.locator("summary[aria-label=More]").first.click()
    expect(page.get_by_role("menuitem", name="Export as YAML")).to_be_visible()


SMALL = [("shop/nodes.yaml", files.BROKEN.encode())]

# ---------------------------------------------------------------- arrivals


def strip_of(name: str, *steps: Step, query: str = "") -> State:
    """Return a function that opens the page of a timeline."""

    def show(all_rows: SourceRows) -> Page:
        timeline = all_rows.empty if name == "empty" else all_rows.arrivals
        page = all_rows.open(f"timelines/{timeline.slug}/{query}")
        page.wait_for_selector(".ace_editor")
        for step in steps:
            step(page)
        return page

    return show


def observed(all_rows: SourceRows) -> Page:
    """What arrived in a run."""
    return all_rows.open(f"runs/observed/?run={all_rows.run.number}")


def observed_saved(all_rows: SourceRows) -> Page:
    """The same as a timeline of its own."""
    page = observed(all_rows)
    page.locator("input[name=name]").fill("as observed")
    page.locator("main .btn-primary").last.click()
    page.wait_for_selector(".ace_editor")
    return page


def shift_refused(page: Page) -> None:
    """A shift to before the beginning."""
    page.get_by_label("Shift by").fill("-40m")
    page.get_by_role("button", name="Shift").click()
    expect(page.get_by_text("would come before 0s")).to_be_visible()


def wrong_text(page: Page) -> None:
    """A time that is none."""
    page.evaluate(
        "window.schedscopeEditor.setValue(window.schedscopeEditor.getValue().replace(/at: .*/, 'at: soon'), -1)"
    )
    expect(page.locator("#findings, .findings, .lint, .note.m-error").first).to_contain_text("soon")


CHOSEN = "?from=4m&before=11m"

# ---------------------------------------------------------------- the page of a draft


def draft(name: str, more: str = "", *steps: Step) -> State:
    """Return a function that opens the page of a draft."""

    def show(all_rows: SourceRows) -> Page:
        page = all_rows.open(all_rows.of(getattr(all_rows, name), more))
        for step in steps:
            step(page)
        return page

    return show


COMPLAINTS = dict.fromkeys(
    (
        "draft-conflict",
        "generator-unreachable",
        "import-nothing",
        "import-traversal",
        "import-link",
        "import-link-tar",
        "arrivals-shift-refused",
    ),
    ("Failed to load resource", "Response Status Error Code"),
)
STATES: dict[str, State] = {
    "draft-changes": draft("draft"),
    "draft-unchanged": draft("untouched"),
    "draft-behind": draft("behind"),
    "draft-conflict": draft("behind", "", button("Save as r"), sees("main", "Keep mine")),
    "draft-saved": draft("draft", "", button("Save as r"), sees(".toast")),
    "generator-web": generated("web"),
    "generator-gpu": generated("gpu"),
    "generator-perf": generated("perf"),
    "generator-at-once": process("At once"),
    "generator-poisson": process("Poisson"),
    "generator-daily": process("Day and night"),
    "generator-list": process("List of times"),
    "generator-warning": generated("perf", fills('[name="pools.0.nodes"]', "30"), sees(".gen-warning")),
    "generator-form-error": generated("web", fills('[name="pools.0.zones"]', "lots"), sees(".gen-findings")),
    "generator-rows": generated("web", opens_rows),
    "generator-shapes": generated("web", opens_shapes),
    "generator-yaml": generated("web", opens_yaml),
    "generator-yaml-error": generated(
        "web", opens_yaml, writes("pools:\n- {name: a, nodes: many, shap: m5.large}\n"), sees(".gen-findings")
    ),
    "generator-no-yaml": generated("web", opens_yaml, writes("pools: ["), sees(".gen-findings")),
    "generator-empty": generated("web", opens_yaml, writes(""), SHOWN),
    "generator-hover": generated("web", opens_yaml, hovers),
    "generator-completion": generated("web", opens_yaml, completes),
    "generator-making": generated("web", making),
    "generator-unreachable": generated("web", unreachable),
    "generator-draft": result("prod"),
    "generator-cluster": result(""),
    "test-cases": at("generate/scheduler-perf/"),
    "test-cases-chosen": cases_of(BENCHMARK, "large"),
    "test-cases-error": cases_of(BENCHMARK.replace(b"count: 2", b"count: x"), "Line 2"),
    "import": at("import/"),
    "import-into": at("import/?cluster=prod"),
    "import-dropped": at("import/", dropped),
    "import-nothing": at("import/", button("Preview"), sees("#import", "Choose files above")),
    "import-traversal": refused("evil.zip", files.zip_of({"ok.yaml": b"a: 1", "../n.yaml": b"a: 1"})),
    "import-waits": left_to_worker("Waits for a worker"),
    "import-is-read": left_to_worker("42 % done", claimed_at=Now(), began_at=Now(), starts=1, share=0.42),
    "import-failed": left_to_worker(
        "250 times",
        ended_at=Now(),
        error_title="This archive is not taken in",
        error="bomb.zip: nodes.yaml: it inflates to more than 250 times its size.",
    ),
    "import-link": refused("link.zip", files.zip_with_link()),
    "import-link-tar": refused("link.tar.gz", files.tar_with_link()),
    "import-overlay": at("clusters/prod/nodes/", dragged),
    "import-errors": preview(*SMALL),
    "import-error-file": preview(*SMALL, more="files/0/?line=5"),
    "import-unread": preview(("broken.yaml", b"kind: [\n"), ("pods.yaml", b"a: 1\n")),
    "import-trace": preview(
        ("openb_node_list.csv", files.TRACE_NODES.encode()), ("openb_pod_list.csv", files.TRACE_PODS.encode())
    ),
    "import-simulator": lambda all_rows: preview(("export.json", files.simulator_export(all_rows.objects)))(all_rows),
    "import-into-preview": lambda all_rows: preview(("nodes.yaml", changed_nodes(all_rows)), into=True)(all_rows),
    "import-merged": imported("nodes.yaml", "Merge in a draft"),
    "import-merged-map": merged_map,
    "import-replacing": imported("nodes.yaml", "Replace in a draft"),
    "import-replaced": replaced,
    "export-menu": at("clusters/prod/", more_menu),
    "arrivals": strip_of("arrivals"),
    "arrivals-chosen": strip_of("arrivals", query=CHOSEN),
    "arrivals-shift": strip_of("arrivals", fills("[name=by]", "3m"), sees(".arr-ghost"), query=CHOSEN),
    "arrivals-shift-refused": strip_of("arrivals", shift_refused, query=CHOSEN),
    "arrivals-repeat": strip_of("arrivals", button("Repeat…"), sees("#repeat-arrivals"), query=CHOSEN),
    "arrivals-add": strip_of("arrivals", button("Add…"), sees("#add-arrival")),
    "arrivals-removed": strip_of("arrivals", button("Remove"), sees(".toast"), query=CHOSEN),
    "arrivals-no-match": strip_of("arrivals", query="?q=nothing-like-it"),
    "arrivals-text-error": strip_of("arrivals", wrong_text),
    "arrivals-empty": strip_of("empty"),
    "arrivals-new": at("timelines/new/"),
    "arrivals-list": at("timelines/"),
    "observed-choose": at("runs/observed/"),
    "observed": observed,
    "observed-saved": observed_saved,
}
