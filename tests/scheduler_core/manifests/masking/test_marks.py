"""A look at the words of a text says whether it may hold a secret."""

from __future__ import annotations

import pytest

from scheduler_core.manifests.masking.marks import holds_no_secret


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kind: Node\napiVersion: v1\nmetadata: {annotations: {a: b}}\n", True),
        ('{"kind": "NodeList", "apiVersion": "v1", "items": []}', True),
        ("kind: Node\nmetadata: {annotations: {token: b}}\n", False),
        ("kind: Pod\nspec: {containers: [{env: []}]}\n", False),
        ("kind: Secret\ndata: {a: b}\n", False),
        ("kind: Service\napiVersion: serving.knative.dev/v1\n", False),
        ("kind: Node # token\n", False),
        ("metadata: {name: n}\n", False),
    ],
)
def test_words_of_secrets_and_kinds_that_are_not_read_are_seen(text: str, expected: bool) -> None:
    assert holds_no_secret(text.encode()) is expected
