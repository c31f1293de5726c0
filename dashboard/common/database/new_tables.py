"""The tables of a new database, made from the models.

The migrations would make the same tables (a test compares them) in 20 times the time: Django renders all models again
after each of their 200 operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import apps
from django.db import router
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from dashboard.common.processes.marks import mark

if TYPE_CHECKING:
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
