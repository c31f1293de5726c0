"""The table role x endpoint: all roles ask of one scene, each as if none had asked before."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from django.db import transaction
from django.urls import get_resolver

from tests.dashboard.conftest import Person, forget_runs
from tests.dashboard.reading_guard import own_block
from tests.seeds import ALL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from django.http import HttpResponseBase

ORDER = ["viewer", "reviewer", "editor", "admin"]
"""The roles of a workspace, each of which may what those before it may."""


def assert_each_role_gets_its_answer(
    people: dict[str, Person], needed: str, status: int, ask: Callable[[Person, str], HttpResponseBase]
) -> None:
    """Let everybody ask: `needed` and the roles behind it get `status`, the others are refused.

    `ask` sends the request of a person with a role; all that it changes is taken back before the next one asks. Of the
    roles that may, `make test` has the first and the last.
    """
    assert people.keys() == {*ORDER, "stranger", "anonymous"}
    between = set(ORDER[ORDER.index(needed) + 1 : -1])
    for role, person in people.items():
        if role in between and not ALL:
            continue
        with taken_back():
            response = ask(person, role)
        if role == "stranger":
            assert response.status_code == 404, role
        elif role == "anonymous":
            assert response.status_code == 302, role
            assert response["Location"].startswith("/signin?next="), role
        else:
            may = ORDER.index(role) >= ORDER.index(needed)
            assert response.status_code == (status if may else 403), role


def assert_each_address_has_a_row(namespace: str, rows: Iterable[str]) -> None:
    """Compare the names of a namespace's addresses with those that a table names."""
    _, resolver = get_resolver().namespace_dict[namespace]
    names, tried = {key for key in resolver.reverse_dict if isinstance(key, str)}, set(rows)
    assert not names - tried, (
        f"{sorted(names - tried)} of {namespace}: add a row to its table ENDPOINTS (name, method, smallest role that "
        "may, data, and what a table has besides)"
    )
    assert not tried - names, f"{sorted(tried - names)} in the table of {namespace}: no urls.py has the name"


@contextmanager
def taken_back() -> Iterator[None]:
    """Take back what the block changes in the database, and drop what the process then keeps of its runs."""
    with own_block(transaction.atomic()):
        yield
        transaction.set_rollback(True)
    forget_runs()
