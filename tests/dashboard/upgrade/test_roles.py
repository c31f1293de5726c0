"""Who may use which address of upgrade reports: the table role x endpoint."""

from __future__ import annotations

import pytest
from django.urls import reverse

from dashboard.upgrade import computing
from tests.dashboard.role_tables import assert_each_address_has_a_row, assert_each_role_gets_its_answer

# name, method, smallest role that may, form data, status where it works
ENDPOINTS = [
    ("page", "get", "viewer", {}, 200),
    ("start", "post", "editor", {"before": "1.35", "after": "1.36"}, 302),
    ("report", "get", "viewer", {}, 200),
    ("cancel", "post", "editor", {}, 302),
    ("download", "get", "viewer", {}, 200),
]


@pytest.mark.parametrize(("name", "method", "needed", "data", "status"), ENDPOINTS, ids=[row[0] for row in ENDPOINTS])
def test_each_role_gets_its_answer(people, ask, name, method, needed, data, status):
    row = ask()
    computing.work()
    numbered = {} if name in ("page", "start") else {"number": row.pk}
    url = reverse(f"upgrade:{name}", kwargs={"slug": "team", "cluster": "prod", **numbered})
    assert_each_role_gets_its_answer(people, needed, status, lambda person, _: getattr(person, method)(url, data))


def test_each_address_has_a_row():
    assert_each_address_has_a_row("upgrade", (row[0] for row in ENDPOINTS))
