"""What the frame of every page knows of reviews: asked for once, and only where the frame shows it."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from dashboard.review.context import inbox

pytestmark = pytest.mark.django_db


def test_a_page_without_a_member_has_no_inbox():
    assert inbox(RequestFactory().get("/")) == {}


def test_the_database_is_asked_where_a_template_looks(reviewer, django_assert_num_queries):
    request = RequestFactory().get("/")
    request.member = reviewer.member
    with django_assert_num_queries(0):
        n_waiting = inbox(request)["inbox"]
    assert n_waiting() == 0
