"""Names that the API server admits, rule by rule (apimachinery validation.go); "" is no complaint."""

from __future__ import annotations

import pytest

from scheduler_core.manifests.checking import names


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (names.name_problem, ["a", "a.b-1", "a" * 253], ["", "A", "-a", "a-", "a..b", "a" * 254]),
        (names.namespace_problem, ["a-1", "a" * 63], ["", "a.b", "A", "a" * 64]),
        (names.dns_label_problem, ["0a"], ["", "a.b", "a_b"]),
        (names.service_problem, ["a1"], ["1a", "a.b", "a" * 64]),
        (names.label_key_problem, ["app", "example.com/A_b.c"], ["", "/a", "Example.com/a", "a b", "a" * 64]),
        (names.annotation_key_problem, ["Example.com/App"], ["a b", "/a"]),
        (names.label_value_problem, ["", "a", "A_b.c"], ["a.", "-a", "a b", "a" * 64]),
        (names.driver_problem, ["Disk.example.com"], ["a" * 64, "a b"]),
        (names.provisioner_problem, ["kubernetes.io/AWS-ebs"], ["a b"]),
        (names.port_problem, ["http", "a" * 15, "8a"], ["", "80", "a--b", "-a", "a" * 16]),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_rule_admits_what_the_api_server_admits(rule, good, bad):
    assert [name for name in good if rule(name)] == []
    assert [name for name in bad if not rule(name)] == []


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("Web", '"Web" is no valid name. Write lower case letters, digits, dashes and dots, such as web-1')],
)
def test_words(name, sentence):
    assert names.name_problem(name) == sentence


def test_of_a_name_that_is_too_long_its_length_is_said():
    assert "254 characters" in names.name_problem("a" * 254)


def test_a_generated_name_may_end_with_a_dash_since_more_comes_after_it():
    assert names.prefix_problem("web-", names.name_problem) == ""
    assert names.prefix_problem("-", names.name_problem)
    assert names.prefix_problem("Web-", names.name_problem)
