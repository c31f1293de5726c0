"""Fields of the launch form: defaults, wrong values, what a new choice makes meaningless."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents import store
from dashboard.documents.models import SchedulerConfig
from dashboard.runs.models import Run
from tests.dashboard.run_helpers import cluster_of, node, pod
from tests.dashboard.runs.launch.launch_pages import HEAD, URL, errors, post

pytestmark = pytest.mark.django_db
# Reads well; that the two names are one is noticed only where the profiles are made.
DOUBLE = HEAD + "profiles:\n- schedulerName: one\n- schedulerName: one\n"


def test_fields_left_out_have_their_defaults(editor, prod, messages):
    assert editor.post(URL, {"cluster": "prod"}).status_code == 302
    run = Run.objects.get()
    assert (run.schedule, run.config_revision, run.max_cycles) == ("pending", None, 1_000_000)


@pytest.mark.parametrize(
    ("data", "field", "message"),
    [
        ({"cluster": "nope"}, "cluster", "does not exist here"),
        ({"cluster": ""}, "cluster", "Choose a cluster"),
        ({"r": "9"}, "r", "has no revision 9"),
        ({"r": "x"}, "r", "whole number"),
        ({"r": "-1"}, "r", "greater than or equal to 1"),
        ({"r": "9" * 30}, "r", "less than or equal to"),
        ({"config": "nope"}, "config", "does not exist here"),
        ({"schedule": "some"}, "schedule", "not one of the available choices"),
        ({"schedule": "timeline"}, "timeline", "no timeline yet"),
        ({"seed": "x"}, "seed", "whole number from 0"),
        ({"seed": "-1"}, "seed", "whole number from 0"),
        ({"seed": str(2**63)}, "seed", "whole number from 0"),
        ({"seed": ""}, "seed", "whole number from 0"),
        ({"max_cycles": "-5"}, "max_cycles", "from 1 to 1000000"),
        ({"max_cycles": "1000001"}, "max_cycles", "from 1 to 1000000"),
        ({"max_time": "50:0"}, "max_time", "such as 24:00:00"),
        ({"max_time": "00:00:00"}, "max_time", "more than none"),
        ({"max_time": "25:00:00"}, "max_time", "at most 24 hours"),
        ({"max_time": "00:61:00"}, "max_time", "such as 24:00:00"),
        ({"cycle_ms": "-1"}, "cycle_ms", "greater than or equal to"),
        ({"cycle_ms": "NaN"}, "cycle_ms", "number"),
        ({"binding_ms": "1e9"}, "binding_ms", "less than or equal to"),
        ({"draw": "coin"}, "draw", "not one of the available choices"),
        ({"name": "x" * 121}, "name", "at most 120"),
        ({"name": "a\x00b"}, "name", "NUL|Null"),
        ({"background": "maybe"}, "background", "not one of the available choices"),
    ],
    ids=lambda value: "=".join(next(iter(value.items())))[:30] if isinstance(value, dict) else "",
)
def test_bad_input_is_refused_at_its_field(editor, prod, data, field, message):
    response = post(editor, **data)
    error_of_field = errors(response)
    assert list(error_of_field) == [field]
    assert any(part in error_of_field[field][0] for part in message.split("|"))
    assert f'href="#id_{field}"' in response.content.decode()


def test_a_configuration_that_cannot_work_is_told_at_its_field(editor, workspace, prod):
    config = SchedulerConfig.objects.create(workspace=workspace, name="Double", slug="double")
    store.save_text(config, DOUBLE, Saving(None))
    error_of_field = errors(post(editor, config="double"))
    assert list(error_of_field) == ["config"]
    assert "one" in error_of_field["config"][0]
    page = editor.get(URL + "?config=double").content.decode()
    assert "none that work" in page


def test_a_new_choice_of_cluster_forgets_what_belonged_to_the_old_one(editor, prod, save):
    save(cluster_of(2, 5))
    save([node("a"), pod("x", nodeName="a")], slug="other")
    query = QueryDict(mutable=True)
    query.update({"cluster": "other", "of_cluster": "prod", "r": "2", "schedule": "pending", "seed": "5", "name": "n"})
    response = editor.get(f"{URL}?{query.urlencode()}", headers={"HX-Request": "true"})
    assert response.status_code == 200
    form = response.context["form"]
    assert (form.data["r"], form.data["schedule"], form.data["seed"], form.data["name"]) == ("1", "all", "5", "n")
    assert b"<html" not in response.content
    assert response["HX-Replace-Url"] == f"{URL}?cluster=other&r=1&schedule=all&seed=5"


def test_a_timeline_that_does_not_fit_is_told_at_its_field(editor, workspace, prod):
    timeline = workspace.timelines.create(name="bad", slug="bad")
    store.save_timeline(timeline, {"entries": [{"at": "soon", "action": "add"}]}, Saving(None))
    error_of_field = errors(post(editor, schedule="timeline", timeline="bad", timeline_r="1"))
    assert list(error_of_field) == ["timeline"]
