"""Form and YAML stay equal under random edits on either side, for every kind; nothing else of the text is lost."""

from __future__ import annotations

import copy
import json
import os
import re
from random import Random

import pytest

from dashboard.clusters.forms import kinds
from dashboard.clusters.forms.edits import ADD, PAIR, REMOVE, RENAME, SET, FormEdit, applied, written
from dashboard.clusters.forms.kinds import forms
from dashboard.clusters.forms.model import Sort
from dashboard.clusters.forms.starters import starter_text
from dashboard.clusters.forms.values import flat, section_values
from dashboard.clusters.texts.changes import read_document, rewritten
from dashboard.clusters.texts.writer import is_same
from dashboard.common.problems import Problem
from tests.seeds import how_many, long_but

N_EDITS = int(os.environ.get("TEST_FORM_EDITS", how_many(150, 500)))
ALL = {one.kind: one for one in kinds._FORMS}
WORDS = {
    Sort.TEXT: ["a", "yes", "5", "b: c", "x y", "ünï", ""],
    Sort.WHOLE: ["0", "7", "many", ""],
    Sort.QUANTITY: ["500m", "2", ""],
    Sort.SHARE: ["1", "30%", ""],
    Sort.FLAG: ["true", "false", ""],
    Sort.WORDS: ["a, b", "a", "on, 5", ""],
}


def commented(text):
    """Return a text with a comment above and behind many lines, and with fields that no form knows."""
    lines = []
    for number, line in enumerate(text.splitlines()):
        indent = line[: len(line) - len(line.lstrip(" -"))].replace("-", " ")
        lines.append(f"{indent}# above {number}\n{line} # behind {number}" if number % 3 == 0 else line)
    return "\n".join(lines) + "\nunknownField: {keep: [1, two]} # kept\nx-more:\n# in it\n- a: 1.50\n  b: 'on'\n"


def leaves(sections):
    """Return every field of a form as it is now, those of rows included."""
    waiting, out = [one for section in sections for one in section.fields], []
    while waiting:
        value = waiting.pop()
        out.append(value)
        waiting += [below for row in value.rows for below in row.fields]
    return out


def random_form_edit(rng, sections):
    """Return an edit that the form offers."""
    value = rng.choice(leaves(sections))
    sort = value.field.sort
    if sort is Sort.ROWS:
        if value.rows and rng.random() < 0.4:
            return FormEdit(REMOVE, rng.choice(value.rows).path)
        return FormEdit(ADD, value.path)
    if sort in (Sort.PAIRS, Sort.AMOUNTS):
        amount = rng.choice(["1", "500m", "3Gi"])
        if not value.pairs or rng.random() < 0.4:
            return FormEdit(PAIR, value.path, f"{rng.choice(['cpu', 'a.b/c', 'on', 'tier'])}={amount}")
        pair = rng.choice(value.pairs)
        verb = rng.choice([SET, RENAME, REMOVE])
        return FormEdit(verb, pair.path, rng.choice(["k1", "k2", "no"]) if verb == RENAME else amount)
    return FormEdit(SET, value.path, rng.choice(list(value.field.choices) or WORDS[sort]))


def comments_of(text):
    """Return the comments of a text."""
    return set(re.findall(r"# (?:above|behind) \d+|# kept|# in it", text))


def assert_equal(text, form):
    """Raise AssertionError unless the form of a text is the form of what the text holds."""
    raw = read_document(text)
    assert flat(section_values(raw, form)) == flat(section_values(json.loads(json.dumps(raw)), form))


def by_form(rng, text, form):
    """Return the text after an edit by form, which changed what was asked for and nothing else."""
    raw = read_document(text)
    edit = random_form_edit(rng, section_values(raw, form))
    try:
        expected = applied(raw, form, [edit])
    except Problem:
        return text
    result = written(text, form, [edit])
    assert is_same(read_document(result.text), expected), edit
    assert result.lost == "", (edit, result.lost, text)
    before, after = flat(section_values(raw, form)), flat(section_values(read_document(result.text), form))
    if edit.verb == SET and edit.path in {one.path for one in leaves(section_values(raw, form))}:
        others = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        assert others <= {json.dumps(edit.path, ensure_ascii=False, separators=(",", ":"))}, edit
    lost = comments_of(text) - comments_of(result.text)
    if edit.verb in (SET, RENAME, ADD, PAIR) and edit.value:
        assert not lost, (edit, lost)
    # What goes takes the comments of its own lines alone, which stand above no other line.
    assert {"# kept", "# in it"} <= comments_of(result.text)
    return result.text


def by_yaml(rng, text, form):
    """Return the text after somebody changed a line or an entry of it."""
    new = copy.deepcopy(read_document(text))
    at = rng.choice([one for one in (new, new.get("metadata"), new.get("spec")) if isinstance(one, dict)])
    name = rng.choice([*list(at), "added"])
    if name in ("kind", "apiVersion", "metadata", "spec", "unknownField", "x-more"):
        name = "added"
    at[name] = rng.choice([1, "text", None, True, [], {}, ["a"], {"a": {"b": 1}}, at.get(name)])
    result = rewritten(text, new)
    assert is_same(read_document(result.text), new)
    return result.text


@pytest.mark.slow
@pytest.mark.parametrize("kind", long_but(sorted(ALL), ("Deployment", "Node", "PersistentVolumeClaim", "Pod")))
def test_form_and_yaml_stay_equal_under_random_edits_on_either_side(kind):
    rng, form, text = Random(kind), ALL[kind], commented(starter_text(kind))
    start = text
    for number in range(N_EDITS):
        if len(text) > 6_000 or number % 40 == 39:
            text = start
        text = by_form(rng, text, form) if rng.random() < 0.7 else by_yaml(rng, text, form)
        assert_equal(text, form)


def test_every_kind_that_matters_has_a_form():
    assert set(ALL) - set(forms()) <= {"ElasticQuota"}
    assert len(ALL) == 22
