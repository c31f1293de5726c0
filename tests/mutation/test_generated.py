"""Which changes the rules make, and where."""

from __future__ import annotations

import ast
from collections import Counter

from tests.mutation.generated import mutants


def test_what_rules_change():
    source = "def f(a: int = 1) -> bool:\n    g(a)\n    return not (a < 2 and min(a, 3) == 3)\n"
    assert Counter((mutant.line, mutant.change) for mutant in mutants(source)) == {
        (1, "1 -> 2"): 1,
        (2, "g(a) -> None"): 1,
        (3, "not (a < 2 and min(a, 3) == 3) -> +bool(a < 2 and min(a, 3) == 3)"): 1,
        (3, "a < 2 and min(a, 3) == 3 -> a < 2 or min(a, 3) == 3"): 1,
        (3, "a < 2 -> a <= 2"): 1,
        (3, "min(a, 3) == 3 -> min(a, 3) != 3"): 1,
        (3, "3 -> 4"): 2,
        (3, "2 -> 3"): 1,
        (3, "min(a, 3) -> max(a, 3)"): 1,
    }
    changed = {mutant.text(source) for mutant in mutants(source)}
    assert len(changed) == 10
    assert ast.unparse(ast.parse(source)) not in changed


def test_a_condition_is_turned_round_and_what_guards_is_left_alone():
    source = "if a:\n    b = zip(c, d, strict=True) if e.f else g\nif TYPE_CHECKING:\n    import h\n"
    assert [mutant.change for mutant in mutants(source)] == ["a -> not a", _IF_EXPRESSION]


_IF_EXPRESSION = "zip(c, d, strict=True) if e.f else g -> zip(c, d, strict=True) if not e.f else g"


def test_a_mutant_names_its_function_and_the_lines_of_its_statement():
    source = "class A:\n    def f(self, a=[\n        1,\n    ]):\n        if a and (\n self\n):\n            g(2)\n"
    assert {(mutant.change, mutant.function, mutant.lines) for mutant in mutants(source)} == {
        ("1 -> 2", "A.f", range(2, 5)),
        ("a and self -> a or self", "A.f", range(5, 8)),
        ("g(2) -> None", "A.f", range(8, 9)),
        ("2 -> 3", "A.f", range(8, 9)),
    }
