"""The one list of fields."""

from __future__ import annotations

import ast
import inspect
from typing import get_args

import pytest

from scheduler_core.query import cells, field_values
from scheduler_core.query.fields import EVENT_TYPES, FIELDS, FIELDS_OF, FieldKind, QuerySubject, subjects_with
from scheduler_core.recording import events as ev
from tests.scheduler_core.query import naive

_WORDS_OF_THE_LANGUAGE = {"and", "or", "not"}


OF_CELLS = {"plugin", "node", *cells.OF_FILTERS, *cells.OF_SCORES}
NAIVE = {
    QuerySubject.CYCLE: (naive.cycle_values,),
    QuerySubject.CELL: (naive.cells, naive.filter_values, naive.score_values),
    QuerySubject.MOVE: (naive.moves,),
    QuerySubject.PREEMPTION: (naive.preemptions,),
    QuerySubject.EVENT: (naive.events,),
}


def outer_keys(node):
    """Return the keys of the dictionaries that the code writes, those inside of others left out."""
    if isinstance(node, ast.Dict):
        return {key.value for key in node.keys if isinstance(key, ast.Constant)}
    return {key for child in ast.iter_child_nodes(node) for key in outer_keys(child)}


@pytest.mark.parametrize("subject", QuerySubject)
def test_every_field_has_a_value_in_the_product_and_in_the_definition(subject):
    names = {field.name for field in FIELDS if field.subject is subject}
    is_cell = subject is QuerySubject.CELL
    product, keys = (cells, OF_CELLS) if is_cell else (field_values, field_values._GETTERS.get(subject, {}).keys())
    naively = {key for function in NAIVE[subject] for key in outer_keys(ast.parse(inspect.getsource(function)))}
    for module, values in ((product, keys), (naive, naively)):
        file = f"{module.__name__.replace('.', '/')}.py"
        assert not names - values, f"add {sorted(names - values)} of {subject} to {file}: fields.py lists them"
        assert not values - names, (
            f"add {sorted(values - names)} of {subject} to scheduler_core/query/fields.py: {file} has them"
        )


def test_no_subject_has_two_fields_of_one_name():
    names = [(field.subject, name) for field in FIELDS for name in (field.name, *field.aliases)]
    assert len(names) == len(set(names))


def test_no_field_is_a_word_of_the_language():
    assert not {name for field in FIELDS for name in (field.name, *field.aliases)} & _WORDS_OF_THE_LANGUAGE


def test_a_choice_lists_its_values_and_every_field_says_what_it_is():
    assert [field.name for field in FIELDS if field.kind is FieldKind.CHOICE and not field.choices] == []
    assert [field.name for field in FIELDS if not field.help or not field.source] == []


def test_the_types_of_events_are_those_of_the_recording():
    assert set(EVENT_TYPES) == {event.__struct_config__.tag for event in get_args(ev.AnyEvent)}


@pytest.mark.parametrize("subject", [subject for subject in QuerySubject if subject is not QuerySubject.CYCLE])
def test_every_subject_has_the_fields_of_its_cycle(subject):
    assert FIELDS_OF[subject].keys() >= FIELDS_OF[QuerySubject.CYCLE].keys()


def test_a_field_of_the_subject_itself_goes_before_one_of_its_cycle():
    assert FIELDS_OF[QuerySubject.CELL]["node"].subject is QuerySubject.CELL
    assert FIELDS_OF[QuerySubject.CELL]["outcome"].subject is QuerySubject.CYCLE


def test_subjects_are_in_the_order_in_which_they_are_inferred():
    assert subjects_with("plugin") == (QuerySubject.CELL, QuerySubject.MOVE, QuerySubject.EVENT)
    assert subjects_with("nothing") == ()
    assert all(subject.help for subject in QuerySubject)
