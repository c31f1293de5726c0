"""The page docs/diagnosis.md as the code has it: ``python -m tests.docs.diagnosis.page`` writes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scheduler_core.explain.messages.table import TEXTS
from scheduler_core.explain.messages.texts import VERSIONS, MessageText, common_versions
from scheduler_core.explain.remedies.codes import REMEDIES
from scheduler_core.framework.contracts.obstacles import ACTORS, KINDS, STAGES
from scheduler_core.manifests.kinds.unplayed import UNPLAYED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "diagnosis.md"
PROSE = Path(__file__).with_name("prose.md")
"""What is written by hand; {names in braces} stand for the tables below."""
NOT_RECORDED = "°"
FROM_SOURCE = ("1.31", "1.32", "1.37")
"""Versions whose texts were read in their sources; the others' texts were recorded."""


def text() -> str:
    """Return the page."""
    page = PROSE.read_text()
    for name, lines in TABLES.items():
        page = page.replace(f"{{{name}}}\n", "".join(f"{line}\n" for line in lines()))
    return page


def causes() -> Iterator[str]:
    """Yield the codes of causes by stage."""
    yield "| code | what it is | stage | actor | remedies that may help, the usual one first |"
    yield "|---|---|---|---|---|"
    for kind in sorted(KINDS.values(), key=lambda kind: STAGES.index(kind.stage)):
        remedies = ", ".join(f"`{code}`" for code in kind.remedies)
        yield f"| `{kind.code}` | {kind.means} | {kind.stage} | {kind.actor} | {remedies} |"


def remedies() -> Iterator[str]:
    """Yield the codes of remedies by actor."""
    yield "| code | what it is | actor |"
    yield "|---|---|---|"
    for kind in sorted(REMEDIES.values(), key=lambda kind: ACTORS.index(kind.actor)):
        yield f"| `{kind.code}` | {kind.means} | {kind.actor} |"


def texts_of_codes() -> Iterator[str]:
    """Yield each code with the texts that lead to it."""
    yield "| code | texts |"
    yield "|---|---|"
    for code in KINDS:
        rows = [row for row in TEXTS.rows if code in row.codes]
        yield f"| `{code}` | {'<br>'.join(map(_with_versions, rows)) or 'none'} |"


def codes_of_texts() -> Iterator[str]:
    """Yield each text with its codes and the versions that have it."""
    versions = " | ".join(VERSIONS)
    yield f"| text | plugin | codes | {versions} |"
    yield "|---|---|---|" + "---|" * len(VERSIONS)
    for row in sorted(TEXTS.rows, key=lambda row: row.text.lower()):
        codes = ", ".join(f"`{code}`" for code in row.codes) or "none"
        yield f"| {_quoted(row)} | {row.plugin} | {codes} | {' | '.join(_marks(row))} |"


def doubts() -> Iterator[str]:
    """Yield the kinds that are not played, by what they do."""
    yield "| kind | what is not played | concerns |"
    yield "|---|---|---|"
    for name, kind in UNPLAYED.items():
        yield f"| `{name}` | {kind.does} | {kind.concerns} |"


TABLES = {
    "causes": causes,
    "remedies": remedies,
    "texts of codes": texts_of_codes,
    "codes of texts": codes_of_texts,
    "doubts": doubts,
}


def _marks(row: MessageText) -> Iterable[str]:
    """ "yes" for a text that was recorded, NOT_RECORDED for one that was read in the sources, "" for none."""
    for version in VERSIONS:
        recorded = row.recorded and version not in FROM_SOURCE
        yield ("yes" if recorded else NOT_RECORDED) if is_in(row, version) else ""


def is_in(row: MessageText, version: str) -> bool:
    """Return whether some release of a version like "1.34" has the text."""
    return common_versions([row, MessageText(text="", since=version, until=version)]) is not None


def _with_versions(row: MessageText) -> str:
    return f"{_quoted(row)} ({row.versions})" if row.since or row.until else _quoted(row)


def _quoted(row: MessageText) -> str:
    return f"`{row.text}`"


if __name__ == "__main__":
    PAGE.write_text(text())
