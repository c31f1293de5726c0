"""What claims and templates may ask for: a wrong field is named where it stands, as the API server refuses it."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests import manifest_helpers

D = "spec.devices"
R0 = f"{D}.requests[0]"
CLASS = "deviceClassName: gpu"
ONE = f"{{name: r, exactly: {{{CLASS}}}}}"


OF_CLAIMS = "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n"


def load(text: str):
    """What is read of a claim or template, beside its class."""
    return manifest_helpers.load(text + OF_CLAIMS)


def claim(devices: str, kind: str = "ResourceClaim", version: str = "v1") -> str:
    spec = f"{{devices: {{{devices}}}}}"
    spec = f"{{spec: {spec}}}" if kind == "ResourceClaimTemplate" else spec
    return f"apiVersion: resource.k8s.io/{version}\nkind: {kind}\nmetadata: {{name: c}}\nspec: {spec}\n"


def requests(text: str) -> str:
    return f"requests: [{text}]"


def exact(text: str) -> str:
    return requests(f"{{name: r, exactly: {{{CLASS}, {text}}}}}")


WRONG = [
    (requests(f"{{name: R, exactly: {{{CLASS}}}}}"), f"{R0}.name"),
    (requests(f"{{exactly: {{{CLASS}}}}}"), f"{R0}.name"),
    (requests("{name: r}"), R0),
    (requests(f"{{name: r, exactly: {{{CLASS}}}, firstAvailable: [{{name: a, {CLASS}}}]}}"), R0),
    (requests("{name: r, exactly: {}}"), f"{R0}.exactly.deviceClassName"),
    (requests("{name: r, exactly: {deviceClassName: G_}}"), f"{R0}.exactly.deviceClassName"),
    (requests(f"{ONE}, {ONE}"), f"{D}.requests[1].name"),
    (requests(", ".join(f"{{name: r{i}, exactly: {{{CLASS}}}}}" for i in range(33))), f"{D}.requests"),
    (requests(f"{{name: r, firstAvailable: [{{name: a, {CLASS}}}, {{name: a, {CLASS}}}]}}"),
     f"{R0}.firstAvailable[1].name"),
    (requests("{name: r, firstAvailable: [%s]}" % ", ".join(f"{{name: a{i}, {CLASS}}}" for i in range(9))),  # noqa: UP031
     f"{R0}.firstAvailable"),
    (exact("count: 0"), f"{R0}.exactly.count"),
    (exact("allocationMode: All, count: 2"), f"{R0}.exactly.count"),
    (exact("allocationMode: Some"), f"{R0}.exactly.allocationMode"),
    (exact("selectors: [{}]"), f"{R0}.exactly.selectors[0].cel.expression"),
    (exact("selectors: [{cel: {expression: 'device.driver =='}}]"), f"{R0}.exactly.selectors[0].cel.expression"),
    (exact("selectors: [{cel: {expression: 'device.driver'}}]"), f"{R0}.exactly.selectors[0].cel.expression"),
    (exact(f"selectors: [{{cel: {{expression: \"'{'x' * 10_300}' == ''\"}}}}]"),
     f"{R0}.exactly.selectors[0].cel.expression"),
    (exact("tolerations: [{key: a, operator: Exists, value: b}]"), f"{R0}.exactly.tolerations[0].value"),
    (exact("tolerations: [{key: a, effect: None}]"), f"{R0}.exactly.tolerations[0].effect"),
    (exact("tolerations: [{operator: Equal}]"), f"{R0}.exactly.tolerations[0].operator"),
    (exact("capacity: {requests: {a b: 1}}"), f"{R0}.exactly.capacity.requests[a b]"),
    (exact("capacity: {requests: {memory: much}}"), f"{R0}.exactly.capacity.requests.memory"),
    (f"{requests(ONE)}, constraints: [{{}}]", f"{D}.constraints[0]"),
    (f"{requests(ONE)}, constraints: [{{matchAttribute: model}}]", f"{D}.constraints[0].matchAttribute"),
    (f"{requests(ONE)}, constraints: [{{matchAttribute: a.b/c, requests: [r, s]}}]", f"{D}.constraints[0].requests[1]"),
    (f"{requests(ONE)}, constraints: [{{matchAttribute: a.b/c, requests: [r, r]}}]", f"{D}.constraints[0].requests[1]"),
    (f"{requests(ONE)}, config: [{{}}]", f"{D}.config[0].opaque"),
    (f"{requests(ONE)}, config: [{{opaque: {{parameters: {{}}}}}}]", f"{D}.config[0].opaque.driver"),
    (f"{requests(ONE)}, config: [{{opaque: {{driver: a.b, parameters: {{x: {'y' * 11_000}}}}}}}]",
     f"{D}.config[0].opaque.parameters"),
]  # fmt: skip
ADMITTED = [
    requests(ONE),
    requests(f"{{name: r, firstAvailable: [{{name: a, {CLASS}}}, {{name: b, {CLASS}, count: 2}}]}}")
    + ", constraints: [{distinctAttribute: a.b/c, requests: [r, r/a]}]",
    exact("allocationMode: All, adminAccess: true"),
    exact('selectors: [{cel: {expression: \'device.attributes["a.b"].c == "x"\'}}]'),
    exact("tolerations: [{operator: Exists, effect: NoExecute, tolerationSeconds: 5}]"),
    f"{requests(ONE)}, config: [{{opaque: {{driver: a.b, parameters: {{kind: X}}}}, requests: [r]}}]",
]


@pytest.mark.parametrize(("devices", "field"), WRONG)
def test_what_the_api_server_refuses_is_an_error_at_its_field(devices, field):
    loaded = load(claim(devices))
    assert [one.field for one in loaded.errors] == [field]
    assert loaded.objects.resource_claims == []
    of_template = load(claim(devices, "ResourceClaimTemplate"))
    assert [one.field for one in of_template.errors] == [field.replace("spec.", "spec.spec.", 1)]


@pytest.mark.parametrize("devices", ADMITTED)
def test_what_it_admits_has_no_finding(devices):
    for kind in ("ResourceClaim", "ResourceClaimTemplate"):
        assert load(claim(devices, kind)).findings == []
        assert load(claim(devices, kind, "v1beta2")).errors == []


@pytest.mark.parametrize(
    ("devices", "field"),
    [
        (requests(f"{{name: r, exactli: {{}}, exactly: {{{CLASS}}}}}"), f"{R0}.exactli"),
        (exact("cout: 2"), f"{R0}.exactly.cout"),
        (requests(f"{{name: r, firstAvailable: [{{name: a, {CLASS}, adminAccess: true}}]}}"),
         f"{R0}.firstAvailable[0].adminAccess"),
        (exact("selectors: [{cel: {expression: 'true', cost: 1}}]"), f"{R0}.exactly.selectors[0].cel.cost"),
    ],
)  # fmt: skip
def test_an_unknown_field_is_named(devices, field):
    (warning,) = load(claim(devices)).findings
    assert (warning.severity, warning.field) == ("warning", field)


def test_an_expression_says_the_place_where_it_does_not_compile():
    text = claim(exact('selectors: [{cel: {expression: "true &&\\n  nope(1)"}}]'))
    (error,) = load(text).errors
    assert error.line == 4
    assert error.message.startswith("the expression does not compile at line 2, column 7: undeclared reference")
    (error,) = load(claim(exact("selectors: [{cel: {expression: device.foo}}]"))).errors
    assert "does not compile at column 7: undefined field" in error.message


def test_a_beta_has_the_fields_of_an_exact_request_in_the_request():
    text = claim(requests("{name: r, deviceClassName: gpu, count: 0}"), version="v1beta1")
    assert [one.field for one in load(text).errors] == [f"{R0}.count"]
