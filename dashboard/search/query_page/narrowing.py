"""Queries made of queries: with one more condition, or within a range of virtual time."""

from __future__ import annotations

from scheduler_core.query import AnyOf, Query, QueryError, parse


def with_condition(query: Query, condition: str) -> str:
    """Return the text of a query of the same subject that also asks for the condition."""
    written = query.text.strip()
    first, _, rest = written.partition(" ")
    if query.where is None:
        return f"{query.subject} {condition}"
    subject = ""
    if first == query.subject:
        subject, written = f"{query.subject} ", rest.strip()
    elif written.startswith(f"{query.subject}("):
        subject, written = f"{query.subject} ", written.removeprefix(str(query.subject))
    if isinstance(query.where, AnyOf):
        written = f"({written})"
    text = f"{subject}{written} and {condition}"
    return text if subject or _subject_of(text) == query.subject else f"{query.subject} {text}"


def _subject_of(text: str) -> str:
    try:
        return parse(text).subject
    except QueryError:
        # Too long, or with too many conditions: its request is refused with that reason.
        return ""


def within(query: Query, low: int | None, high: int | None) -> Query:
    """Return the query for hits from `low` until before `high`; raises QueryError where that is too much for one."""
    for sign, value in ((">=", low), ("<", high)):
        if value is not None:
            query = parse(with_condition(query, f"at{sign}{value}us"))
    return query


def condition(field: str, value: str) -> str:
    """Return `field:value`, the value in quotes where it could be misread."""
    if value and not any(one.isspace() or one in '()"\\' for one in value) and value[0] not in "<>=!~:":
        return f"{field}:{value}"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{field}:"{escaped}"'
