"""Policies as fields of a form, and the words for those that are not as usual."""

from __future__ import annotations

from dashboard.runs.policies import FIELDS, FOR_EVER, USUAL, form_policies, own_words, plain_rules, policy_fields


def test_every_field_has_its_usual_value():
    assert USUAL.keys() == set(FIELDS)


def test_times_are_shown_in_the_units_of_their_fields_and_come_back():
    stored = {"cycle_us": 1_500, "unschedulable_stay_us": 300_000_000, "max_replacements": 7, "draw": "smallest"}
    fields = policy_fields(stored)
    assert fields == {"cycle_ms": "1.5", "stay_s": "300", "max_replacements": "7", "draw": "smallest"}
    cleaned = {**USUAL, "cycle_ms": 1.5, "binding_ms": 5, "stay_s": 300, "job_s": None, "max_replacements": 7}
    policies = form_policies(cleaned | {"draw": "smallest"})
    assert {name: policies[name] for name in stored} == stored
    assert policies["job_running_us"] is None


def test_rules_of_kubelets_are_a_field_of_json_and_come_back():
    stored = [{"labels": {"app": "web"}, "ready_after": 30.0}, {"grace": 5.0}]
    text = policy_fields({"kubelets": stored})["kubelets"]
    assert plain_rules(text) == stored
    assert (
        form_policies(
            {
                **USUAL,
                "cycle_ms": 1,
                "binding_ms": 5,
                "stay_s": None,
                "job_s": 60,
                "max_replacements": 1,
                "kubelets": stored,
            }
        )["kubelets"]
        == stored
    )
    assert own_words({"kubelets": stored}) == ["kubelets, app=web: ready after 30 s; every pod: grace 5 s"]
    assert own_words({"kubelets": []}) == []


def test_only_what_is_not_as_usual_is_said():
    assert own_words({"draw": "seeded", "cycle_us": 1_000}) == []
    assert own_words({"draw": "reservoir", "cycle_us": 2_000, "max_replacements": 3}) == [
        "draw reservoir",
        "cycles of 2 ms",
        "at most 3 replacements",
    ]
    assert own_words({"decide_anew": "shop/web_1", "without_younger": True}) == [
        "decides shop/web_1 again",
        "without pods that are younger",
    ]
    assert own_words({"job_running_us": None}) == [FOR_EVER]
