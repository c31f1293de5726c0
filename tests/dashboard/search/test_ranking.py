"""The rules by which names are found, in the words of the module's table; the page's script has the same cases."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from dashboard.search.ranking import NameList, find, letters_pattern, typed_words
from tests.seeds import each_seed

CASES = json.loads((Path(__file__).parents[2] / "static/search/ranking-cases.json").read_text())


@pytest.mark.parametrize(("sentence", "name", "typed", "cost"), CASES["costs"], ids=[one[0] for one in CASES["costs"]])
def test_words_cost(sentence, name, typed, cost):
    matches, n = find([NameList([name])], typed_words(typed), 3)
    assert [match.cost for match in matches] == ([] if cost is None else [cost])
    assert n == len(matches)


@pytest.mark.parametrize(
    ("sentence", "names", "typed", "expected"), CASES["orders"], ids=[one[0] for one in CASES["orders"]]
)
def test_names_come_in_order(sentence, names, typed, expected):
    matches, _ = find([NameList(names)], typed_words(typed), 10)
    assert [names[match.place] for match in matches] == expected


def test_several_lists_are_one():
    lists = [NameList(["web-10", "x"]), NameList([]), NameList(["web-1"])]
    matches, n = find(lists, ["web"], 1)
    assert (matches[0].list, matches[0].place, n) == (2, 0, 2)


def test_letters_of_one_list_do_not_count_where_another_holds_the_word():
    matches, n = find([NameList(["w-e-b"]), NameList(["web"])], ["web"], 5)
    assert [(match.list, match.place) for match in matches] == [(1, 0)]
    assert n == 1


def test_what_is_shown_is_the_best_of_all_that_match():
    names = [f"pod-{n}" for n in range(500)]
    matches, n = find([NameList(names)], ["pod", "7"], 3)
    assert [names[match.place] for match in matches] == ["pod-7", "pod-70", "pod-71"]
    assert n == sum("7" in name for name in names)


def test_names_keep_their_spelling_and_other_alphabets():
    names = ["Straße", "İstanbul", "узел-1", "a\nb", "ΑΒΓ"]
    name_list = NameList(names)
    assert [name_list[place] for place in range(len(name_list))] == ["Straße", "İstanbul", "узел-1", "a b", "ΑΒΓ"]
    assert list(name_list) == [name_list[place] for place in range(5)]
    for typed, expected in (("straße", 0), ("узел", 2), ("αβγ", 4), ("a b", 3)):
        assert [match.place for match in find([name_list], typed_words(typed), 5)[0]][:1] == [expected], typed


def test_a_list_knows_its_names():
    name_list = NameList(["shop/web-1", "shop/web-10"])
    assert "shop/web-1" in name_list
    assert "web-1" not in name_list
    assert "shop/web" not in name_list
    assert "" not in NameList([])
    assert len(NameList([])) == 0


def test_more_words_than_eight_are_taken_as_eight():
    assert typed_words(" A b c d e f g h i") == [*"abcdefg", "h i"]


@each_seed(range(20), together=20)
def test_the_answer_is_that_of_a_search_name_by_name(seed):
    chance = random.Random(seed)
    names = ["".join(chance.choice("ab-/c") for _ in range(chance.randrange(1, 9))) for _ in range(60)]
    lengths = [chance.randrange(1, 4) for _ in range(chance.randrange(1, 3))]
    drawn_names = ["".join(chance.choice("abc") for _ in range(length)) for length in lengths]
    holding = [i for i, name in enumerate(names) if all(word in name for word in drawn_names)]
    by_letters = [i for i, name in enumerate(names) if all(letters_pattern(word).search(name) for word in drawn_names)]
    matches, n = find([NameList(names)], drawn_names, 100)
    assert sorted(match.place for match in matches) == (holding or by_letters)
    assert n == len(matches)
    assert [match.cost for match in matches] == sorted(match.cost for match in matches)
