"""The scripts of the pages as tests reach them: by the name of their source, in the built file that has them."""

from __future__ import annotations

import json
from pathlib import Path

from django.conf import settings


def page_modules_script() -> str:
    """Return a script for new pages: `pageModule('common/toast.js')` is a promise of the one instance on the page."""
    # Measurements choose the settings after they import this.
    from dashboard.common.assets.build import read_chunks
    from dashboard.common.assets.modules import function_of
    from dashboard.common.assets.storage import build_static_files

    build_static_files()
    chunks = read_chunks(Path(settings.STATIC_ROOT))
    places = {name: [f"/static/{chunk}", function_of(name)] for name, chunk in chunks.items()}
    return f"""window.pageModule = async (name) => {{
      const [address, module] = {json.dumps(places)}[name];
      return (await import(address))[module]();
    }};"""
