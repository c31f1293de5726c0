"""The cast of the tests: one signed-in client per role in one workspace, and a stranger with their own."""

from __future__ import annotations

import sys
from functools import lru_cache

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

from dashboard.accounts import actions
from dashboard.accounts.models import Member, Role, User, Workspace
from dashboard.answers import computing
from dashboard.clusters.importing import actions as importing
from dashboard.clusters.importing import reading
from dashboard.common.lru_cache import LruCache
from dashboard.common.processes import memory
from dashboard.common.registering import register_all
from dashboard.runs import sessions
from dashboard.runs.storage import outcomes, recordings
from tests.dashboard.reading_guard import guard
from tests.dashboard.row_snapshots import snapshot_of

guard()
register_all()  # before a test puts another registry in place
# A pass over all objects takes several times as long where those of all tests are among them.
memory.GROWN_BYTES = 128 << 20
# What a busy machine reads slowly is saved and explained at once all the same.
importing.SMALL_SECONDS = reading.SECONDS_FOR_CAUSES = 600.0
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
    return with_session(user, new_session(user))


def new_session(user: User) -> str:
    """Write the session of a user; return its key."""
    # What signing in leaves, without what it does besides: each test signs in up to five people.
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return session.session_key


def with_session(user: User, session_key: str) -> Person:
    """Return a client of the user with this session."""
    person = Person()
    person.user = user
    person.cookies[settings.SESSION_COOKIE_NAME] = session_key
    return person


def join(workspace: Workspace, name: str, role: str) -> Person:
    """Return the client of a new member."""

    def join() -> tuple[int, str]:
        user = User.objects.create_user(f"{name.lower()}@example.org", name, PASSWORD)
        Member.objects.create(workspace=workspace, user=user, role=role)
        return user.pk, new_session(user)

    return _person(snapshot_of(f"{name}, {role} of {workspace.slug}", join))


def _person(made: tuple[int, str]) -> Person:
    """Return the client of a user and session."""
    user_id, session_key = made
    return with_session(User.objects.get(pk=user_id), session_key)


def founder(email: str, name: str, workspace: tuple[str, str]) -> Person:
    """Return the client of a new user who made a workspace: (its name, its slug)."""

    def make() -> tuple[int, str]:
        user = User.objects.create_user(email, name, PASSWORD)
        actions.create_workspace(user, *workspace)
        return user.pk, new_session(user)

    return _person(snapshot_of(f"{email}, {workspace}", make))


def forget_runs() -> None:
    """Drop what the process keeps of runs: a run of a snapshot has the key and date that it had in other tests."""
    sessions.forget()
    recordings.forget()
    outcomes._tallies.clear()
    computing.sessions.cache_clear()
    for cache in _caches(len(sys.modules)):
        cache.clear()


@lru_cache(maxsize=1)
def _caches(_n_modules: int) -> list[LruCache]:
    """Return the caches of the dashboard's modules, of which each import may bring more."""
    modules = [module for name, module in sys.modules.items() if name.startswith("dashboard.")]
    # By its type: to ask a lazy task of Celery for its class looks it up in the application of the moment.
    values = (value for module in modules for value in vars(module).values())
    return [value for value in values if issubclass(type(value), LruCache)]


@pytest.fixture(autouse=True)
def no_runs_of_another_test() -> None:
    """Drop what the process keeps of runs: each test's database gives their keys out again."""
    forget_runs()


@pytest.fixture
def owner(db) -> Person:
    """Asha, who made the workspace "team" and is its admin."""
    return founder("asha@example.org", "Asha", ("Team", "team"))


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
    return founder("stan@example.org", "Stan", ("Elsewhere", "elsewhere"))


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
