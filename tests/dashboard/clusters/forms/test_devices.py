"""Forms of devices show what their starters hold, and write it where it stands."""

from __future__ import annotations

import pytest

from dashboard.clusters.forms.kinds import forms
from dashboard.clusters.forms.starters import starter_text
from dashboard.clusters.forms.values import flat, section_values
from dashboard.clusters.texts.changes import read_document


def texts_of(kind: str) -> dict[str, str]:
    """Return {name of the field: text} of a starter's form."""
    return flat(section_values(read_document(starter_text(kind)), forms()[kind]))


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("ResourceClaim", '["spec","devices","requests",0,"exactly","deviceClassName"]', "gpu.example.com"),
        ("ResourceClaimTemplate", '["spec","spec","devices","requests",0,"name"]', "gpu"),
        ("DeviceClass", '["spec","selectors",0,"cel","expression"]', 'device.driver == "gpu.example.com"'),
        ("ResourceSlice", '["spec","devices",0,"name"]', "gpu-0"),
    ],
)
def test_a_starter_fills_the_form(kind, name, text):
    assert texts_of(kind)[name] == text


def test_pods_and_workloads_have_their_claims():
    for kind in ("Pod", "Deployment"):
        fields = {one.path[-1]: one for one in forms()[kind].fields}
        assert ("resourceClaimName",) in [one.path for one in fields["resourceClaims"].fields]
        assert ("resources", "claims") in [one.path for one in fields["containers"].fields]
