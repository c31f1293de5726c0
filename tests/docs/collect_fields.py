"""The table of docs/collect.md of what leaves a cluster, as the allow-list has it.

``python -m tests.docs.collect_fields`` writes it into the page.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from scheduler_core.collect.fields import allowed

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "collect.md"
BEGIN, END = "<!-- fields -->\n", "<!-- end of fields -->"


def table() -> str:
    """A row for each kind, one for each part, and the annotations."""
    raw = tomllib.loads(Path(allowed.__file__).with_suffix(".toml").read_text())
    rows = ["| kind or part | fields |", "| --- | --- |"]
    rows += [f"| **{kind}** | {_fields(of)} |" for kind, of in raw["kinds"].items()]
    rows += [f"| {part} | {_fields(of)} |" for part, of in raw["parts"].items()]
    rows.append(f"| annotations | {_fields(raw['annotations'])} |")
    return "\n".join(rows) + "\n"


def _fields(of: dict[str, str]) -> str:
    return ", ".join(name if word == "plain" else f"{name}: {word}" for name, word in of.items())


def written(page: str) -> str:
    """The page with the table as it is now."""
    return re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}{table()}{END}", page, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
