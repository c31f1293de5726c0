"""Pages of clusters: what they show, that they obey the policy, odd names, bad input, full and part forms."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.helpers import assert_strict_csp

HERE = "/w/team/clusters/prod/"
PAGES = [
    "/w/team/clusters/",
    "/w/team/clusters/?archived=1",
    "/w/team/clusters/?q=nothing",
    "/w/team/clusters/new/",
    HERE,
    HERE + "?r=1",
    HERE + "nodes/",
    HERE + "pods/?status=pending",
    HERE + "objects/",
    HERE + "history/",
    HERE + "diff/?from=1&to=2",
    HERE + "settings/",
    HERE + "object/?kind=Node&name=node-a",
    HERE + "object/?kind=Pod&ns=default&name=web-1",
    HERE + "object/?kind=PriorityClass&name=high&r=1",
    HERE + "object/new/?kind=Node",
    "/w/team/import/",
    "/w/team/import/?cluster=prod",
    "/w/team/configurations/",
    "/w/team/configurations/default/",
    "/w/team/configurations/new/?start=two-profiles",
    "/w/team/configurations/pack/",
    "/w/team/timelines/",
    "/w/team/timelines/new/",
    "/w/team/timelines/rush/",
]


@pytest.mark.parametrize("path", PAGES)
def test_pages_obey_the_strict_policy_for_editors_and_viewers(editor, viewer, edited, path):
    for person in (editor, viewer):
        response = person.get(path)
        assert_strict_csp(response.content)
        assert "unsafe" not in response["Content-Security-Policy"]
        assert response.status_code == 200 or (person is viewer and response.status_code == 403)


def test_pages_of_the_editing_steps_obey_it_too(editor, cluster):
    text = dump_yaml([pod("job-1", cpu="4")])
    form = {"kind": "Pod", "ns": "default", "name": "job-1", "base": 1, "text": text}
    wrong = editor.post(HERE + "object/save", {**form, "text": text.replace('"4"', "4 cores")})
    assert wrong.status_code == 422
    assert_strict_csp(wrong.content)
    put = editor.get(editor.post(HERE + "object/save", form)["Location"])
    assert put.status_code == 200
    assert_strict_csp(put.content)
    fragment = editor.post(HERE + "object/validate", form)
    assert_strict_csp(fragment.content)
    assert b"No finding" in fragment.content


# ---------------------------------------------------------------- list, overview, tables


# ---------------------------------------------------------------- editing


# ---------------------------------------------------------------- history, export


# ---------------------------------------------------------------- odd names
