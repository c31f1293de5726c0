"""The validate command: exit status, one line per finding, bounded and printable output."""

from __future__ import annotations

import pytest

from scheduler_core.__main__ import main
from scheduler_core.cli.files.validate import run
from scheduler_core.manifests import DEVICES_COMMAND
from scheduler_core.profiles import build
from scheduler_core.profiles.registry import in_tree

GOOD = "{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n"
BAD = '{apiVersion: v1, kind: Namespace, metadata: {name: "A\\e[31m"}}\n'


@pytest.fixture
def file(tmp_path):
    def write(text: str, name: str = "f.yaml") -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def test_a_good_file_prints_nothing_and_ends_with_0(file, capsys):
    good = file(GOOD)
    assert run([good]) == 0
    assert capsys.readouterr().out == ""


def test_a_finding_is_one_printable_line(file, capsys):
    name = file(BAD)
    assert run([name]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.isprintable()
    assert line.startswith(f"{name}:1: Namespace A\\x1b[31m: metadata.name: ")


def test_warnings_are_marked_and_do_not_fail(file, capsys):
    unknown = file("{apiVersion: example.io/v1, kind: Widget, metadata: {name: w}}")
    assert run([unknown]) == 0
    assert capsys.readouterr().out.startswith("warning: ")


def test_output_is_bounded(file, capsys):
    many = "---\n".join(BAD.replace("A", f"A{i}") for i in range(300))
    assert run([file(many)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 201
    assert lines[-1].startswith("100 more ")


def test_configurations_and_missing_files(file, tmp_path, capsys):
    head = "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n"
    assert run(["--as", "config", file(head)]) == 1
    captured = capsys.readouterr()
    assert "kubescheduler.config.k8s.io/v1" in captured.out
    assert "apiVersion: kubescheduler.config.k8s.io/v1\n" in captured.err
    assert run([str(tmp_path / "absent.yaml")]) == 1
    assert "absent.yaml: cannot be" in capsys.readouterr().out


def test_the_front_door_knows_its_commands(file, capsys):
    good = file(GOOD)
    assert main(["validate", good]) == 0
    assert main(["--help"]) == 0
    assert "conformance" in capsys.readouterr().out
    assert main(["nonsense"]) == 2
    assert "nonsense" in capsys.readouterr().err


CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- plugins: {%s}\n"


def test_a_configuration_that_no_run_could_start_with_is_refused(file, capsys):
    name = file(CONFIG % "score: {enabled: [{name: NodeName}]}")
    assert run(["--as", "config", name]) == 1
    assert capsys.readouterr().out.startswith(f"{name}: KubeSchedulerConfiguration: plugins.score.enabled: NodeName ")


def test_a_plugin_that_is_not_installed_is_a_doubt(file, capsys, monkeypatch):
    monkeypatch.setattr(build, "installed", in_tree)
    one = "{enabled: [{name: Coscheduling}], disabled: [{name: '*'}]}"
    name = file(CONFIG % f"multiPoint: {{enabled: [{{name: Coscheduling}}]}}, queueSort: {one}")
    assert run(["--as", "config", name]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"warning: {name}: KubeSchedulerConfiguration: plugin Coscheduling is not installed")


def test_what_is_not_installed_is_left_out_on_request(file, capsys):
    text = (
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles: [{plugins: {score: {enabled: [{name: TargetLoadPacking}]}}}]\nextenders: [{urlPrefix: http://a/b}]\n"
    )
    assert run(["--as", "config", file(text)]) == 1
    assert "TargetLoadPacking" in capsys.readouterr().out
    assert run(["--as", "config", "--leave-out-unknown", file(text)]) == 0
    out = capsys.readouterr().out
    assert "without TargetLoadPacking: " in out
    assert "extender a/b" in out


def test_an_extender_is_a_warning_that_says_who_may_answer_for_it(file, capsys):
    name = file(CONFIG % "" + "extenders: [{urlPrefix: http://a/b, filterVerb: filter}]\n")
    assert run(["--as", "config", name]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"warning: {name}: KubeSchedulerConfiguration: extenders[0]: nobody calls it here")
    assert "--declared-extender" in shown


CLASS = (
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\n"
    "spec: {extendedResourceName: example.com/gpu}\n"
)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], ""),
        (["--kubernetes", "1.36"], ""),
        (["--kubernetes", "1.35"], "needs Kubernetes 1.36; this is held against Kubernetes 1.35"),
        (["--kubernetes", "1.35", "--feature-gates", "DRAExtendedResource=true"], ""),
    ],
)
def test_fields_that_a_named_version_lacks_are_warnings(file, capsys, options, says):
    name = file(CLASS)
    assert run([name, *options]) == 0
    out = capsys.readouterr().out
    place = f"warning: {name}:4: DeviceClass c: spec.extendedResourceName: "
    assert out == (f"{place}{says}\n" if says else "")


def test_gates_without_a_version_or_of_no_version_are_a_wrong_command_line(file, capsys):
    assert run([file(CLASS), "--feature-gates", "DRAExtendedResource=true"]) == 2
    assert run([file(CLASS), "--kubernetes", "1.35", "--feature-gates", "NoSuchGate=true"]) == 2
    assert "NoSuchGate" in capsys.readouterr().err


def test_a_dump_without_devices_names_the_command_that_brings_them(file, capsys):
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: c, image: i}]\n"
    name = file(pod + "  resourceClaims: [{name: a, resourceClaimTemplateName: t}]\n")
    assert run([name]) == 0
    line = next(one for one in capsys.readouterr().out.splitlines() if "resourceclaimtemplates that" in one)
    assert line.startswith(f"warning: {name}:1: Pod default/p: spec.resourceClaims: ")
    assert line.endswith(DEVICES_COMMAND)
