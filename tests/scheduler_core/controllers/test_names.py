"""Names and uids: of the form that Kubernetes gives them (names.SimpleNameGenerator, RFC 9562)."""

from __future__ import annotations

from uuid import UUID

from scheduler_core.controllers.names import ALPHABET, generated_name, generated_uid


def test_a_name_ends_in_five_letters_of_the_alphabet() -> None:
    stem, end = generated_name("web", "ReplicaSet/shop/web", 0, 1, lambda name: False).rsplit("-", 1)
    assert (stem, len(end)) == ("web", 5)
    assert set(end) <= set(ALPHABET)


def test_a_long_base_is_cut_to_58_characters() -> None:
    assert len(generated_name("x" * 100, "o", 0, 1, lambda name: False)) == 63


def test_uids_are_random_ones_in_form_and_differ_by_owner_number_and_seed() -> None:
    uids = [generated_uid(*what) for what in (("o", 0, 1), ("o", 1, 1), ("p", 0, 1), ("o", 0, 2))]
    assert {UUID(uid).version for uid in uids} == {4}
    assert len(set(uids)) == 4
    assert generated_uid("o", 0, 1) == uids[0]
