"""The cast of the tests: one signed-in client per role in one workspace, and a stranger with their own."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

from dashboard.accounts import actions
from dashboard.accounts.models import Member, Role, User, Workspace
from dashboard.debugger.outcomes import summary_cache
from dashboard.runs import sessions
from dashboard.runs.storage import recordings

PASSWORD = "correct horse battery"


class Person(Client):
    """A browser that somebody is signed in with."""

    user: User

    @property
    def member(self) -> Member:
        """Return the person's first membership, as the database has it now."""
        return Member.objects.select_related("workspace", "user").get(user=self.user, workspace__slug="team")


def signed_in(user: User) -> Person:
    """Return a client of the user that checks CSRF tokens no more than the test client usually does."""
    person = Person()
    person.user = user
    # What signing in leaves, without what it does besides: each test signs in up to five people.
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    person.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    return person


def join(workspace: Workspace, name: str, role: str) -> Person:
    """Return the client of a new member."""
    user = User.objects.create_user(f"{name.lower()}@example.org", name, PASSWORD)
    Member.objects.create(workspace=workspace, user=user, role=role)
    return signed_in(user)


def forget_runs() -> None:
    """Drop what the process keeps of runs."""
    sessions.forget()
    recordings.forget()
    summary_cache.forget()


@pytest.fixture(autouse=True)
def no_runs_of_another_test() -> None:
    """Drop what the process keeps of runs: each test's database gives their keys out again."""
    forget_runs()


@pytest.fixture
def owner(db) -> Person:
    """Asha, who made the workspace "team" and is its admin."""
    user = User.objects.create_user("asha@example.org", "Asha", PASSWORD)
    actions.create_workspace(user, "Team", "team")
    return signed_in(user)


@pytest.fixture
def workspace(owner) -> Workspace:
    """The workspace "team"."""
    return Workspace.objects.get(slug="team")


@pytest.fixture
def editor(workspace) -> Person:
    """Edda, an editor."""
    return join(workspace, "Edda", Role.EDITOR)


@pytest.fixture
def reviewer(workspace) -> Person:
    """Ravi, a reviewer."""
    return join(workspace, "Ravi", Role.REVIEWER)


@pytest.fixture
def viewer(workspace) -> Person:
    """Vera, a viewer."""
    return join(workspace, "Vera", Role.VIEWER)


@pytest.fixture
def stranger(db) -> Person:
    """Stan, admin of another workspace."""
    user = User.objects.create_user("stan@example.org", "Stan", PASSWORD)
    actions.create_workspace(user, "Elsewhere", "elsewhere")
    return signed_in(user)


@pytest.fixture
def anonymous(db) -> Client:
    """A browser without a session."""
    return Client()


@pytest.fixture
def people(owner, editor, reviewer, viewer, stranger, anonymous) -> dict[str, Client]:
    """Everybody by role name."""
    return {
        "admin": owner,
        "editor": editor,
        "reviewer": reviewer,
        "viewer": viewer,
        "stranger": stranger,
        "anonymous": anonymous,
    }
