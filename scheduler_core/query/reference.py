"""docs/query.md, written from the list of fields: ``python -m scheduler_core.query.reference > docs/query.md``."""

from __future__ import annotations

import sys

from scheduler_core.query.fields import FIELDS, Field, FieldKind, QuerySubject
from scheduler_core.query.grammar import MAX_DEPTH, MAX_LENGTH, MAX_TERMS
from scheduler_core.query.values import MAX_STARS

_HEAD = f"""# Queries

<!-- Written by `python -m scheduler_core.query.reference` from the list of fields; a test compares them. -->

A query is about one **subject**, and all its conditions hold of the same one. The subject is inferred from the fields:
the first of the list below that has all of them. It may be written first instead.

```
outcome:unschedulable and attempts>3
pod:shop/web-* and plugin:NodeResourcesFit and verdict:refused and node:node-7
narrow or tie
move to:backoff cause:NodeAdd
preemption victim.priority>=100
```

- `field:value` and `field=value` are the same; `!=` is the opposite, so that it also holds where there is no value.
  `<`, `<=`, `>` and `>=` compare numbers and times. A comparison with a value that is not there does not hold.
- `*` in a name or text stands for any part of it, also an empty one; capital and small letters differ.
  `field~text` holds where the text occurs in it; A to Z and a to z are the same there.
- A pod is `namespace/name`; a name without `/` is one in any namespace.
- Times are virtual: `90s`, `250ms`, `1h30m`; a number without a unit is one of seconds.
- Flags stand alone: `tie`. Conditions are joined by `and` (which may be left out), `or`, `not` and brackets; `and`
  binds closer than `or`, `not` closer than both.
- Values with blanks, brackets or quotes stand in double quotes; a backslash takes the next character as it is.
- A query has at most {MAX_LENGTH:,} characters, {MAX_TERMS} conditions and {MAX_STARS} stars in a name, and
  {MAX_DEPTH} brackets and negations inside of each other.

Where a field says *any*, the subject may have several values, and a comparison holds where it holds for one of them.
Cells, moves, preemptions and events have the fields of their cycle too, unless one of their own has the name.
"""


def markdown() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *(_section(subject) for subject in QuerySubject)])


def _section(subject: QuerySubject) -> str:
    rows = [_row(field) for field in FIELDS if field.subject is subject]
    head = f"## {subject.capitalize()}\n\n{subject.help.capitalize()}.\n"
    return "\n".join([head, "| field | value | what it is | from |", "| --- | --- | --- | --- |", *rows, ""])


def _row(field: Field) -> str:
    name = ", ".join(f"`{name}`" for name in (field.name, *field.aliases))
    value = str(field.kind)
    if field.kind is FieldKind.CHOICE:
        value = ", ".join(f"`{choice}`" for choice in field.choices)
    return f"| {name} | {value}{' (any)' if field.is_any else ''} | {field.help} | {field.source} |"


if __name__ == "__main__":
    sys.stdout.write(markdown())
