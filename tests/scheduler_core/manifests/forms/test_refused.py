"""What holds no whole objects is refused by its name and line, with the command that gives them."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.manifests import ManifestSource, rewritten
from scheduler_core.manifests.forms.recognising import FORMS, file_head
from tests.scheduler_core.manifests.forms.reading import loaded, refusal

REFUSED = [
    ("values.yaml", "image:\n  tag: x\n", "helm template"),
    ("my-values.prod.yaml", "# for us\na: 1\n", "helm template"),
    ("x.yaml", "replicaCount: 1\nimage: {}\nresources: {}\n", "helm template"),
    ("Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n", "helm template"),
    ("kustomization.yaml", "resources:\n- a.yaml\n", "kubectl kustomize"),
    ("k.yaml", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", "kubectl kustomize"),
    ("p.yaml", "- op: replace\n  path: /spec/replicas\n  value: 3\n", "kubectl kustomize"),
    ("p.json", '[{"op": "add", "path": "/a", "value": 1}]', "kubectl kustomize"),
    ("s.yaml", "apiVersion: simon/v1alpha1\nkind: Config\n", "customConfig"),
    ("t", "NAME    READY   STATUS    RESTARTS   AGE\nweb-0   0/1     Pending   0   5m\n", "get pods -A -o yaml"),
    ("t", "NAME   STATUS   ROLES    AGE   VERSION\nn      Ready    <none>   5d    v1.34\n", "get nodes -A -o yaml"),
    ("t", "NAME   CPU(cores)   CPU%   MEMORY(bytes)\nn   1   1   1\n", "kubectl top"),
    ("t", "NAMESPACE   NAME   DATA   AGE\na   b   1   5d\n", "-o yaml"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "said"), REFUSED, ids=[f"{i}-{row[0]}" for i, row in enumerate(REFUSED)])
def test_each_is_named_with_its_command(name: str, text: str, said: str) -> None:
    error = refusal(text, name)
    assert said in error.message
    assert error.line == 1
    (finding,) = loaded(text, name).errors
    assert finding.source == name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind: Node\n<<<<<<< HEAD\nmetadata: {name: a}\n=======\nmetadata: {name: b}\n>>>>>>> x\n", "git conflict"),
        ("{{- if .Values.x }}\nkind: Node\nmetadata:\n  name: a\n{{- end }}\n", "helm template"),
        ('kind: Node\nmetadata:\n  labels:\n    {{ include "x" . | indent 4 }}\n', "helm template"),
        (msgspec.msgpack.encode({"a": b"\xff"}), "msgpack"),
    ],
)
def test_marks_of_conflicts_and_templates_are_named(text: str | bytes, said: str) -> None:
    (error,) = loaded(text).errors
    assert said in error.message


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("values.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"),
        ("x.yaml", "image: a\n"),
        ("x.yaml", "- a\n"),
        ("x.json", '[{"path": "a"}]'),
        ("k.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\n"),
    ],
)
def test_other_files_are_left_to_the_reader(name: str, text: str) -> None:
    source = ManifestSource(name, text.encode())
    assert rewritten(source) is source


@pytest.mark.parametrize(
    ("text", "is_patch"),
    [
        ("kind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: 3\n", True),
        ("kind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n    $patch: delete\n", True),
        ("kind: Deployment\nmetadata: {name: a}\nspec:\n  selector:\n    matchLabels: {a: b}\n", False),
        ("kind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - image: i\n", False),
        ("kind: Deployment\nmetadata: {name: a}\n", False),
        ("kind: Deployment\nspec: {replicas: 3, selector: {matchLabels: {a: b}}}\n", False),
        ("kind: Pod\nmetadata: {name: a}\nspec:\n  nodeName: n\n", False),
        ("kind: Deployment\nspec:\n  replicas: 1\n---\nkind: Service\nspec: {}\n", False),
    ],
)
def test_a_part_of_an_object_is_named_as_a_patch(text: str, is_patch: bool) -> None:
    head = file_head(ManifestSource("a.yaml", text.encode()))
    named = next((form.name for form in FORMS if form.recognises(head)), "")
    assert (named == "strategic merge patch") is is_patch
