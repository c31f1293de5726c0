"""Which letters of a name are marked."""

from __future__ import annotations

import pytest

from dashboard.search.hits import marked


def shown(name, typed, by_letters=False):
    return "".join(f"[{text}]" if is_typed else text for text, is_typed in marked(name, typed.split(), by_letters))


@pytest.mark.parametrize(
    ("name", "typed", "expected"),
    [
        ("shop/web-1", "web", "shop/[web]-1"),
        ("web/web-1", "web", "web/[web]-1"),
        ("xdb-db", "db", "xdb-[db]"),
        ("orders", "der", "or[der]s"),
        ("orders-db-0", "db orders", "[orders]-[db]-0"),
        ("web", "web", "[web]"),
        ("Step over", "step", "[Step] over"),
        ("orders", "x", "orders"),
        ("", "x", ""),
        ("İx", "x", "İx"),
    ],
)
def test_a_word_is_marked_where_it_counts(name, typed, expected):
    assert shown(name, typed) == expected


def test_single_letters_are_marked_where_the_word_is_not():
    assert shown("orders", "ods", by_letters=True) == "[o]r[d]er[s]"
    assert shown("orders", "ods") == "orders"
    assert shown("orders", "sdo", by_letters=True) == "orders"


def test_the_parts_are_the_name():
    for name in ("", "a", "<b>&amp;", "web-1"):
        assert "".join(part.text for part in marked(name, ["b"])) == name
