"""What slices and classes may hold: a wrong field is named where it stands, as the API server refuses it."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.manifest_helpers import load

S, D0 = "spec", "spec.devices[0]"
POOL = "pool: {name: p, generation: 1, resourceSliceCount: 1}"
HEAD = f"driver: a.example, {POOL}"


def slice_of(text: str, version: str = "v1") -> str:
    return f"apiVersion: resource.k8s.io/{version}\nkind: ResourceSlice\nmetadata: {{name: s}}\nspec: {{{text}}}\n"


def with_device(text: str) -> str:
    return slice_of(f"{HEAD}, nodeName: n, devices: [{{name: d, {text}}}]")


def shared(policy: str, value: str = "16") -> str:
    capacity = f"{{memory: {{value: {value}, requestPolicy: {{{policy}}}}}}}"
    return with_device(f"allowMultipleAllocations: true, capacity: {capacity}")


def many(n: int, more: str = "") -> str:
    return slice_of(f"{HEAD}, nodeName: n, devices: [{', '.join(f'{{name: d{i}{more}}}' for i in range(n))}]")


P = f"{D0}.capacity.memory.requestPolicy"
WRONG = [
    (slice_of(f"{POOL}, nodeName: n"), "spec.driver"),
    (slice_of(f"driver: A_, {POOL}, nodeName: n"), "spec.driver"),
    (slice_of("driver: a.b, pool: {name: p/, resourceSliceCount: 1}, nodeName: n"), "spec.pool.name"),
    (slice_of("driver: a.b, pool: {name: p, resourceSliceCount: 0}, nodeName: n"), "spec.pool.resourceSliceCount"),
    (slice_of("driver: a.b, pool: {name: p, generation: -1, resourceSliceCount: 1}, nodeName: n"),
     "spec.pool.generation"),
    (slice_of(HEAD), "spec"),
    (slice_of(f"{HEAD}, nodeName: n, allNodes: true"), "spec"),
    (slice_of(f"{HEAD}, nodeName: n, allNodes: false"), "spec.allNodes"),
    (slice_of(f"{HEAD}, nodeSelector: {{nodeSelectorTerms: [%s, %s]}}" % (("{matchExpressions: [{key: a, "
     "operator: Exists}]}",) * 2)), "spec.nodeSelector.nodeSelectorTerms"),
    (many(129), "spec.devices"),
    (slice_of(f"{HEAD}, nodeName: n, devices: [{{name: d}}, {{name: d}}]"), "spec.devices[1].name"),
    (slice_of(f"{HEAD}, nodeName: n, devices: [{{name: D}}]"), f"{D0}.name"),
    (slice_of(f"{HEAD}, perDeviceNodeSelection: true, devices: [{{name: d}}]"), D0),
    (with_device("nodeName: n"), D0),
    (with_device("attributes: {a b: {int: 1}}"), f"{D0}.attributes[a b]"),
    (with_device("attributes: {a: {}}"), f"{D0}.attributes.a"),
    (with_device("attributes: {a: {int: 1, bool: true}}"), f"{D0}.attributes.a"),
    (with_device("attributes: {a: {int: x}}"), f"{D0}.attributes.a.int"),
    (with_device("attributes: {a: {version: '1.2'}}"), f"{D0}.attributes.a.version"),
    (with_device(f"attributes: {{a: {{string: {'x' * 65}}}}}"), f"{D0}.attributes.a.string"),
    (with_device("attributes: {%s}" % ", ".join(f"a{i}: {{int: 1}}" for i in range(33))), D0),  # noqa: UP031
    (with_device("capacity: {memory: {value: x}}"), f"{D0}.capacity.memory.value"),
    (with_device("capacity: {memory: {value: 1, requestPolicy: {default: 1}}}"), P),
    (shared("validValues: [1], validRange: {min: 1}, default: 1"), P),
    (shared("validValues: [1, 2]"), f"{P}.default"),
    (shared("validValues: [2, 1], default: 1"), f"{P}.validValues[1]"),
    (shared("validValues: [1, 17], default: 1"), f"{P}.validValues[1]"),
    (shared("validValues: [1, 2], default: 3"), f"{P}.validValues"),
    (shared("validValues: [%s], default: 1" % ", ".join(map(str, range(1, 12)))), f"{P}.validValues"),  # noqa: UP031
    (shared("validRange: {max: 4}, default: 1"), f"{P}.validRange.min"),
    (shared("validRange: {min: 2}, default: 1"), f"{P}.validRange.default"),
    (shared("validRange: {min: 1, max: 17}, default: 1"), f"{P}.validRange.max"),
    (shared("validRange: {min: 1, step: 0}, default: 1"), f"{P}.validRange.step"),
    (shared("validRange: {min: 1, max: 4, step: 2}, default: 1"), f"{P}.validRange.step"),
    (with_device("taints: [{key: a}]"), f"{D0}.taints[0].effect"),
    (with_device("consumesCounters: [{counterSet: c}]"), f"{D0}.consumesCounters[0].counters"),
    (with_device("consumesCounters: [{counterSet: c, counters: {A: {value: 1}}}]"),
     f"{D0}.consumesCounters[0].counters.A"),
    (with_device("consumesCounters: [{counterSet: c, counters: {a: {value: 1}}}, {counterSet: c, counters: "
     "{b: {value: 1}}}]"), f"{D0}.consumesCounters"),
    (slice_of(f"{HEAD}, allNodes: true, sharedCounters: [%s, %s]" % (("{name: c, counters: {a: {value: 1}}}",) * 2)),
     "spec.sharedCounters[1].name"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "field"), WRONG)
def test_what_the_api_server_refuses_is_an_error_at_its_field(text, field):
    loaded = load(text)
    assert [one.field for one in loaded.errors] == [field]
    assert loaded.objects.resource_slices == []


@pytest.mark.parametrize(
    "text",
    [
        many(128),
        with_device("attributes: {a: {version: 1.2.3-rc.1+b}, b.example/c: {bool: false}}, bindingConditions: [ready]"),
        shared("validValues: [1, 2Ki], default: 1", "4Ki"),
        shared("validRange: {min: 2, max: 8, step: 2}, default: 4"),
        slice_of(f"{HEAD}, perDeviceNodeSelection: true, devices: [{{name: d, nodeName: n}}]"),
        slice_of(f"{HEAD}, allNodes: true, sharedCounters: [{{name: c, counters: {{a: {{value: 1}}}}}}]"),
    ],
)  # fmt: skip
def test_what_it_admits_has_no_finding(text):
    assert load(text).findings == []


def test_what_only_newer_versions_refuse_is_a_warning():
    rich = load(many(65, ", taints: [{key: a, effect: NoSchedule}]"))
    assert [(one.severity, one.field) for one in rich.findings] == [("warning", "spec.devices")]
    counters = "sharedCounters: [{name: c, counters: {a: {value: 1}}}]"
    both = load(slice_of(f"{HEAD}, nodeName: n, devices: [{{name: d}}], {counters}"))
    assert [(one.severity, one.field) for one in both.findings] == [("warning", "spec")]
    lists = load(with_device("attributes: {a: {strings: [x, y]}}"))
    assert [(one.severity, one.field) for one in lists.findings] == [("warning", f"{D0}.attributes.a")]
    assert [one.attributes for one in lists.objects.resource_slices[0].devices] == [{}]


def test_devices_of_the_first_beta_stand_below_basic():
    device = "{name: d, basic: {attributes: {a: {int: x}}}}"
    loaded = load(slice_of(f"{HEAD}, nodeName: n, devices: [{device}]", "v1beta1"))
    assert [one.field for one in loaded.errors] == [f"{D0}.basic.attributes.a.int"]


def class_of(spec: str) -> str:
    return f"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: c}}\nspec: {spec}\n"


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ("{selectors: [{cel: {expression: 'device.x'}}]}", "spec.selectors[0].cel.expression"),
        ("{selectors: [%s]}" % ", ".join(["{cel: {expression: 'true'}}"] * 33), "spec.selectors"),  # noqa: UP031
        ("{config: [{opaque: {driver: A_}}]}", "spec.config[0].opaque.driver"),
        ("{extendedResourceName: cpu}", "spec.extendedResourceName"),
    ],
)
def test_a_class_is_checked_like_a_claim(spec, field):
    assert [one.field for one in load(class_of(spec)).errors] == [field]
