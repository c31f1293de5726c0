"""Answers about many rows: their shape, one answer for all, reasons as numbers."""

from __future__ import annotations

import numpy as np
import pytest

from scheduler_core.framework.contracts.verdicts import (
    ReasonTable,
    Verdicts,
    WrongShape,
    broadcast,
    check_scores,
    check_verdicts,
)


def test_one_answer_for_all_rows_takes_the_room_of_one():
    verdicts = Verdicts.broadcast(2, 7, 4)
    assert (verdicts.codes.tolist(), verdicts.reasons.tolist()) == ([2] * 4, [7] * 4)
    assert (verdicts.codes.strides, verdicts.reasons.strides, broadcast(9, 3).strides) == ((0,), (0,), (0,))
    assert broadcast(9, 3).tolist() == [9, 9, 9]
    assert len(verdicts.part(1, 3).codes) == len(verdicts.part(1, 3).reasons) == 2


def test_answers_have_one_value_for_each_row():
    check_verdicts(None, 3)
    check_verdicts(Verdicts.broadcast(0, 0, 3), 3)
    check_scores(broadcast(1, 3), 3)
    for wrong in (Verdicts.broadcast(0, 0, 2), Verdicts(np.zeros(3, np.uint8), np.zeros(2, np.int32))):
        with pytest.raises(WrongShape):
            check_verdicts(wrong, 3)
    with pytest.raises(WrongShape):
        check_scores(np.zeros((3, 1), dtype=np.int64), 3)


def test_reasons_have_one_number_each():
    table = ReasonTable([("full",)])
    assert (table.intern(()), table.intern(("full",)), table.intern(("full", "taint"))) == (0, 1, 2)
    assert table.entries == [(), ("full",), ("full", "taint")]
    ids = table.intern_all((("full",), ("new",)))
    assert (ids.tolist(), table.entries[3]) == ([1, 3], ("new",))
    assert table.intern_all((("full",), ("new",))) is ids
