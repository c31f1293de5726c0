"""The drill: back up while it is there, lose it, restore by the command; on both databases."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.faults.processes import NO_REDIS, ROOT, embedded_environment, manage
from tests.services.servers import postgres_programs, production_environment

COUNT = """
import json
from dashboard.accounts.models import Workspace
from dashboard.clusters.models import Cluster
from dashboard.runs.models import Run
runs = list(Run.objects.order_by("number").values_list("number", "state"))
print(json.dumps([Workspace.objects.count(), Cluster.objects.count(), runs]))
"""


def counted(environment):
    return json.loads(manage(environment, "shell", "--no-imports", "-c", COUNT).splitlines()[-1])


def refused(environment, *arguments):
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stderr


@pytest.fixture(params=["sqlite", "postgresql"])
def installation(request, tmp_path):
    """The environment of an installation with the demo, on each of the databases."""
    if request.param == "sqlite":
        environment = embedded_environment(tmp_path)
    else:
        environment = production_environment(request.getfixturevalue("postgres_url"), NO_REDIS, tmp_path)
        environment["PATH"] = f"{postgres_programs()}{os.pathsep}{environment['PATH']}"
    manage(environment, "migrate", "--verbosity=0")
    manage(environment, "signin_link")
    manage(environment, "load_demo")
    return environment


@pytest.mark.long
def test_what_was_lost_is_there_again_by_two_commands(installation, tmp_path):
    before = counted(installation)
    manage(installation, "backup", "--keep", "2")
    lose = "from dashboard.runs.models import Run; Run.objects.all().delete()"
    manage(installation, "shell", "--no-imports", "-c", lose)
    assert counted(installation) != before
    assert "nothing is done without --yes" in manage(installation, "restore")
    assert counted(installation) != before
    manage(installation, "restore", "--yes")
    assert counted(installation) == before
    (spoilt := tmp_path / "spoilt").write_bytes(os.urandom(5_000))
    assert "spoilt" in refused(installation, "restore", "--yes", str(spoilt))
    assert counted(installation) == before
