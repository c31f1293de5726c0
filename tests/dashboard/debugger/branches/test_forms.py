"""What is written in the form, as changes."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.clusters.models import SchedulerConfig
from dashboard.clusters.revisions import object_store
from dashboard.debugger.branches.forms import EMPTY_CONFIGURATION, BranchForm
from tests.dashboard.debugger.conftest import page_of

pytestmark = pytest.mark.django_db
TEXT = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 3\n"


@pytest.fixture
def changes_of(run):
    """A function that returns the changes and errors of fields."""

    def changes_of(**fields):
        data = QueryDict(mutable=True)
        for name, value in fields.items():
            data.setlist(name, value if isinstance(value, list) else [value])
        form = BranchForm.of(page_of(run, seq=5), data)
        return form.changes(), form.errors

    return changes_of


def test_configurations_are_chosen_or_written(changes_of, workspace):
    assert changes_of(configuration="defaults")[0] == [{"action": "configure", "configuration": EMPTY_CONFIGURATION}]
    [written], errors = changes_of(configuration="text", configuration_text=TEXT)
    assert (written["configuration"]["parallelism"], errors) == (3, {})
    config = SchedulerConfig.objects.create(workspace=workspace, name="Mine", slug="mine")
    object_store.save_text(config, TEXT.replace("3", "4"), object_store.Saving(None))
    [saved], errors = changes_of(configuration="mine")
    assert (saved["configuration"]["parallelism"], errors) == (4, {})


def test_all_kinds_of_changes_come_in_one_order(changes_of):
    fields = {"gone": "Node full-a", "draw": "smallest", "job_s": "1.5", "max_replacements": "7", "entry": ["2", "0"]}
    changes, errors = changes_of(**fields, configuration="defaults")
    assert errors == {}
    assert [one["action"] for one in changes] == ["delete", "configure", "set_policies", "switch_off", "switch_off"]
    assert changes[2]["policies"] == {"draw": "smallest", "job_running_us": 1_500_000, "max_replacements": 7}
    assert [one["entry"] for one in changes[3:]] == [2, 0]


def test_several_objects_are_put_in_their_order(changes_of):
    text = "\n---\n".join(f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: n-{n}}}" for n in range(3))
    changes, errors = changes_of(objects=text)
    assert [one["object"]["metadata"]["name"] for one in changes] == ["n-0", "n-1", "n-2"]
    assert errors == {}


def test_each_field_has_its_own_errors(changes_of):
    changes, errors = changes_of(objects="a: [", gone="Pod", draw="x", entry=["-1"])
    assert changes == []
    assert sorted(errors) == ["entry", "gone", "objects", "policies"]
