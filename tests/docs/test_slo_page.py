"""docs/slo.md names metrics, labels and buckets that /metrics has."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from dashboard.answers import tasks
from dashboard.answers.figures import Figures
from dashboard.answers.messages import Reply, Request
from dashboard.common.monitoring.metrics import exposition, look_seconds, request_seconds

PAGE = (Path(__file__).parents[2] / "docs" / "slo.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| .* \| `(schedscope_\w+)` \| `(.+)` \|$", PAGE, re.MULTILINE)
SERVICES = re.findall(r"^\| ([a-z][\w ]+?) \| ", PAGE, re.MULTILINE)


@pytest.fixture
def samples(db, monkeypatch):
    """{name of a sample: its labels, one dictionary each}, after something of each was counted."""
    request_seconds.labels("read", "2xx").observe(0.1)
    request_seconds.labels("write", "5xx").observe(0.1)
    look_seconds.observe(0.01)
    monkeypatch.setattr(tasks, "reply_to", lambda _request, _limit: Reply())
    monkeypatch.setattr(tasks, "figures", Figures())
    tasks.answer(Request("key", 1, 1, msgspec.Raw(b"{}"), True), 5, lambda: False)
    tasks.figures.write(0)
    exposed: dict[str, list[dict[str, str]]] = {}
    for family in text_string_to_metric_families(exposition().decode()):
        for sample in family.samples:
            exposed.setdefault(sample.name, []).append(sample.labels)
    return exposed


def test_every_service_has_an_objective():
    services = [name for name in SERVICES if name != "service"]
    assert services == ["pages", "messages", "run start", "run end", "answers", "lost writes"]
    assert len(ROWS) >= len(services)


@pytest.mark.parametrize(("metric", "query"), ROWS)
def test_what_a_query_selects_is_exposed(samples, metric, query):
    selectors = re.findall(r"(schedscope_\w+)(?:\{([^}]*)\})?", query)
    assert selectors
    for name, conditions in selectors:
        assert name.startswith(metric)
        labels = dict(re.findall(r'(\w+)="([^"]*)"', conditions))
        assert any(labels.items() <= one.items() for one in samples[name]), (name, labels)
