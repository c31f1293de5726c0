"""What the start of an embedded installation does to its database before anybody reads it.

The tables of a new database are made from the models. The migrations would make the same tables (a test compares them)
in 20 times the time: Django renders all models again after each of their 200 operations.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from django.apps import apps
from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import CommandError
from django.db import DatabaseError, connections, router
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from dashboard.common.database.sqlite_file import DamagedDatabase, damage_in
from dashboard.common.database.storage_problems import words_for_commands
from dashboard.common.processes.child import REFUSED
from dashboard.common.processes.marks import mark

if TYPE_CHECKING:
    from io import StringIO

    from django.core.management.base import OutputWrapper
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models import Model


def has_tables(connection: BaseDatabaseWrapper) -> bool:
    """Return whether the database has any table."""
    return bool(connection.introspection.table_names())


def make_tables(connection: BaseDatabaseWrapper) -> int:
    """Make all tables in a database without any, and note all migrations as applied, in one transaction.

    Returns the number of tables.
    """
    loader = MigrationLoader(connection)
    applied = MigrationRecorder(connection).Migration
    models: list[type[Model]] = [
        applied,
        *(
            model
            for config in apps.get_app_configs()
            if config.label in loader.migrated_apps
            for model in router.get_migratable_models(config, connection.alias)
            if model._meta.can_migrate(connection)
        ),
    ]
    with connection.schema_editor() as editor:
        for model in models:
            editor.create_model(model)  # with the tables of its many-to-many fields
            mark(f"table {model._meta.db_table}")
        rows = [applied(app=app, name=name) for app, name in loader.graph.nodes]
        applied.objects.using(connection.alias).bulk_create(rows)
    return len(connection.introspection.table_names())


# The worker of an installation that was killed a moment ago may still end its transaction: another try is of use.
LOCKED = "locked"


def prepare(out: OutputWrapper | StringIO, errors: OutputWrapper | StringIO, *, with_demo: bool) -> int:
    """Bring the database to its last migration and load the demo; return an exit status.

    REFUSED is for what a person has to mend, with a line that says what it is. Raises what is an error of the program.
    """
    try:
        call_command("migrate", verbosity=0)
        if with_demo and "load_demo" in get_commands():
            call_command("load_demo", stdout=out)
    except (DatabaseError, CommandError) as error:
        problem = _problem(error)
        if problem is None:
            raise
        errors.write(f"schedscope: {problem}\n")
        return 1 if LOCKED in problem else REFUSED
    finally:
        connections.close_all()
    return 0


def _problem(error: DatabaseError | CommandError) -> str | None:
    """Return what to say of an error that a person has to mend, None for one of the program."""
    if isinstance(error, CommandError):
        return str(error)
    if words := damage_in(error):
        return str(DamagedDatabase(Path(settings.DATABASES["default"]["NAME"]), words))
    # No space, no rights, no server.
    return words_for_commands(error)
