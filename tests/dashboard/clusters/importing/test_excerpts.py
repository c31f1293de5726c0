"""The lines around an error of an imported file."""

from __future__ import annotations

from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.clusters.importing.import_helpers import send

BAD_POD = dump_yaml([pod("bad", cpu="4 cores")])


def test_errors_name_place_and_show_the_lines_around(editor):
    url = send(editor, ("bad.yaml", BAD_POD.encode()))
    page = editor.get(url).content.decode()
    line = BAD_POD.splitlines().index("        cpu: 4 cores") + 1
    assert f"<span>:{line}</span>" in page
    assert "spec.containers[0].resources.requests" in page
    assert "<em>        cpu: 4 cores</em>" in page
    assert "Correct it here" in page
