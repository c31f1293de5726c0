"""Amounts of resources: which are read, which are refused."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.manifest_helpers import load, only, pod_text


@pytest.mark.parametrize(
    ("amount", "advice"),
    [
        ("1.5.5", "is no quantity"),
        ("-1", "negative"),
        ("NaN", "is no quantity"),
        ("'4 cores'", "Write 4"),
        ("[1]", "a list"),
        ("true", "true"),
        ("''", "is no quantity"),
        ("'\uff11'", "is no quantity"),
        ("1:30", "is no quantity"),
        ("'1e1000000000'", "is no quantity"),
    ],
)
def test_a_wrong_quantity_is_refused(amount, advice):
    text = f"""\
        apiVersion: v1
        kind: Pod
        metadata: {{name: p}}
        spec:
          containers:
          - name: c
            resources:
              requests:
                memory: 64Mi
                cpu: {amount}
        """
    finding = only(load(text))
    assert (finding.line, finding.field) == (10, "spec.containers[0].resources.requests.cpu")
    assert advice in finding.message


@pytest.mark.parametrize(
    ("amount", "milli"),
    [("1e3", 1_000_000), ("'1E'", 10**21), ("'1e999'", 10**30), ("250m", 250), ("0.1", 100), ("2", 2000)],
)
def test_odd_but_valid_quantities_are_read(amount, milli):
    text = f"""\
        apiVersion: v1
        kind: Pod
        metadata: {{name: p}}
        spec: {{containers: [{{name: c, resources: {{requests: {{cpu: {amount}}}}}}}]}}
        """
    result = load(text)
    assert result.objects.pods[0].containers[0].requests["cpu"] == min(milli, (1 << 63) - 1)


@pytest.mark.parametrize(
    ("requests", "limits", "field"),
    [
        ("{cpu: 2}", "{cpu: 1}", "cpu"),
        ("{nvidia.com/gpu: 2}", "{nvidia.com/gpu: 4}", "[nvidia.com/gpu]"),
    ],
)
def test_requests_above_limits_are_refused(requests, limits, field):
    text = f"""\
        apiVersion: v1
        kind: Pod
        metadata: {{name: p}}
        spec: {{containers: [{{name: c, resources: {{requests: {requests}, limits: {limits}}}}}]}}
        """
    joint = "" if field.startswith("[") else "."
    assert only(load(text)).field == f"spec.containers[0].resources.requests{joint}{field}"


HUGE = "containers:\n- {name: a, image: x, resources: {%s}}\n- {name: b, image: x, resources: {%s}}"
MOST = "requests: {memory: '9223372036854775807'}"
SUMS = [
    (HUGE % (MOST, "requests: {memory: '1'}"), "memory", 1 << 63),
    (HUGE % ("requests: {memory: 8Ei}", "requests: {memory: 8Ei}"), "memory", (1 << 64) - 2),
    (HUGE % ("limits: {example.com/x: 5Ei}", "limits: {example.com/x: 4Ei}"), "example.com/x", 9 << 60),
    (HUGE % ("requests: {cpu: '9223372036854775'}", "requests: {cpu: '1'}"), "cpu", 9223372036854776000),
    (f"overhead: {{memory: '1'}}\n{HUGE % (MOST, '')}", "memory", 1 << 63),
    (f"initContainers: [{{name: i, image: x, restartPolicy: Always, resources: {{{MOST}}}}}]\n{HUGE % (MOST, '')}",
     "memory", (1 << 64) - 2),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "resource", "total"), SUMS)
def test_a_pod_that_asks_for_more_than_an_int64_holds_is_refused(spec, resource, total):
    text = pod_text(spec).rsplit("\n", 2)[0]
    finding = only(load(text + "\n"))
    assert (finding.severity, finding.object, finding.field) == ("error", "Pod default/web-0", "spec.containers")
    assert all(part in finding.message for part in (f"of {resource} ", f" {total}, ", str((1 << 63) - 1)))
    assert finding.line is not None


def test_the_largest_sum_that_an_int64_holds_is_read():
    text = pod_text(HUGE % ("requests: {memory: '9223372036854775806'}", "requests: {memory: '1'}")).rsplit("\n", 2)[0]
    assert load(text + "\n").findings == []
