"""What tokens may do: scopes such as "collect:prod", each of a kind that an app registers.

A scope is the name of its kind, a colon and what it is about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.problems import Problem
from dashboard.common.registering import Registered

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.accounts.models import User, Workspace

MOST_SCOPES = 20


@dataclass(frozen=True)
class ScopeKind:
    """A kind of scope: its `label` and what it lets a program do, in words.

    `choices` gives what there is of it in a workspace as (value, label). `prepare` makes sure that what a scope is
    about is there, and returns the value as it is stored; it raises Problem. `per_minute` requests are taken. `command`
    gives the command that uses a token, by the address of this site, the workspace and what the scope is about.
    """

    label: str
    help: str
    choices: Callable[[Workspace], list[tuple[str, str]]]
    prepare: Callable[[Workspace, User | None, str], str]
    per_minute: int
    command: Callable[[str, Workspace, str], str]


_kinds: Registered[ScopeKind] = Registered()


def register(name: str, kind: ScopeKind) -> None:
    """Add a kind of scope."""
    _kinds.add(name, kind)


def kinds() -> dict[str, ScopeKind]:
    """Return the kinds by name."""
    return _kinds.all()


def prepared(workspace: Workspace, user: User | None, scopes: list[str]) -> list[str]:
    """Return these scopes as they are stored, each once; raises Problem for one that is none."""
    if not scopes:
        raise Problem("A token needs a scope, such as collect:CLUSTER.")
    if len(scopes) > MOST_SCOPES:
        raise Problem(f"A token has at most {MOST_SCOPES} scopes.")
    return list(dict.fromkeys(_prepared(workspace, user, scope) for scope in scopes))


def _prepared(workspace: Workspace, user: User | None, scope: str) -> str:
    name, colon, value = scope.strip().partition(":")
    kind = kinds().get(name)
    if kind is None or not colon or not value.strip():
        names = ", ".join(f"{one}:…" for one in sorted(kinds()))
        raise Problem(f'"{scope[:80]}" is no scope. Known are: {names}')
    return f"{name}:{kind.prepare(workspace, user, value.strip())}"


def per_minute(scopes: list[str]) -> int:
    """Return how many requests a minute a token with these scopes may make."""
    all_kinds = kinds()
    names = (scope.partition(":")[0] for scope in scopes)
    return max((all_kinds[name].per_minute for name in names if name in all_kinds), default=0)


def commands(site: str, workspace: Workspace, of: list[str]) -> list[str]:
    """Return the commands that use a token with these scopes, at this address of the site."""
    all_kinds = kinds()
    parts = (scope.partition(":") for scope in of)
    return [all_kinds[name].command(site, workspace, about) for name, _, about in parts if name in all_kinds]
