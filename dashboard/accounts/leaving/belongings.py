"""The rows of a workspace and the rows of a person, by the references between models: a new model is in them by itself.

A model belongs to a workspace by the shortest way of references that are never null. What belongs to none is in
`OF_NO_WORKSPACE`, with the reason; a test compares it with the models.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.db import models

from dashboard.accounts.models import User, Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

Model = type[models.Model]

OF_NO_WORKSPACE = {
    "accounts.KnownAddress": "of a person: addresses at which they signed in, as keyed hashes",
    "accounts.SigninFailures": "counts of wrong passwords under keyed hashes, for five minutes",
    "accounts.SigninToken": "of a person: hashes of one-time links",
    "accounts.SubmittedForm": "hashes of forms with the address of what they made, for a day",
    "accounts.User": "the person, who may be in several workspaces",
    "answers.AnswerTotal": "counts of the installation",
    "answers.AnswerWorker": "processes of the installation",
    "auth.Group": "of Django; unused",
    "auth.Group_permissions": "of Django; unused",
    "auth.Permission": "of Django; unused",
    "contenttypes.ContentType": "names of models",
    "runs.ClockLook": "what workers saw of this host's clock: no person, no workspace",
    "runs.RunFigure": "sums of runs by number; those of deleted runs are one sum without a name",
    "sessions.Session": "of a person: who is signed in where",
}
"""Models that belong to no workspace, with what they hold."""


def label(model: Model) -> str:
    """Return the name of a model with that of its app."""
    return model._meta.label


@cache
def ways_to_workspace() -> dict[Model, tuple[str, Model]]:
    """Return {model: (field that leads on, model that it leads to)}, the nearest to the workspace first."""
    everything = apps.get_models(include_auto_created=True)
    ways: dict[Model, tuple[str, Model]] = {}
    border: list[Model] = [Workspace]
    while border:
        reached = {}
        for model in everything:
            if model is not Workspace and model not in ways:
                fields = [field for field in _references(model) if not field.null and field.related_model in border]
                if fields:
                    reached[model] = (fields[0].name, fields[0].related_model)
        ways |= reached
        border = list(reached)
    return ways


def rows_of_workspace(model: Model, workspace: Workspace) -> models.QuerySet[Any]:
    """Return the rows of a model that belong to the workspace, without joins, so that they can be deleted as one."""
    if model is Workspace:
        return Workspace.objects.filter(pk=workspace.pk)
    field, parent = ways_to_workspace()[model]
    reached = rows_of_workspace(parent, workspace)
    return model._base_manager.order_by().filter(**{f"{field}__in": reached.order_by().values("pk")})


def rows_of_person(user: User) -> Iterator[tuple[Model, models.QuerySet[Any]]]:
    """Yield each model that refers to people, with the rows that refer to this one; the person's own row first."""
    yield User, User.objects.filter(pk=user.pk)
    for model, fields in references_to_people().items():
        condition = models.Q()
        for field in fields:
            condition |= models.Q(**{field.name: user})
        yield model, model._base_manager.filter(condition)


@cache
def references_to_people() -> dict[Model, list[Any]]:
    """Return {model: its references to users}."""
    found_in: dict[Model, list[Any]] = {}
    for model in apps.get_models(include_auto_created=True):
        if fields := [field for field in _references(model) if field.related_model is User]:
            found_in[model] = fields
    return found_in


def referring_first() -> list[Model]:
    """Return the models of a workspace, each before the one that it leads to."""
    return list(reversed(ways_to_workspace()))


def _references(model: Model) -> list[Any]:
    return [field for field in model._meta.fields if field.is_relation and field.related_model]
