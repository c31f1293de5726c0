"""The launch page as a reader sees it."""

from __future__ import annotations

from dashboard.runs.models import Run
from tests.dashboard.helpers import assert_strict_csp

URL = "/w/team/runs/new/"


HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


GOOD = HEAD + "profiles:\n- schedulerName: one\n- schedulerName: two\n"


def post(person, **data):
    """Return the answer to the form with these fields and the usual ones."""
    return person.post(URL, {"cluster": "prod", "r": "1", "schedule": "pending", "seed": "7", **data})


def errors(response):
    assert response.status_code == 422
    assert_strict_csp(response.content)
    assert not Run.objects.exists()
    return response.context["form"].errors
