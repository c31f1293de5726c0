"""Queries made up from a seed, of values that a recording has and some that it lacks.

TEST_SEED is the first of the seeds of a test, TEST_QUERIES how many times more queries each has: the tests' own ones
are few, since looking at every event takes long.
"""

from __future__ import annotations

import os
from collections import defaultdict

from scheduler_core.query import FIELDS_OF, FieldKind, QuerySubject

FIRST_SEED, FACTOR = int(os.environ.get("TEST_SEED", "0")), int(os.environ.get("TEST_QUERIES", "1"))
UNITS = ("us", "ms", "s", "m", "h")


def values_of(things):
    """{name of a field: values that occur}."""
    values = defaultdict(set)
    for thing in things[:3_000]:
        for name, value in thing.values.items():
            values[name].update(value if isinstance(value, list) else [value])
    return {name: sorted((one for one in seen if one not in (None, "")), key=str) for name, seen in values.items()}


class QueryMaker:
    """Makes texts of queries; ``names`` limits the fields that they may name."""

    def __init__(self, random, values, names=None):
        self.random, self.values = random, values
        self.names = names

    def text(self, subject):
        body = self.expression(subject, 3)
        return f"{subject} {body}"

    def expression(self, subject, depth):
        kind = self.random.random()
        if depth == 0 or kind < 0.35:
            return self.condition(subject)
        if kind < 0.5:
            return f"not {self.expression(subject, depth - 1)}"
        parts = [self.expression(subject, depth - 1) for _ in range(self.random.choice([2, 2, 3]))]
        joined = self.random.choice([" and ", " or ", " ", " and "]).join(parts)
        return f"({joined})"

    def condition(self, subject):
        fields = FIELDS_OF[subject]
        own = [name for name, one in fields.items() if one.subject == subject and self.may(one.name)]
        name = self.random.choice(
            own if own and self.random.random() < 0.6 else [n for n in fields if self.may(fields[n].name)]
        )
        field = fields[name]
        if field.kind is FieldKind.FLAG:
            return name
        return f"{name}{self.random.choice(field.kind.operators)}{self.value(subject, field)}"

    def may(self, name):
        return self.names is None or name in self.names

    def value(self, subject, field):
        occurring = self.values[subject].get(field.name, [])
        if field.kind is FieldKind.CHOICE:
            return self.random.choice(field.choices)
        if field.kind in (FieldKind.NUMBER, FieldKind.TIME):
            number = self.random.choice(occurring) if occurring else self.random.randrange(20)
            number = max(number + self.random.choice([0, 0, 1, -1]), 0 if field.kind is FieldKind.TIME else -(10**9))
            return f"{number}us" if field.kind is FieldKind.TIME else str(number)
        text = self.random.choice(occurring) if occurring and self.random.random() < 0.9 else "nothing"
        return '"' + self.shortened(text).replace("\\", "\\\\").replace('"', '\\"') + '"'

    def shortened(self, text):
        """The text, or a glob that it fits."""
        kind = self.random.random()
        start, end = sorted(self.random.randrange(len(text) + 1) for _ in range(2))
        if kind < 0.4:
            return text
        if kind < 0.6:
            return f"{text[:end]}*"
        if kind < 0.75:
            return f"*{text[start:]}"
        if kind < 0.85:
            return text[start:end].upper() or "*"
        return f"{text[:start]}*{text[end:]}"


def queries(things, random, count, subjects=tuple(QuerySubject), names=None):
    """Yield texts of queries over a recording of these things."""
    values = {subject: values_of(things[subject]) for subject in subjects}
    maker = QueryMaker(random, values, names)
    for _ in range(count):
        yield maker.text(random.choice(subjects))
