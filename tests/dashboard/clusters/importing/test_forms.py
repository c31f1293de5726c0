"""Other forms of input go the way of an import: opened, masked, read, with what they lack beside the report."""

from __future__ import annotations

import io
import json
import tarfile

import pytest

from dashboard.clusters.importing.intake import mask_uploads
from dashboard.clusters.importing.reading import read_files
from dashboard.clusters.uploads.opening import Upload, opened
from tests.scheduler_core.manifests.forms.examples import EXAMPLES

POD = {
    "metadata": {"name": "p"},
    "spec": {"containers": [{"name": "c", "image": "i", "env": [{"name": "K", "value": "s3"}]}]},
}
FILES = {
    "must/namespaces/shop/core/pods/p.json": json.dumps(POD),
    "must/namespaces/shop/pods/p/logs.txt": "started\n",
    "must/kustomization.yaml": "resources: [a.yaml]\n",
}


def _archive() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in FILES.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


@pytest.mark.parametrize("keeps_values", [False, True])
def test_an_archive_gives_its_objects_names_the_rest_and_refuses_one_file(keeps_values, settings):
    masked = mask_uploads(opened([Upload("must.tgz", _archive())]), keeps_values=keeps_values)
    assert any(b"s3" in upload.data for upload in masked.uploads) == keeps_values
    report, _ = read_files(masked)
    assert report["kinds"] == [["Pod", 1, 0]]
    errors = [one["source"] for one in report["findings"] if one["severity"] == "error"]
    assert errors == ["must.tgz/must/kustomization.yaml"]
    assert any("passed over" in one["message"] for one in report["findings"] if one["severity"] == "warning")


@pytest.mark.parametrize("name", ["trace of SimKube", "JSON that was cut off", "table of kubectl get events"])
def test_what_a_form_lacks_is_stored_and_read_again(name, settings):
    masked = mask_uploads(opened([Upload(*EXAMPLES[name])]), keeps_values=False)
    first = read_files(masked)[1].unplayed.gaps
    stored = [Upload(upload.name, upload.data) for upload in masked.uploads]
    again = read_files(mask_uploads(stored, keeps_values=False))[1].unplayed.gaps
    assert first == again
    assert first
