"""Comparisons of text with the same results on SQLite and PostgreSQL as in scheduler_core.query.matching."""

from __future__ import annotations

from typing import Any

from django.db.models import BooleanField, CharField, Func
from django.db.models.expressions import Combinable, F

from scheduler_core.query.matching import small_letters


class Glob(Func):
    """Whether the text matches a pattern, in which each * stands for any number of characters."""

    output_field: Any = BooleanField()

    def __init__(self, expression: Combinable, pattern: str) -> None:
        super().__init__(expression)
        self._pattern = pattern

    def as_sqlite(self, compiler: Any, connection: Any, **_context: Any) -> Any:
        """GLOB is case-sensitive on SQLite; LIKE is not."""
        sql, params = compiler.compile(self.get_source_expressions()[0])
        pattern = "".join(f"[{one}]" if one in "[?" else one for one in self._pattern)
        return f"({sql} GLOB %s)", [*params, pattern]

    def as_postgresql(self, compiler: Any, connection: Any, **_context: Any) -> Any:
        """LIKE, with its own wildcards escaped."""
        sql, params = compiler.compile(self.get_source_expressions()[0])
        pattern = "".join(f"\\{one}" if one in "\\%_" else one for one in self._pattern).replace("*", "%")
        return f"({sql} LIKE %s)", [*params, pattern]


class HasText(Func):
    """Whether one text contains another, ignoring the case of A to Z and of no other letters."""

    output_field: Any = BooleanField()

    def __init__(self, expression: Combinable, part: str) -> None:
        super().__init__(expression)
        self._part = small_letters(part)

    def as_sqlite(self, compiler: Any, connection: Any, **_context: Any) -> Any:
        """SQLite's `lower` changes ASCII letters only."""
        sql, params = compiler.compile(self.get_source_expressions()[0])
        return f"(instr(lower({sql}), %s) > 0)", [*params, self._part]

    def as_postgresql(self, compiler: Any, connection: Any, **_context: Any) -> Any:
        """With the collation C, PostgreSQL's `lower` changes ASCII letters only."""
        sql, params = compiler.compile(self.get_source_expressions()[0])
        return f'(strpos(lower(({sql}) COLLATE "C"), %s) > 0)', [*params, self._part]


class NamespacePart(Func):
    """The namespace of namespace/name."""

    output_field: Any = CharField()

    def __init__(self, name: str) -> None:
        super().__init__(F(name))

    def as_sqlite(self, compiler: Any, connection: Any, **_context: Any) -> Any:
        """What lies before the slash."""
        sql, params = compiler.compile(self.get_source_expressions()[0])
        return f"substr({sql}, 1, instr({sql}, '/') - 1)", [*params, *params]

    def as_postgresql(self, compiler: Any, connection: Any, **_context: Any) -> Any:
        """What lies before the slash."""
        sql, params = compiler.compile(self.get_source_expressions()[0])
        return f"split_part({sql}, '/', 1)", [*params]
