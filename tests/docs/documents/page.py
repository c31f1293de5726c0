"""The page docs/documents.md as the tables give it: ``python -m tests.docs.documents.page`` writes it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tests.docs.documents import (
    framework_of_2021,
    map_reduce_of_2019,
    preemption_of_2020,
    priorities_of_2017,
    queue_of_2021,
)
from tests.scheduler_core.manifests.configuration import test_public_configurations as public

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.docs.documents.rows import Document, Row

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "documents.md"
DOCUMENTS: tuple[Document, ...] = (
    queue_of_2021.DOCUMENT,
    preemption_of_2020.DOCUMENT,
    priorities_of_2017.DOCUMENT,
    map_reduce_of_2019.DOCUMENT,
    framework_of_2021.DOCUMENT,
)
HEAD = """\
# Five documents, row by row

<!-- Written by `python -m tests.docs.documents.page` from the tables in tests/docs/documents; a test compares them. -->

Schedscope offers what five documents on the scheduler describe. Each system, rule and example of theirs is a row here:
what it is, where it is in the product, and which test proves it. "Not yet" is meant to come; "no meaning" says why
there is none. At the end stand configurations that other projects publish, and what became of each.
"""


def rows_of(document: Document) -> Iterator[Row]:
    """Yield the rows of all sections."""
    for rows in document.sections.values():
        yield from rows


def place_of_test(test: str) -> tuple[Path, str]:
    """Return (file, name) of a test as rows name it."""
    path, _, name = test.partition(":")
    below = ROOT / "tests" / f"{path}.py"
    return below if below.exists() else ROOT / "tests" / "scheduler_core" / f"{path}.py", f"test_{name}"


def place_in_product(where: str) -> Path:
    """Return the path of a place in the product as rows name it."""
    below = ROOT / where
    return below if below.exists() else ROOT / "scheduler_core" / where


def text() -> str:
    """Return the page."""
    return "\n".join([HEAD, *(line for document in DOCUMENTS for line in _part(document)), *_configurations()]) + "\n"


def _part(document: Document) -> Iterator[str]:
    counts = Counter(row.verdict for row in rows_of(document))
    yield f"## {document.title}"
    yield ""
    yield document.about
    yield ""
    figures = ", ".join(f"{counts[verdict]} {_COUNTED[verdict]}" for verdict in _COUNTED if counts[verdict])
    yield f"{sum(counts.values())} rows: {figures}."
    for title, rows in document.sections.items():
        yield from ("", f"### {title}", "", "| what it says | | where | tests |", "|---|---|---|---|")
        yield from map(_line, rows)
    yield ""


_COUNTED = {"works": "work", "not yet": "not yet", "no meaning": "without a meaning here"}


def _configurations() -> Iterator[str]:
    test = Path(public.__file__).relative_to(ROOT)
    yield "## Configurations of other projects"
    yield ""
    yield f"Copies are in `tests/cases/configurations`, where their sources are named; `{test}` runs each of them."
    yield ""
    yield from ("| file | what became of it |", "|---|---|")
    for name, (plugin, lost) in public.WITHOUT.items():
        whole = " With the package that set-up installs it runs whole." if plugin == "Coscheduling" else ""
        yield f"| `{name}` | runs without {plugin} on request: {lost}.{whole} |"
    for name, (line, field, needed) in public.CONVERTED.items():
        then = f", then runs without {needed[0]} on request" if needed else ", then runs"
        yield f"| `{name}` | line {line}, `{field}`, is named; converted by one click{then} |"
    for name, line in public.SPLIT.items():
        yield f"| `{name}` | holds several documents; line {line}, where the second begins, is named |"


def _line(row: Row) -> str:
    verdict = row.verdict + (f": {row.note}" if row.note else "")
    where = f"`{place_in_product(row.where).relative_to(ROOT)}`" if row.where else ""
    tests = []
    for test in row.tests:
        path, name = place_of_test(test)
        tests.append(f"`{path.relative_to(ROOT / 'tests')}`: {name.removeprefix('test_').replace('_', ' ')}")
    return f"| {row.says} | {verdict} | {where} | {'<br>'.join(tests)} |"


if __name__ == "__main__":
    PAGE.write_text(text())
