"""Pages of lists and querysets."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import User
from dashboard.common.pages import pagination
from dashboard.common.pages.pagination import paginate
from dashboard.common.problems import BadQuery


def test_first_page_of_a_list():
    page = paginate(list(range(120)), {}, size=50)
    assert (page.items[0], page.items[-1], page.first, page.last, page.total, page.pages) == (0, 49, 1, 50, 120, 3)
    assert (page.has_previous, page.has_next, page.is_more) == (False, True, False)


def test_past_the_end_is_the_last_page():
    page = paginate(list(range(120)), {"page": "99"}, size=50)
    assert (page.number, page.first, page.last, page.has_next) == (3, 101, 120, False)


def test_a_list_of_one_page_is_whole():
    assert [paginate(list(range(count)), {}, size=2).is_whole for count in (0, 2, 3)] == [True, True, False]
    assert not paginate(list(range(3)), {"page": "2"}, size=2).is_whole


def test_empty_list():
    page = paginate([], {})
    assert (page.number, page.first, page.last, page.pages, page.window) == (1, 0, 0, 1, [1])


@pytest.mark.parametrize("text", ["0", "-1", "x", "100001"])
def test_odd_pages_are_refused(text):
    with pytest.raises(BadQuery):
        paginate([], {"page": text})


@pytest.mark.parametrize(
    ("number", "window"),
    [
        (1, [1, 2, 3, None, 20]),
        (10, [1, None, 8, 9, 10, 11, 12, None, 20]),
        (20, [1, None, 18, 19, 20]),
    ],
)
def test_window_leaves_numbers_out(number, window):
    assert paginate(list(range(1000)), {"page": str(number)}).window == window


def test_counting_stops_at_the_limit(db, monkeypatch, django_assert_num_queries):
    for i in range(7):
        User.objects.create_user(f"u{i}@example.org")
    monkeypatch.setattr(pagination, "COUNT_LIMIT", 4)
    with django_assert_num_queries(2):
        page = paginate(User.objects.all(), {"page": "4"}, size=2)
    assert (page.total, page.is_more, len(page.items), page.has_next) == (4, True, 1, False)
