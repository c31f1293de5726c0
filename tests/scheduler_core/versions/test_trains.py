"""Each version belongs to a train; what is outside of all of them counts as the nearest."""

from __future__ import annotations

import pytest

from scheduler_core.versions.trains import NAMES, NEWEST_MEASURED, TRAINS, VersionError, find_train, is_outside


@pytest.mark.parametrize(
    ("version", "train"),
    [
        ("1.33", "1.33"),
        ("v1.33.10-gke.1036000", "1.33"),
        ("1.34.0", "1.34.0"),
        ("v1.34.1+k3s1", "1.34.0"),
        ("1.34.1-eks-113cf36", "1.34.0"),
        ("1.34", "1.34"),
        ("1.34.2", "1.34"),
        ("1.35.6", "1.35"),
        ("v1.36.0-rc.1", "1.36"),
        ("1.37.2", "1.37"),
        ("1.29.4", "1.33"),
        ("1.40", "1.37"),
        ("2.0", "1.37"),
    ],
)
def test_a_version_has_its_train(version, train):
    assert find_train(version).name == train


@pytest.mark.parametrize(("version", "side"), [("1.32.9", "older"), ("1.38", "newer"), ("2.0", "newer"), ("1.33", "")])
def test_what_is_outside_of_all_trains_says_so(version, side):
    assert is_outside(version) == side


@pytest.mark.parametrize("text", ["", "1", "latest", "v1.x", "1.34.", "1.34.1.2", "-1.34", "1.3400", "1.34 or so"])
def test_what_is_no_version_is_refused_with_what_one_looks_like(text):
    with pytest.raises(VersionError, match=r"like 1\.34 or 1\.34\.1"):
        find_train(text)


def test_measured_ones_say_against_what_and_the_others_that_they_are_derived():
    assert {name: train.measured for name, train in TRAINS.items() if train.measured} == {
        "1.33": ("1.33.10",),
        "1.34.0": ("1.34.1",),
        "1.35": ("1.35.6",),
        "1.36": ("1.36.2",),
    }
    assert TRAINS["1.36"].evidence == "measured against 1.36.2"
    assert TRAINS["1.37"].evidence == "derived from sources"
    assert NEWEST_MEASURED == "1.36"


def test_labels_name_the_patches_where_a_train_has_some_of_them():
    assert [TRAINS[name].label for name in NAMES] == [
        "1.33",
        "1.34.0 and 1.34.1",
        "1.34.2 and later",
        "1.35",
        "1.36",
        "1.37",
    ]
