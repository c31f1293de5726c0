"""Long names in narrow places keep the part that tells them apart."""

from __future__ import annotations

from dashboard.debugger.templatetags.debugger import tailed


def test_a_short_name_is_whole():
    assert tailed("web-1") == '<span class="cut">web-1</span>'


def test_a_long_name_keeps_its_end():
    assert tailed("checkout-api-6f7c9d8b5c-x2k4q").endswith("<span>8b5c-x2k4q</span></span>")


def test_a_name_with_a_domain_keeps_its_beginning():
    name = "master-0.cluster.example.com"
    assert tailed(name) == f'<span class="cut">{name}</span>'


def test_names_are_escaped():
    assert "<b>" not in tailed("<b>" * 20)
