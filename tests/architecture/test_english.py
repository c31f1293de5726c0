"""Words that our English does without, in code, pages and docs.

After, not behind; again, not anew; at most N, not so many; a person by their role, not whoever; reported, not told.
"""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATTERNS = {
    "so many": r"\bso many\b",
    "anew": r"\banew\b",
    "whoever": r"\bwhoever\b",
    "told": r"\b(?:is|are|was|were) told\b",
    "asked of": r"\basked of\b|\bof what it is asked\b",
    "behind": r"\bbehind (?:its|the|an?) (?:first|cycle|event|step|stop|hit)\b",
}
WHERE = ("scheduler_core", "dashboard", "templates", "static", "examples", "docs", "requirements", "README.md",
         "CONTRIBUTING.md", "Makefile", "pyproject.toml")  # fmt: skip
# Texts of recordings and addresses, which stay, and migrations, which are history.
STAY = (
    re.compile(r"dashboard/\w+/migrations/"),
    re.compile(r"static/vendor/"),
    re.compile(r"pods? that no controller makes anew"),
    re.compile(r"\{title\} made \{progress\.replaced:,\} pods anew"),
    re.compile(r'"the scheduler was started anew"'),
    re.compile(r'path\(f"\{RUN\}anew"'),
)


@cache
def lines() -> list[str]:
    """Return each line of the product and its docs as "path:number:text"."""
    done = subprocess.run(
        ["git", "grep", "-nI", "", "--", *WHERE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return [line for line in done.stdout.splitlines() if not any(one.search(line) for one in STAY)]


@pytest.mark.slow
@pytest.mark.parametrize("name", PATTERNS)
def test_no_line_has_the_pattern(name: str) -> None:
    pattern = re.compile(PATTERNS[name], re.IGNORECASE)
    if not (ROOT / ".git").exists():
        pytest.skip("the files are not a checkout")
    assert [line[:160] for line in lines() if pattern.search(line)] == []


@pytest.mark.parametrize(
    ("name", "text"), [("anew", "read it anew."), ("told", "the page is told"), ("behind", "behind the first")]
)
def test_a_pattern_matches_what_it_names(name: str, text: str) -> None:
    assert re.search(PATTERNS[name], text)
    assert not re.search(PATTERNS[name], "read it again, behind them")
