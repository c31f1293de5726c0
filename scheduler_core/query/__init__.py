"""One query language over what a run recorded: for search, breakpoints and watches.

A query is about one subject (``QuerySubject``): event, cycle, cell (what a plugin said of a node in a cycle), queue
move or preemption; it is inferred from the fields, or written first. All conditions hold of the same one.

- ``parse(text) -> Query`` raises ``QueryError`` with ``message``, ``column`` (from 1), ``end`` (the column after the
  wrong part), ``expected`` and ``suggestion``; ``text()`` is all of it in a line. ``Query.where`` is a tree of
  ``Condition``, ``AllOf``, ``AnyOf`` and ``Not``, None where everything of the subject is asked for.
- ``FIELDS`` is the list that everything else is derived from; ``FIELDS_OF[subject]`` has a subject's fields by name
  and alias, with those of its cycle. reference.py writes docs/query.md from it.
- ``completions(text, column, values_of)`` gives what may stand at the column: replace the text from a completion's
  ``column`` up to the one asked about by its ``text``. ``values_of(field, beginning)`` adds values of a run.
"""

from __future__ import annotations

from scheduler_core.query.completion import Completion, ValuesOf, completions
from scheduler_core.query.expressions import AllOf, AnyOf, Condition, Expression, Not, Query, QueryError
from scheduler_core.query.fields import FIELDS, FIELDS_OF, NARROW_QUERY, TIE_QUERY, Field, FieldKind, QuerySubject
from scheduler_core.query.parsing import parse

__all__ = [
    "FIELDS",
    "FIELDS_OF",
    "NARROW_QUERY",
    "TIE_QUERY",
    "AllOf",
    "AnyOf",
    "Completion",
    "Condition",
    "Expression",
    "Field",
    "FieldKind",
    "Not",
    "Query",
    "QueryError",
    "QuerySubject",
    "ValuesOf",
    "completions",
    "parse",
]
