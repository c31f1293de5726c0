"""The numbers and names in recordings: those on disk hold them, so none may change without a new format."""

from __future__ import annotations

from scheduler_core.recording import vocabulary


def test_numbers_and_names_are_those_of_the_recordings_on_disk():
    functions = ("address_of_extender", "is_extender")
    values = {name: getattr(vocabulary, name) for name in vocabulary.__all__ if name not in ("Code", *functions)}
    assert values == {
        "CRITERIA": (
            "fewest_violations",
            "lowest_highest_priority",
            "lowest_priority_sum",
            "fewest_victims",
            "latest_start",
        ),
        "CUSTOM": "custom",
        "DEFAULT": "default",
        "DEFAULT_REVERSED": "default_reversed",
        "DRAW": "draw",
        "IDENTITY": "identity",
        "IGNORED": -1,
        "MIN_MAX": "min_max",
        "NOT_STARTED": 2**63 - 1,
        "NOT_VISITED": -2,
        "ONLY": "only",
        "PASSED": -1,
        "PRIORITY_SHIFT": 2**31,
        "SPREAD": "spread",
    }


def test_status_codes_are_kube_schedulers():
    assert {code.label: code.value for code in vocabulary.Code} == {
        "Success": 0,
        "Error": 1,
        "Unschedulable": 2,
        "UnschedulableAndUnresolvable": 3,
        "Wait": 4,
        "Skip": 5,
        "Pending": 6,
    }


def test_rows_of_extenders_are_named_so_in_the_recordings_on_disk():
    assert vocabulary.is_extender("Extender http://a.example/x #2")
    assert vocabulary.address_of_extender("Extender http://a.example/x #2") == "http://a.example/x #2"
    assert not vocabulary.is_extender("Extender")
