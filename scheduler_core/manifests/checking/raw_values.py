"""Reading raw values with complaints: ``At`` is a raw value at a path, a ``Sink`` collects what is wrong."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from typing import Any, NamedTuple

from scheduler_core.api.quantity import QuantityError, canonical, parse_quantity
from scheduler_core.manifests.checking.names import (
    annotation_key_problem,
    is_label_name,
    label_key_problem,
    label_value_problem,
)
from scheduler_core.manifests.model import Fix, Path, Severity, quoted, shortened

_MAX_COMPLAINTS = 100
_MAX_UNKNOWN = 10
INT32 = (-(1 << 31), (1 << 31) - 1)


class Complaint(NamedTuple):
    """Something wrong at a path of an object."""

    severity: Severity
    path: Path
    message: str
    fix: Fix | None = None


class Budget:
    """How many near words may still be looked for: hostile input has many wrong words, and looking costs."""

    __slots__ = ("left",)

    def __init__(self, left: int = 300) -> None:
        self.left = left

    def near(self, word: str, words: Collection[str], alike: float = 0.7) -> str:
        """The word nearest to a misspelt one, empty when none is near or too many were looked for."""
        if self.left <= 0:
            return ""
        self.left -= 1
        return next(iter(difflib.get_close_matches(word[:80], words, 1, alike)), "")


class Sink:
    """Collects the complaints about one object or part, up to a number that a person reads.

    ``as_posted``: the object must satisfy the API server too. Recordings of kube-scheduler hold objects that were
    handed to it without an API server.
    """

    __slots__ = ("as_posted", "budget", "complaints", "failed")

    def __init__(self, budget: Budget | None = None, *, as_posted: bool = True) -> None:
        self.as_posted = as_posted
        self.complaints: list[Complaint] = []
        self.budget = budget or Budget()
        self.failed = False

    def add(self, complaint: Complaint) -> None:
        """Notes a complaint; ``failed`` stays true after an error even where the list is full."""
        self.failed = self.failed or complaint.severity == "error"
        if len(self.complaints) < _MAX_COMPLAINTS:
            self.complaints.append(complaint)


class At:
    """A raw value (None: absent) at a path. Readers return a usable value whatever is there, and report to the sink."""

    __slots__ = ("path", "raw", "sink")

    def __init__(self, raw: Any, path: Path, sink: Sink) -> None:
        self.raw = raw
        self.path = path
        self.sink = sink

    def error(self, message: str, *more: str | int, fix: Fix | None = None) -> None:
        """Notes an error here, or at a path below."""
        self.sink.add(Complaint("error", self.path + more, message, fix))

    def refuse(self, message: str, *more: str | int) -> None:
        """Notes an error for a readable value that the API server refuses, so that no scheduler ever sees it."""
        if self.sink.as_posted:
            self.sink.add(Complaint("error", self.path + more, message))

    def warn(self, message: str, *more: str | int, fix: Fix | None = None) -> None:
        """Notes a warning here, or at a path below."""
        self.sink.add(Complaint("warning", self.path + more, message, fix))

    @property
    def present(self) -> bool:
        """Whether a value is given; null counts as none."""
        return self.raw is not None

    def get(self, key: str) -> At:
        """The value under a key; absent where this is no mapping."""
        raw = self.raw.get(key) if self.raw.__class__ is dict else None
        return At(raw, (*self.path, key), self.sink)

    def mapping(self, fields: Collection[str] = ()) -> dict[str, Any]:
        """The mapping, empty when absent or of another type (an error); warns of keys that are not among ``fields``."""
        if self.raw is None:
            return {}
        if self.raw.__class__ is not dict:
            self.error(f"{quoted(self.raw)} is no mapping. Write keys and values")
            return {}
        if fields and not (fields.__class__ is frozenset and fields.issuperset(self.raw)):
            unknown = [key for key in self.raw if key not in fields]
            for key in unknown[:_MAX_UNKNOWN]:
                near = self.sink.budget.near(key, fields)
                hint = f". Did you mean {near}?" if near else ""
                self.warn(f"is no known field and has no effect{hint}", key, fix=Fix("key", near) if near else None)
            if len(unknown) > _MAX_UNKNOWN:
                self.warn(f"{len(unknown) - _MAX_UNKNOWN} more fields are not known and have no effect")
        result: dict[str, Any] = self.raw
        return result

    def word(self, key: str, default: str = "") -> str:
        """The text under a key, the default when absent. A fast path of ``text``: nearly all texts are valid."""
        raw = self.raw.get(key) if self.raw.__class__ is dict else None
        if raw is None or raw.__class__ is str:
            return raw or default
        return self.get(key).text(default)

    def choice(self, key: str, default: str, choices: Collection[str]) -> str:
        """The text under a key, one of the choices. A fast path of ``text`` likewise."""
        raw = self.raw.get(key) if self.raw.__class__ is dict else None
        if raw is None:
            return default
        return raw if raw.__class__ is str and raw in choices else self.get(key).text(default, choices)

    def items(self) -> list[At]:
        """The entries of the list, none when absent or of another type (an error)."""
        if self.raw is None:
            return []
        if self.raw.__class__ is not list:
            self.error(f"{quoted(self.raw)} is no list. Write the entries with a dash each")
            return []
        return [At(raw, (*self.path, i), self.sink) for i, raw in enumerate(self.raw)]

    def text(self, default: str = "", choices: Collection[str] = (), required: bool = False) -> str:
        """The text, the default when absent; an error for another type or a word that is no choice."""
        raw = self.raw
        if raw is None:
            if required:
                self.error("is missing" + (f". Write one of {', '.join(choices)}" if choices else ""))
            return default
        if raw.__class__ is not str:
            self.error(_not_text(raw), fix=_in_quotes(raw))
            return default
        if choices and raw not in choices and (raw or required):
            near = self.sink.budget.near(raw.lower(), [c.lower() for c in choices])
            best = next((c for c in choices if c.lower() == near), None)
            hint = f"Write {best}" if best and len(choices) > 1 else f"Write one of {', '.join(choices)}"
            more = f" ({', '.join(choices)} are possible)" if best and len(choices) > 1 else ""
            self.error(f"{quoted(raw)} is not allowed. {hint}{more}", fix=Fix("value", best) if best else None)
            return default
        if required and not raw:
            self.error("is empty")
        return str(raw) or default

    def integer(self, default: int = 0, low: int = INT32[0], high: int = INT32[1]) -> int:
        """The whole number within bounds, the default when absent or wrong (an error)."""
        raw = self.raw
        if raw is None:
            return default
        if raw.__class__ is float and raw.is_integer() and abs(raw) < 1 << 53:
            raw = int(raw)
        if raw.__class__ is not int:
            advice = (
                f". Write {raw} without quotes" if raw.__class__ is str and re.fullmatch(r"-?\d{1,18}", raw) else ""
            )
            self.error(f"{quoted(raw)} is no whole number{advice}", fix=Fix("bare", raw) if advice else None)
            return default
        if not low <= raw <= high:
            self.error(f"{shortened(raw)} is out of range. Write a whole number from {low} to {high}")
            return default
        return int(raw)

    def boolean(self, default: bool = False) -> bool:
        """The truth value, the default when absent or of another type (an error)."""
        if self.raw is None:
            return default
        if self.raw.__class__ is not bool:
            self.error(f"{quoted(self.raw)} is neither true nor false. Write true or false")
            return default
        return bool(self.raw)

    def texts(self) -> tuple[str, ...]:
        """The entries of a list of texts."""
        return tuple(item.text() for item in self.items() if item.present or item.text(required=True))

    def quantity(self, resource: str) -> int | None:
        """The canonical integer of a quantity that must not be negative; None when absent or wrong."""
        raw = self.raw
        if raw is None:
            return None
        text = quantity_text(raw)
        if text is None:
            self.error(f"{quoted(raw)} is no quantity. Write a number with an optional suffix, such as 500m, 2 or 4Gi")
            return None
        try:
            if parse_quantity(text) < 0:
                self.error(f"{quoted(raw)} is negative. Write 0 or more")
                return None
            return canonical(resource, text)
        except QuantityError as problem:
            self.error(str(problem))
            return None
        except ArithmeticError:
            self.error(f"{quoted(raw)} is too large for a quantity")
            return None

    def labels(self) -> dict[str, str]:
        """Labels: keys and values checked as the API server does; wrong ones are left out (an error each)."""
        return {k: v for k, v in self.mapping().items() if self._label_fits(k, v)}

    def _label_fits(self, key: str, value: Any) -> bool:
        problem = label_key_problem(key)
        if problem:
            self.error(problem, key)
        elif value.__class__ is not str:
            self.error(_not_text(value), key, fix=_in_quotes(value))
        elif value and not is_label_name(value):
            self.error(label_value_problem(value), key)
        else:
            return True
        return False

    def annotations(self) -> dict[str, str]:
        """Annotations: values must be text, 256 KiB in all."""
        values = self.mapping()
        total = 0
        for key, value in values.items():
            problem = annotation_key_problem(key)
            if problem:
                self.refuse(problem, key)
            if value.__class__ is not str:
                self.error(_not_text(value), key, fix=_in_quotes(value))
                return {}
            total += len(key) + len(value)
        if total > 256 << 10:
            self.error("annotations are larger than 256 KiB in all")
            return {}
        return values


def quantity_text(raw: Any) -> str | None:
    """A quantity as text: text itself, numbers as written in JSON; None for other types."""
    if raw.__class__ is str:
        return str(raw)
    if raw.__class__ is int:
        return str(raw) if abs(raw) < 10**30 else None
    if raw.__class__ is float:
        return repr(raw)
    return None


def _in_quotes(raw: Any) -> Fix | None:
    return Fix("quotes") if raw.__class__ in (bool, int, float) else None


def _not_text(raw: Any) -> str:
    advice = "but text is needed. Write it in quotes, such as"
    if raw.__class__ is bool:
        return f'is read as the truth value {quoted(raw)}, {advice} "{"yes" if raw else "no"}" or "{quoted(raw)}"'
    if raw.__class__ in (int, float):
        return f'is read as the number {shortened(raw)}, {advice} "{shortened(raw)}"'
    return f"{quoted(raw)} is no text. Write text"
