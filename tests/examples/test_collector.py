"""The manifests of examples/collector: valid, with no right that is not needed, and started as the documents say."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from scheduler_core.cli.live.collect import _parser
from scheduler_core.collect.role import cluster_role
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "collector"
FILES = sorted(FOLDER.glob("*.yaml"))
OBJECTS = {item["kind"]: item for path in FILES for item in yaml.safe_load_all(path.read_text())}
POD = OBJECTS["Deployment"]["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]
DOCKERFILE = (FOLDER / "Dockerfile").read_text()


@pytest.mark.slow
def test_validate_finds_no_error():
    command = [sys.executable, "-m", "scheduler_core", "validate", *map(str, FILES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout


def test_its_rights_are_those_that_the_command_prints():
    assert OBJECTS["ClusterRole"] == yaml.safe_load(cluster_role())
    account = OBJECTS["ServiceAccount"]["metadata"]["name"]
    binding = OBJECTS["ClusterRoleBinding"]
    assert binding["roleRef"]["name"] == OBJECTS["ClusterRole"]["metadata"]["name"]
    assert [one["name"] for one in binding["subjects"]] == [account] == [POD["serviceAccountName"]]


def test_the_container_has_no_more_than_it_needs():
    security = POD["securityContext"]
    assert (security["runAsNonRoot"], security["runAsUser"], security["fsGroup"]) == (True, 65534, 65534)
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    restricted = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    assert CONTAINER["securityContext"] == restricted
    assert CONTAINER["resources"]["requests"].keys() == {"cpu", "memory"}
    assert "memory" in CONTAINER["resources"]["limits"]
    volumes = {volume["name"]: volume for volume in POD["volumes"]}
    assert "emptyDir" in volumes["tmp"]
    assert volumes["token"]["secret"]["secretName"] == "schedscope-collector"
    mounts = {mount["name"]: mount for mount in CONTAINER["volumeMounts"]}
    assert mounts["token"]["readOnly"] is True


def test_its_options_are_the_command_s_and_the_token_is_none_of_them():
    options = _parser().parse_args(CONTAINER["args"])
    assert str(options.token_file).startswith("/token/")
    assert options.follow.startswith("https://")
    assert "env" not in CONTAINER


def test_the_image_is_the_core_as_nobody_at_the_project_s_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert CONTAINER["image"].endswith(f":{version}")
    assert CONTAINER["image"] in DOCKERFILE
    assert "USER 65534:65534" in DOCKERFILE
    assert re.findall(r"^COPY (\S+)", DOCKERFILE, re.MULTILINE) == ["requirements/run.txt", "scheduler_core"]
    assert '["python", "-m", "scheduler_core", "collect"]' in DOCKERFILE


def test_the_policy_selects_its_pods():
    labels = OBJECTS["Deployment"]["spec"]["template"]["metadata"]["labels"]
    policy = OBJECTS["NetworkPolicy"]["spec"]
    assert policy["podSelector"]["matchLabels"] == labels
    assert (policy["policyTypes"], "ingress" in policy) == (["Ingress", "Egress"], False)
