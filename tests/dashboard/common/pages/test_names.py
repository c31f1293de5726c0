"""Long names in narrow places keep the part that tells them apart."""

from __future__ import annotations

import pytest

from dashboard.common.pages.names import ShortNames, short_names
from dashboard.common.templatetags.schedscope import tailed


def test_a_short_name_is_whole():
    assert tailed("web-1") == '<span class="cut">web-1</span>'


def test_a_long_name_keeps_its_end():
    assert ShortNames().parts("checkout-api-6f7c9d8b5c-x2k4q") == ("checkout-api-6f7c9d", "8b5c-x2k4q", "")
    assert '<span class="kept">8b5c-x2k4q</span>' in tailed("checkout-api-6f7c9d8b5c-x2k4q")


def test_of_a_name_with_a_domain_the_domain_goes_first():
    assert ShortNames().parts("ip-10-1-45-200.eu.compute.internal") == ("ip-1", "0-1-45-200", ".eu.compute.internal")


def test_of_a_name_little_longer_than_its_end_nothing_is_cut_in_front():
    assert ShortNames().parts("ip-10-0-0-17.eu.compute.internal") == ("", "ip-10-0-0-17", ".eu.compute.internal")


def test_what_all_names_of_a_list_share_is_cut_first():
    names = ["ip-10-0-1.eu.internal", "ip-10-0-22.eu.internal", "ip-10-7-3.eu.internal"]
    short = short_names(names)
    assert [short.parts(name) for name in names] == [
        ("ip-10-", "0-1", ".eu.internal"),
        ("ip-10-", "0-22", ".eu.internal"),
        ("ip-10-", "7-3", ".eu.internal"),
    ]


def test_parts_put_together_are_the_name():
    names = ["a-b-c", "a-b-c-d", "a-b", "", "x" * 40, "a.b.c"]
    for short in (short_names(names), short_names(names[:2]), ShortNames(3, 9), ShortNames()):
        for name in names:
            assert "".join(short.parts(name)) == name


@pytest.mark.parametrize("names", [[], ["only-one"]])
def test_a_list_that_compares_nothing_shortens_nothing(names):
    assert short_names(names) == ShortNames()


def test_shared_letters_within_a_word_are_no_prefix():
    assert short_names(["train-01425", "train-01475"]).prefix == len("train-")


def test_names_are_escaped():
    assert "<b>" not in tailed("<b>" * 20)
    assert "<b>" not in tailed("<b>")
