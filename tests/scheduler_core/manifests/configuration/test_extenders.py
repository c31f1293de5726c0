"""Texts and fields are those of the reference's validation, from its recorded configuration errors."""

from __future__ import annotations

import pytest

from scheduler_core.api.config import Extender, ExtenderTLS, ManagedResource
from scheduler_core.manifests import UNKNOWN
from scheduler_core.manifests.configuration.configurations import config_from_raw

REFUSED = "nothing answers for"


def findings_of(*extenders, **options):
    raw = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    return config_from_raw(raw | {"extenders": list(extenders)}, **options)


def complaints_on(*extenders):
    config, findings = findings_of(*extenders)
    assert config is None
    return [(f.field, f.message) for f in findings if REFUSED not in f.message]


def managing(*names):
    return {"urlPrefix": "http://e.example", "managedResources": [{"name": name} for name in names]}


WHOLE = {
    "urlPrefix": "https://e.example/scheduler",
    "filterVerb": "filter",
    "prioritizeVerb": "prioritize",
    "preemptVerb": "preempt",
    "bindVerb": "bind",
    "weight": 2,
    "enableHTTPS": True,
    "tlsConfig": {"insecure": False, "serverName": "e.example", "caFile": "/ca.pem"},
    "httpTimeout": "1m2.5s",
    "nodeCacheCapable": True,
    "managedResources": [{"name": "example.com/device", "ignoredByScheduler": True}],
    "ignorable": True,
}


def test_an_extender_with_every_field_is_refused_for_nothing_but_being_one():
    config, findings = findings_of(WHOLE)
    assert config is None
    assert [(f.severity, f.field) for f in findings] == [("error", "extenders[0]")]


def test_where_something_answers_for_it_an_extender_is_read_with_every_field():
    config, findings = findings_of(WHOLE, answered=True)
    assert findings == []
    assert config.extenders == (
        Extender(
            url_prefix="https://e.example/scheduler",
            filter_verb="filter",
            prioritize_verb="prioritize",
            preempt_verb="preempt",
            bind_verb="bind",
            weight=2,
            enable_https=True,
            tls=ExtenderTLS(server_name="e.example", ca_file="/ca.pem"),
            http_timeout=62.5,
            node_cache_capable=True,
            managed_resources=(ManagedResource("example.com/device", ignored_by_scheduler=True),),
            ignorable=True,
        ),
    )


@pytest.mark.parametrize(("text", "seconds"), [("", 5.0), ("0s", 5.0), ("100ms", 0.1), ("-1.5s", -1.5), ("2h", 7200.0)])
def test_a_time_out_is_in_seconds_and_5_unless_it_is_given(text, seconds):
    config, _ = findings_of({"urlPrefix": "http://e", "httpTimeout": text}, answered=True)
    assert config.extenders[0].http_timeout == pytest.approx(seconds)


def test_what_is_wrong_is_refused_whether_something_answers_or_not():
    config, findings = findings_of({"urlPrefix": "http://e", "prioritizeVerb": "p"}, answered=True)
    assert config is None
    assert [finding.field for finding in findings] == ["extenders[0].weight"]


def test_what_is_left_out_is_not_read():
    config, _ = findings_of(WHOLE, leave_out=UNKNOWN, answered=True)
    assert config.extenders == ()


def test_who_does_not_prioritize_needs_no_weight():
    assert complaints_on({"urlPrefix": "http://e", "filterVerb": "f"}) == []


PRIORITIZES, BINDS = {"urlPrefix": "http://e", "prioritizeVerb": "p"}, {"urlPrefix": "http://e", "bindVerb": "bind"}
FIRST_MANAGED = "extenders[0].managedResources[0].name"


@pytest.mark.parametrize(
    ("extenders", "field", "sentence"),
    [
        *[([PRIORITIZES | weight], "extenders[0].weight",
           f"Invalid value: {value}: must have a positive weight applied to it")
          for weight, value in (({"weight": 0}, 0), ({"weight": -1}, -1), ({}, 0))],
        ([BINDS, BINDS], "extenders",
         'Invalid value: "found 2 extenders implementing bind": only one extender can implement bind'),
        *[([managing(name)], FIRST_MANAGED, f'Invalid value: "{name}": is an invalid extended resource name')
          for name in ("cpu", "requests.example.com/a", "kubernetes.io/batch")],
        ([managing("a.b/c"), managing("a.b/d"), managing("a.b/c")], "extenders[2].managedResources[0].name",
         'Invalid value: "a.b/c": duplicate extender managed resource name'),
    ],
)  # fmt: skip
def test_words(extenders, field, sentence):
    assert complaints_on(*extenders) == [(field, sentence)]


@pytest.mark.parametrize("name", ["a b/c", "a.b/", "/", "x" * 300])
def test_a_managed_resource_has_a_qualified_name(name):
    ((field, message),) = complaints_on(managing(name))
    assert field == "extenders[0].managedResources[0].name"
    assert message


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("urlPrefix", 5),
        ("filterVerb", ["filter"]),
        ("weight", "2"),
        ("enableHTTPS", "yes"),
        ("nodeCacheCapable", 1),
        ("ignorable", "no"),
        ("httpTimeout", "5"),
        ("httpTimeout", "5 s"),
        ("httpTimeout", 5),
        ("tlsConfig", "none"),
        ("managedResources", {"name": "a.b/c"}),
    ],
)
def test_values_of_other_types_are_named_at_their_field(field, value):
    assert [where for where, _ in complaints_on({"urlPrefix": "http://e"} | {field: value})] == [
        f"extenders[0].{field}"
    ]


@pytest.mark.parametrize("entry", ["http://e", 3, ["x"]])
def test_an_entry_that_is_no_mapping_is_named(entry):
    assert [where for where, _ in complaints_on(entry)] == ["extenders[0]"]


def test_an_unknown_field_names_the_near_one():
    ((field, message),) = complaints_on({"urlPrefix": "http://e", "filterverb": "f"})
    assert field == "extenders[0].filterverb"
    assert "filterVerb" in message


def test_an_extender_that_is_left_out_is_not_checked():
    config, findings = findings_of({"urlPrefix": "http://e", "prioritizeVerb": "p"}, leave_out=UNKNOWN)
    assert config is not None
    assert {f.severity for f in findings} == {"warning"}
