"""The manifests of examples/deploy and compose.yaml: valid, restricted, and started as the documents say."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "deploy"
FILES = sorted(FOLDER.glob("*.yaml"))
OBJECTS = [item for path in FILES for item in yaml.safe_load_all(path.read_text())]
WORKLOADS = {item["metadata"]["name"]: item for item in OBJECTS if "template" in item.get("spec", {})}
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
SECRET = {"DATABASE_URL", "REDIS_URL", "SCHEDSCOPE_SECRET_KEY", "SCHEDSCOPE_METRICS_TOKEN"}
PARTS = {"web": "web", "worker": "worker", "answers": "answers", "migrate": "migrate"}
"""{component of the manifests: service of compose.yaml}"""


def pod_of(part: str) -> dict:
    return WORKLOADS[f"schedscope-{part}"]["spec"]["template"]["spec"]


def kinds(kind: str) -> list[dict]:
    return [item for item in OBJECTS if item["kind"] == kind]


@pytest.mark.slow
def test_validate_finds_no_error():
    command = [sys.executable, "-m", "scheduler_core", "validate", *map(str, FILES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout
    assert "8 objects read" in done.stdout + done.stderr


@pytest.mark.parametrize("part", PARTS)
def test_containers_have_no_more_than_they_need(part):
    pod = pod_of(part)
    assert pod["automountServiceAccountToken"] is False
    security = pod["securityContext"]
    assert (security["runAsNonRoot"], security["runAsUser"], security["fsGroup"]) == (True, 65534, 65534)
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    (container,) = pod["containers"]
    restricted = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    assert container["securityContext"] == restricted
    assert container["resources"]["requests"].keys() == {"cpu", "memory"}
    assert "memory" in container["resources"]["limits"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    mounts = {mount["mountPath"]: volumes[mount["name"]] for mount in container["volumeMounts"]}
    assert mounts.keys() == {"/data", "/tmp"}
    assert all("emptyDir" in volume for volume in mounts.values())


@pytest.mark.parametrize("part", PARTS)
def test_secrets_come_by_reference_and_the_version_is_the_project_s(part):
    (container,) = pod_of(part)["containers"]
    assert "env" not in container
    assert container["envFrom"] == [
        {"configMapRef": {"name": "schedscope"}},
        {"secretRef": {"name": "schedscope"}},
    ]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert container["image"].endswith(f":{version}")


def test_settings_are_those_of_the_operation_page_and_secrets_are_named_in_the_readme():
    (settings,) = kinds("ConfigMap")
    assert kinds("Secret") == []
    page, readme = (ROOT / "docs" / "operation.md").read_text(), (FOLDER / "README.md").read_text()
    assert [name for name in {*settings["data"], *SECRET} if f"`{name}`" not in page] == []
    assert set(re.findall(r"--from-literal=(\w+)=", readme)) == SECRET
    assert not SECRET & settings["data"].keys()
    assert "localhost" in settings["data"]["SCHEDSCOPE_HOSTS"].split(",")


def options_apart(command: list[str]) -> list[str]:
    """Return the words of a command, options apart from their values."""
    apart = [word for part in command for word in (part.split("=", 1) if part.startswith("--") else [part])]
    return ["--app" if word == "-A" else word for word in apart]


@pytest.mark.parametrize(("part", "service"), PARTS.items())
def test_commands_are_those_of_compose_and_of_the_image(part, service):
    image = re.search(r"^CMD (\[.*?\])$", (ROOT / "Dockerfile").read_text(), re.MULTILINE | re.DOTALL)
    of_image = yaml.safe_load(image.group(1).replace("\\\n", ""))
    assert set(options_apart(COMPOSE[service].get("command", of_image))) <= set(
        options_apart(pod_of(part)["containers"][0]["command"])
    )


@pytest.mark.parametrize("service", PARTS.values())
def test_compose_restricts_the_image_alike(service):
    of = COMPOSE[service]
    assert (of["read_only"], of["cap_drop"], of["tmpfs"]) == (True, ["ALL"], ["/tmp"])
    assert "USER 65534:65534" in (ROOT / "Dockerfile").read_text()


def test_web_servers_have_probes_of_the_health_address():
    (container,) = pod_of("web")["containers"]
    for probe in ("startupProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["path"] == "/healthz"
    compile(container["livenessProbe"]["exec"]["command"][2], "the liveness probe", "exec")
    (service,) = kinds("Service")
    assert [port["targetPort"] for port in service["spec"]["ports"]] == [container["ports"][0]["name"]]


def test_what_selects_pods_selects_those_that_there_are():
    labels = {name: item["spec"]["template"]["metadata"]["labels"] for name, item in WORKLOADS.items()}
    for budget in kinds("PodDisruptionBudget"):
        assert budget["spec"]["selector"]["matchLabels"] == labels[budget["metadata"]["name"]]
    assert len(kinds("PodDisruptionBudget")) == len(kinds("Deployment")) == 3
    everything, web = (policy["spec"] for policy in kinds("NetworkPolicy"))
    assert all(everything["podSelector"]["matchLabels"].items() <= of.items() for of in labels.values())
    assert (everything["policyTypes"], "ingress" in everything) == (["Ingress", "Egress"], False)
    assert web["podSelector"]["matchLabels"] == labels["schedscope-web"]
    assert [port["port"] for rule in web["ingress"] for port in rule["ports"]] == [8000]


def test_the_memory_of_answer_workers_has_room_for_the_answers_being_computed():
    (settings,) = kinds("ConfigMap")
    (container,) = pod_of("answers")["containers"]
    processes = int(options_apart(container["command"])[options_apart(container["command"]).index("--concurrency") + 1])
    needed = processes * 1.25 * int(settings["data"]["SCHEDSCOPE_ANSWERS_MAX_BYTES"])
    assert needed <= int(container["resources"]["limits"]["memory"].removesuffix("Gi")) * 1024**3
