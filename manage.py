#!/usr/bin/env python
"""Django's command line for Schedscope."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run one management command; a wrong set-up is told in one line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from dashboard.data_folder import DataFolderError

    try:
        execute_from_command_line(sys.argv)
    except (DataFolderError, ImproperlyConfigured) as error:
        sys.exit(f"schedscope: {error}")


if __name__ == "__main__":
    main()
