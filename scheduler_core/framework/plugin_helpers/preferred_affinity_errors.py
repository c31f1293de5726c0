"""What kube-scheduler says of preferred node affinity that it cannot parse, word for word.

Mirrors component-helpers' NewPreferredSchedulingTerms with apimachinery's labels.NewRequirement. The API server checks
values in required terms only, so such preferences get as far as the scheduler.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from scheduler_core.api.labels import Requirement
from scheduler_core.api.objects import PreferredSchedulingTerm
from scheduler_core.api.quantity import INT64_MAX

_MOST = 63
_LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")
_NO_LABEL_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    f"'{_LABEL_VALUE.pattern}')"
)
_NO_INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer"


def parse_problem(preferences: Sequence[PreferredSchedulingTerm]) -> str:
    """The error of parsing a pod's preferred terms, "" where all can be parsed. Terms without any requirement are
    passed over."""
    problems = list(dict.fromkeys(problem for i, term in enumerate(preferences) for problem in _of_term(i, term)))
    return problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]" if problems else ""


def _of_term(position: int, term: PreferredSchedulingTerm) -> Iterator[str]:
    for i, requirement in enumerate(term.preference.match_expressions):
        yield from _of_requirement(f"[{position}].matchExpressions[{i}]", requirement)


def _of_requirement(path: str, requirement: Requirement) -> Iterator[str]:
    values = [(f"{path}.values[{i}]", value) for i, value in enumerate(requirement.values)]
    if requirement.operator in ("Gt", "Lt"):
        for at, value in values:
            if not _is_integer(value):
                yield f"{at}: Invalid value: {_quoted(value)}: {_NO_INTEGER}"
    for at, value in values:
        if problem := _label_value_problem(value):
            yield f"{at}[{requirement.key}]: Invalid value: {_quoted(value)}: {problem}"


def _is_integer(value: str) -> bool:
    """Whether Go's ParseInt takes it for an int64."""
    return _INTEGER.fullmatch(value) is not None and -INT64_MAX - 1 <= int(value) <= INT64_MAX


def _label_value_problem(value: str) -> str:
    problems = [f"must be no more than {_MOST} bytes"] if len(value.encode()) > _MOST else []
    if not _LABEL_VALUE.fullmatch(value):
        problems.append(_NO_LABEL_VALUE)
    return "; ".join(problems)


def _quoted(value: str) -> str:
    """As Go prints a string in quotes."""
    return json.dumps(value, ensure_ascii=False)
