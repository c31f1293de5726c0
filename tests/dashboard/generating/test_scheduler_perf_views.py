"""The page of test cases: files are read, a workload chosen, its cluster and timeline made."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from dashboard.clusters.models import Cluster, Draft
from dashboard.documents.models import Timeline
from tests.dashboard.helpers import assert_strict_csp

URL = "/w/team/generate/scheduler-perf/"
MAKE = f"{URL}make"
CONFIG = """\
- name: Basic
  schedulerConfigPath: config.yaml
  workloadTemplate:
  - {opcode: createNodes, countParam: $nodes}
  - {opcode: createPods, count: 2, podTemplatePath: ../templates/pod.yaml}
  - {opcode: createPods, count: 1, podTemplatePath: ../templates/pod.yaml}
  workloads:
  - {name: small, params: {nodes: 3}}
- name: Devices
  workloadTemplate: [{opcode: createResourceDriver, driverName: d}]
  workloads: [{name: only}]
"""
TEMPLATE = "{kind: Pod, metadata: {generateName: p-}, spec: {containers: [{name: c, image: i}]}}"
NAMES = ("misc/performance-config.yaml", "templates/pod.yaml")


def archive(texts: dict[str, str]) -> SimpleUploadedFile:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as entries:
        for name, text in texts.items():
            entries.writestr(name, text)
    return SimpleUploadedFile("perf.zip", packed.getvalue())


def whole() -> SimpleUploadedFile:
    return archive(dict(zip(NAMES, (CONFIG, TEMPLATE), strict=True)))


def choice(configuration: str, case: str = "Basic", workload: str = "small") -> str:
    return json.dumps([configuration, case, workload])


IN_ARCHIVE = choice("perf.zip/misc/performance-config.yaml")


def test_test_cases_of_an_archive_are_shown(editor):
    assert_strict_csp(editor.get(URL).content)
    page = editor.post(URL, {"files": whole()}).content.decode()
    assert_strict_csp(page)
    assert "perf.zip/misc/performance-config.yaml" in page
    assert "nodes 3" in page
    assert "Cannot be made: createResourceDriver: " in page
    part = editor.post(URL, {"files": whole()}, headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div class="perf-cases"')
    assert "Basic" in part


def test_a_workload_becomes_a_cluster_and_a_timeline(editor):
    answer = editor.post(MAKE, {"files": whole(), "case": IN_ARCHIVE, "pause": "3s"})
    cluster = Cluster.objects.get(name="Basic small")
    assert answer.headers["Location"] == f"/w/team/clusters/{cluster.slug}/"
    timeline = Timeline.objects.get(name="Basic small arrivals").revisions.get()
    # Two pods, and one in a namespace of its own.
    assert timeline.n_entries == 4


def test_it_goes_into_a_draft_of_a_cluster(editor, cluster):
    editor.post(MAKE, {"files": whole(), "case": IN_ARCHIVE, "into": cluster.slug})
    draft = Draft.objects.get()
    assert draft.cluster == cluster
    assert "Basic small" in draft.name


def test_files_without_folders_are_matched_by_their_names(editor):
    files = [
        SimpleUploadedFile("performance-config.yaml", CONFIG.encode()),
        SimpleUploadedFile("pod.yaml", TEMPLATE.encode()),
    ]
    editor.post(MAKE, {"files": files, "case": choice("performance-config.yaml"), "name": "mine"})
    assert Cluster.objects.filter(name="mine").exists()


@pytest.mark.parametrize(
    ("texts", "case", "message"),
    [
        ({NAMES[0]: CONFIG}, IN_ARCHIVE, "is not among the files"),
        ({NAMES[0]: CONFIG, "a/pod.yaml": TEMPLATE, "b/pod.yaml": TEMPLATE}, IN_ARCHIVE, "2 files are named"),
        ({NAMES[0]: CONFIG, NAMES[1]: TEMPLATE}, choice("other.yaml"), "Choose a workload"),
        ({NAMES[0]: CONFIG, NAMES[1]: TEMPLATE}, choice(NAMES[0], "Devices", "only"), "Choose a workload"),
        ({NAMES[1]: TEMPLATE}, IN_ARCHIVE, "None of these files is a performance-config.yaml"),
    ],
)
def test_what_cannot_be_made_is_said_and_nothing_is_stored(editor, texts, case, message):
    n_clusters = Cluster.objects.count()
    answer = editor.post(MAKE, {"files": archive(texts), "case": case})
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert Cluster.objects.count() == n_clusters


def test_errors_of_a_configuration_name_line_and_field(editor):
    wrong = CONFIG.replace("count: 1", "count: <b>")
    page = editor.post(URL, {"text": wrong}).content.decode()
    assert '<b class="tn">Line 6</b>' in page
    assert "[0].workloadTemplate[2].count" in page
    assert "<b>&quot;" not in page.replace("&lt;b&gt;", "")
    refused = editor.post(MAKE, {"files": whole(), "case": IN_ARCHIVE, "pause": "soon"})
    assert "is no time" in refused.content.decode()


def test_no_file_is_no_crash(editor):
    assert "None of these" in editor.post(URL, {}).content.decode()
    assert editor.post(MAKE, {}).status_code == 422
