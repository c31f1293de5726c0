"""The app of dashboard.common."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import pre_migrate

from dashboard.common.database.sqlite_file import begin_incremental


class CommonConfig(AppConfig):
    """Sees to it that a new SQLite file can give space back."""

    name = "dashboard.common"
    label = "common"

    def ready(self) -> None:
        """Listen to what comes before the first table."""
        pre_migrate.connect(prepare_file, dispatch_uid="dashboard.common.prepare_file")


def prepare_file(using: str, **_signal: Any) -> None:
    """Make a SQLite file without tables incremental; other databases are left alone."""
    connection = connections[using]
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        connection.ensure_connection()
        begin_incremental(connection.connection)
