"""Jobs by their names."""

from __future__ import annotations

import pytest

from dashboard.clusters.background import jobs
from dashboard.clusters.importing import jobs as importing
from dashboard.generating import jobs as generating


def test_all_jobs_are_registered_when_django_is_set_up():
    names = (importing.READ, importing.CHANGE, importing.SAVE, importing.MERGE, generating.GENERATE)
    assert all(callable(jobs.job_named(name)) for name in (*names, generating.BENCHMARK))


def test_an_unknown_job_is_an_error():
    with pytest.raises(KeyError):
        jobs.job_named("nothing")
