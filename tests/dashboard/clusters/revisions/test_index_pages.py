"""Index pages list what they were made of, and a change of one object changes few of them."""

from __future__ import annotations

import hashlib

from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.clusters.revisions.index_pages import MAX_PAGE, ObjectEntry, pack_pages, unpack_page


def entries(n):
    return [ObjectEntry("Pod", "default", f"p-{i}", hashlib.sha256(b"%d" % i).digest()) for i in range(n)]


@settings(max_examples=20)
@given(n=st.integers(0, 1_200), at=st.integers(0, 1_199))
def test_pages_list_all_entries_in_order_and_without_one_at_most_two_differ(n, at):
    whole = entries(n)
    pages = list(pack_pages(whole))
    assert [entry for page in pages for entry in unpack_page(page)] == whole
    fewer = set(pack_pages(whole[:at] + whole[at + 1 :]))
    assert len(fewer - set(pages)) <= 2


def test_a_page_has_an_end_where_no_key_ends_it():
    same = [ObjectEntry("Pod", "default", "a", b"0" * 32)] * (MAX_PAGE + 1)
    assert [len(unpack_page(page)) for page in pack_pages(same)] == [MAX_PAGE, 1]
