"""The compiled kernel: what each function gives is what numpy and plain Python give, and bad arguments are refused."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from scheduler_core.compiled import kernel
from scheduler_core.compiled.interface import (
    BALANCED,
    DEFAULT,
    DEFAULT_REVERSED,
    IDENTITY,
    LEAST_ALLOCATED,
    MIN_MAX,
    MOST_ALLOCATED,
    SPREAD,
)
from scheduler_core.framework.contracts.change_set import CODES, DECISIVE, RAW, REASONS
from scheduler_core.recording.frames.codec import (
    BY_RECORDED,
    DIFFERENCES,
    KNOWN,
    NUMBERS,
    ONE,
    PLAIN,
    SAME_ROWS,
    STEPS,
    TWO,
    Layout,
)
from scheduler_core.recording.frames.decoder import Unfolding, _fold_groups
from tests.seeds import each_seed

compiled = kernel()
pytestmark = pytest.mark.skipif(compiled is None, reason="the compiled kernel was not built")
SEEDS = range(40)


def array(values, dtype=np.int64):
    return np.array(values, dtype=dtype)


# --- rows ----------------------------------------------------------------------------------------------------------
@each_seed(SEEDS, together=20)
def test_each_row_is_told_once_in_order_of_its_first_appearance(seed):
    random = Random(seed)
    rows = array([random.randrange(30) for _ in range(random.randrange(60))])
    out = np.empty(len(rows), dtype=np.int64)
    _, n = compiled.union_of((rows[::2],), out)
    assert out[:n].tolist() == list(dict.fromkeys(rows[::2].tolist()))


@each_seed(SEEDS, together=20)
def test_pieces_are_joined_unless_one_has_all(seed):
    random = Random(seed)
    pieces = tuple(array(random.sample(range(40), random.randrange(1, 20))) for _ in range(random.randrange(1, 5)))
    out = np.empty(sum(map(len, pieces)), dtype=np.int64)
    covering, n = compiled.union_of(pieces, out)
    union = set(np.concatenate(pieces).tolist())
    if covering >= 0:
        assert set(pieces[covering].tolist()) == union
    else:
        assert sorted(out[:n].tolist()) == sorted(union)
        assert all(set(piece.tolist()) != union for piece in pieces)


@each_seed(SEEDS, together=20)
def test_the_best_row_and_its_ties(seed):
    random = Random(seed)
    n, most = random.choice((1, 7, 64, 65, 300)), random.choice((1, 3, 200))
    totals = array([random.choice((-16_000, random.randrange(most))) for _ in range(n)], np.int16)
    row, total, n_best, second, second_total = compiled.best(totals)
    best = int(totals.max())
    tied = totals == best
    assert (row, total, n_best) == (int(totals.argmax()), best, int(tied.sum()))
    others = [(-int(t), i) for i, t in enumerate(totals.tolist()) if i != row and t >= 0]
    assert (second, second_total) == ((min(others)[1], -min(others)[0]) if others else (-1, -1))
    rows = tied.nonzero()[0].tolist()
    if n_best > 1:
        for drawn in range(n_best):
            bits = np.packbits(tied).tobytes()
            assert compiled.tied(totals, total, n_best, drawn) == (rows[drawn], rows[0 if drawn else 1], bits)
    for wrong in ((n_best + 1, 0), (n_best, n_best), (n_best, -1)):
        with pytest.raises(ValueError, match="number of rows"):
            compiled.tied(totals, total, *wrong)


# --- domains -------------------------------------------------------------------------------------------------------
@each_seed(SEEDS, together=20)
def test_what_rows_get_from_their_domains(seed):
    rng = np.random.default_rng(seed)
    n_rows, rows = 50, rng.permutation(50)[: rng.integers(50)]
    indexes = [rng.integers(0, k, n_rows) for k in (5, 50, 1)]
    terms = [rng.random(k) * 100 for k in (5, 50, 1)]
    chosen = rng.random(n_rows) < 0.8 if seed % 2 else None
    out = np.empty(len(rows), dtype=np.int64)
    compiled.sum_terms(tuple(zip(terms, indexes, strict=True)), rows, chosen, -1, out)
    total = sum(t.take(i.take(rows)) for t, i in zip(terms, indexes, strict=True))
    sums = (total + 0.5).astype(np.int64)
    assert out.tolist() == (sums if chosen is None else np.where(chosen.take(rows), sums, -1)).tolist()
    codes = [rng.integers(0, 3, k).astype(np.uint8) for k in (5, 50, 1)]
    first_of_rows = np.empty(len(rows), dtype=np.uint8)
    any_refused = compiled.first_codes(tuple(zip(codes, indexes, strict=True)), rows, first_of_rows)
    first = [next((int(c[i[r]]) for c, i in zip(codes, indexes, strict=True) if c[i[r]]), 0) for r in rows.tolist()]
    assert first_of_rows.tolist() == first
    assert any_refused is any(first)


def test_the_log_is_followed_where_a_class_has_a_weight_and_a_row_a_domain():
    rows, classes, signs = array([0, 1, 2, 1]), array([0, 1, 0, 1]), array([1, 1, 1, -1])
    assert compiled.follow(rows, classes, signs, array([0, 7]), array([3, 4, -1])) == [(4, 7), (4, -7)]
    assert compiled.follow(rows, classes, signs, array([2, 0]), array([3, 4, -1])) == [(3, 2)]


def test_the_log_is_tallied_by_row():
    rows, classes, signs = array([0, 1, 2, 1]), array([0, 1, 0, 1]), array([1, 1, 1, -1])
    counts = array([5, 6, 7])
    assert compiled.tally(rows, classes, signs, array([2, 3]), counts) == 4
    assert counts.tolist() == [7, 6, 9]


# --- resources -----------------------------------------------------------------------------------------------------
def test_scores_of_resources_are_those_of_the_reference_s_arithmetic():
    # lines: pods, pods allowed, cpu and memory with defaults, then allocatable and requested of cpu and of memory
    amounts = array([[1, 2], [1, 9], [0, 500], [0, 100], [1000, 4000], [600, 900], [2000, 0], [500, 0]])
    lines = array([4, 6]), array([5, 7]), array([100, 250]), array([1, 3])
    out = np.empty(2, dtype=np.int64)
    compiled.score_resources(LEAST_ALLOCATED, amounts, array([0, 1]), *lines, out)
    assert out.tolist() == [(30 * 1 + 62 * 3) // 4, 75]  # the second node has no memory, which leaves its weight out
    compiled.score_resources(MOST_ALLOCATED, amounts, array([1, 0]), *lines, out)
    assert out.tolist() == [25, (70 * 1 + 37 * 3) // 4]
    compiled.score_resources(BALANCED, amounts, array([0, 1]), *lines, out)
    assert out.tolist() == [int((1 - abs(0.7 - 0.375) / 2) * 100), 100]
    reason_numbers = array([0, 11, 12, -1], np.int32)
    patterns, codes, reasons = np.empty(2, np.int64), np.empty(2, np.uint8), np.empty(2, np.int32)
    bounds = array([4]), array([500])
    assert compiled.short_of(amounts, array([0, 1]), *bounds, reason_numbers, patterns, codes, reasons) == -1
    assert (patterns.tolist(), codes.tolist()) == ([3, 0], [2, 0])
    reason_numbers[3] = 13
    assert (
        compiled.short_of(amounts, array([0, 1]), array([4]), array([3101]), reason_numbers, patterns, codes, reasons)
        == 3
    )
    assert (codes.tolist(), reasons.tolist()) == ([3, 2], [13, 12])
    compiled.count_pod(amounts, 1, array([0, 5]), array([1, 100]), -1)
    assert amounts[:, 1].tolist() == [1, 9, 500, 100, 4000, 800, 0, 0]


# --- what changed of a frame ---------------------------------------------------------------------------------------
class Written:
    """A group writer with what it tells, folded as a reader does it. One filter and one score plugin."""

    def __init__(self, n, dtype="<i2"):
        self.layout = Layout(n, ("f",), ("s",), (1,), ("default",), "|i1", "<u2", (dtype,), ("",))
        self.writer = compiled.GroupWriter(n, 1, 2, 2, 1, (np.dtype(dtype).itemsize,))
        self.arrays = [
            np.zeros((1, n), np.uint8), np.zeros((1, n), np.int32), np.zeros(n, np.int16), np.zeros((1, n), np.int64)
        ]  # fmt: skip
        self.codes, self.reasons, self.decisive, self.raw = (array.reshape(-1) for array in self.arrays)
        self.into = Unfolding(self.layout, "frame")

    def write(self, groups, whole=()):
        """(groups as told, bytes); what they say is folded."""
        groups_written, body = self.writer.write(groups, dict.fromkeys(whole), tuple(self.arrays))
        _fold_groups(groups_written, body, "frame", self.into)
        return groups_written, body

    def read(self):
        lines = (self.into.line(part, 0).tolist() for part in (CODES, REASONS, DECISIVE, RAW))
        return list(lines) == [array.reshape(-1).tolist() for array in self.arrays]


@each_seed(range(120), together=40)
def test_what_is_written_of_many_frames_gives_them_back(seed):
    rng, random = np.random.default_rng(seed), Random(seed)
    n, dtype = 400, random.choice(("|i1", "<i2", "<i4", "<i8"))
    written = Written(n, dtype)
    written.raw[:] = rng.integers(*random.choice(((-50, 50), (-3, 2), (7, 8))), n)
    zones = [np.flatnonzero(rng.integers(0, 3, n) == 1) for _ in range(2)]
    for rows in zones:
        rows.flags.writeable = False
    written.write([], [(part, 0) for part in (CODES, REASONS, DECISIVE, RAW)])
    for _ in range(12):
        some = random.choice(
            (*zones, rng.permutation(n)[: rng.integers(64, n)], rng.permutation(n)[: rng.integers(1, 9)])
        )
        rows = some[::2] if random.random() < 0.2 else some
        at_random = rng.integers(0, random.choice((2, 3, 20)), len(rows))
        written.raw[rows] += random.choice((0, 1, written.raw[rows] % 3, at_random))
        written.raw[rows[: random.choice((0, 1, 16, 17))]] = 50
        written.codes[rows] = random.choice((2, at_random))
        written.reasons[rows] = random.choice((0, 700 * at_random))
        written.decisive[rows] = random.choice((-1, 0, at_random - 1))
        groups = [(rows, [(part, 0) for part in (CODES, REASONS, DECISIVE, RAW)])]
        if random.random() < 0.2:
            written.write([], [(part, 0) for part in (CODES, REASONS, DECISIVE, RAW)])
        else:
            written.write(groups)
        assert written.read()


def forms(forms_written):
    return [form for _, _, lines in forms_written for _, _, form in lines]


def test_lines_of_one_value_or_two_take_one_or_two():
    written, rows = Written(500), np.arange(100, 400)
    group = [(rows, [(REASONS, 0)])]
    forms_written, body = written.write(group)
    assert (forms(forms_written), len(body)) == ([ONE], 600 + 2)
    written.reasons[100:400:2] = 3
    forms_written, body = written.write(group)
    assert (forms(forms_written), len(body)) == ([TWO], 600 + 4 + 38)
    written.reasons[100] = 200
    forms_written, _ = written.write(group)
    assert forms_written == ((300, STEPS, ((REASONS, 0, TWO),)), (1, NUMBERS, ((REASONS, 0, PLAIN),)))
    assert written.read()


def test_lines_of_two_values_on_the_same_rows_tell_these_once():
    """As a zone that becomes feasible when another ceases to be: codes, reasons and the decisive plugin."""
    written, rows = Written(300), np.arange(300)
    for line, one, other in ((written.codes, 0, 2), (written.reasons, 0, 7), (written.decisive, -1, 0)):
        line[:] = np.where(rows % 3, one, other)
    written.reasons[[0, 10]] = 9
    forms_written, body = written.write([(rows, [(CODES, 0), (REASONS, 0), (DECISIVE, 0)])])
    assert forms(forms_written) == [TWO, TWO | SAME_ROWS, TWO | SAME_ROWS, PLAIN]
    assert len(body) == 600 + (2 + 38) + 4 + 2 + (2 * 2 + 2 * 2)
    assert written.read()
    written.reasons[:] = rows % 2
    forms_written, _ = written.write([(rows, [(CODES, 0), (REASONS, 0)])])
    assert forms(forms_written) == [TWO, TWO]
    assert written.read()


def test_differences_that_follow_from_what_was_recorded_are_told_by_it():
    """As when a zone's count changes and rounding depends on the count of the node."""
    written, rows = Written(300), np.arange(300)
    written.raw[:] = [10, 11, 12] * 100
    written.write([], [(RAW, 0)])
    written.raw += np.array([3, 4, 3] * 100)
    written.raw[7] = 500
    forms_written, body = written.write([(rows, [(RAW, 0)])])
    assert forms(forms_written) == [DIFFERENCES | BY_RECORDED, PLAIN]
    assert len(body) == 600 + (1 + 3 * 4) + 2 + 2, "steps; known values and differences; the other row and its value"
    assert written.read()


def test_rows_that_stay_are_told_by_number_until_the_next_key():
    written, zone = Written(300), np.arange(0, 300, 3)
    zone.flags.writeable = False
    hows = []
    for number in range(4):
        if number == 3:
            written.writer.begin()
        written.raw[zone] = number
        forms_written, _ = written.write([(zone, [(RAW, 0)])])
        hows.append(forms_written[0][1])
    assert hows == [STEPS, KNOWN, KNOWN, STEPS]


def test_the_example_of_the_group_writer_is_written_as_it_says():
    written, zone = Written(300), np.arange(0, 300, 3)
    zone.flags.writeable = False
    groups = []
    for value in (5, 6, 7):
        written.raw[zone] = value
        written.raw[3] = 9 if value == 7 else value
        forms_written, body = written.write([(zone, [(RAW, 0)])])
        groups.append((forms_written, len(body)))
        assert written.read()
    by_recorded = (100, KNOWN, ((RAW, 0, DIFFERENCES | BY_RECORDED),))
    assert groups == [
        (((100, STEPS, ((RAW, 0, ONE),)),), 202),
        (((100, KNOWN, ((RAW, 0, ONE),)),), 2),
        ((by_recorded, (1, NUMBERS, ((RAW, 0, PLAIN),))), 5 + 4),
    ]


def test_a_value_that_does_not_fit_is_not_written():
    written = Written(500, "|i1")
    for rows in (np.arange(5), np.arange(300)):
        written.raw[rows[0]] = 128
        assert written.writer.write([(rows, [(RAW, 0)])], {}, tuple(written.arrays)) is None
        written.raw[rows[0]] = -128
        assert written.writer.write([(rows, [(RAW, 0)])], {}, tuple(written.arrays)) is not None


@pytest.mark.parametrize(
    ("groups", "whole"),
    [
        ([(np.array([0, 99]), [(RAW, 0)])], {}),
        ([(np.array([0, -1]), [(RAW, 0)])], {}),
        ([(np.array([0], np.int32), [(RAW, 0)])], {}),
        ([(np.array([0]), [(RAW, 1)])], {}),
        ([(np.array([0]), [(4, 0)])], {}),
        ([(np.array([0]), [RAW])], {}),
        ([(np.array([0]), ((RAW, 0),))], {}),
        ([np.array([0])], {}),
        ([], {(CODES, -1): None}),
        ([], {1: None}),
        ([], []),
    ],
)
def test_a_group_writer_refuses_what_does_not_fit_its_layout(groups, whole):
    written = Written(9)
    with pytest.raises((TypeError, ValueError, IndexError)):
        written.writer.write(groups, whole, tuple(written.arrays))


@pytest.mark.parametrize("fields", [("row", "more"), ("more", "row", "other")])
def test_rows_that_are_not_aligned_are_refused(fields):
    packed = np.zeros(3, dtype=[(name, np.int64 if name == "row" else np.int32) for name in fields])
    with pytest.raises(ValueError, match="aligned"):
        compiled.union_of((packed["row"],), np.empty(3, dtype=np.int64))


def test_a_group_writer_refuses_arrays_of_another_shape():
    written = Written(9)
    for i, bad in enumerate((np.zeros((2, 9), np.uint8), np.zeros((1, 8), np.int32), np.zeros(9, np.int32), ROWS)):
        arrays = list(written.arrays)
        arrays[i] = bad
        with pytest.raises((TypeError, ValueError)):
            written.writer.write([], {}, tuple(arrays))
    with pytest.raises(TypeError):
        written.writer.write([], {}, tuple(written.arrays[:3]))


# --- tables --------------------------------------------------------------------------------------------------------
def test_a_score_outside_of_0_to_100_is_refused_where_the_row_is_feasible():
    def table(kind):
        raw, norm = np.zeros((1, 3), dtype=np.int64), np.zeros((1, 3), dtype=np.int16)
        return compiled.ScoreTable(raw, norm, np.full(3, -16_000, dtype=np.int16), (kind,), (1,), -16_000)

    final = table(IDENTITY)
    final.take_feasible(array([1, 0, 1], np.bool_))
    assert final.take(0, array([1]), array([200])) == (1, 0)
    with pytest.raises(OverflowError):
        final.take(0, array([2]), array([101]))
    final = table(IDENTITY)
    final.take(0, array([1]), array([200]))
    with pytest.raises(OverflowError):
        final.take_feasible(array([0, 1, 0], np.bool_))
    wide = table(MIN_MAX)
    wide.take_feasible(array([1, 1, 1], np.bool_))
    assert wide.take(0, array([0, 1, 2]), array([0, 10**12, -(10**12)])) == (2, 1)
    assert wide.params(0) == (-(10**12), 10**12)
    assert wide.sums() == [(0, 0, 100, 150)]
    assert wide.compare(1, 0) == [(10**12, 100, 0, 50, False)], "without it all would be equal"


def plainly_normalized(kind, raw, fits):
    """Normalised scores of feasible rows, from all of them."""
    low, high = int(raw[fits].min()), int(raw[fits].max())
    return [
        {
            IDENTITY: lambda score: score,
            DEFAULT: lambda score: 100 * score // high if high else score,
            DEFAULT_REVERSED: lambda score: 100 - 100 * score // high if high else 100,
            SPREAD: lambda score: 100 * (high + low - score) // high if high else 100,
            MIN_MAX: lambda score: 0 if low == high else int(100.0 * ((score - low) / (high - low))),
        }[kind](score)
        for score in raw[fits].tolist()
    ]


@each_seed(SEEDS, together=20)
def test_scores_follow_rows_that_change_and_flip_as_counted_anew(seed):
    rng, kinds, n = np.random.default_rng(seed), (IDENTITY, DEFAULT, DEFAULT_REVERSED, SPREAD, MIN_MAX), 30
    raw, norm = np.zeros((5, n), dtype=np.int64), np.zeros((5, n), dtype=np.int16)
    totals, weights, sums = np.full(n, -16_000, dtype=np.int16), (1, 2, 3, 1, 2), {}
    table = compiled.ScoreTable(raw, norm, totals, kinds, weights, -16_000)
    fits = rng.random(n) < 0.7
    fits[0] = True
    table.take_feasible(fits)
    for step in range(25):
        for j in range(5):
            # whole lines now and then, often of one score, else some rows
            whole = step == 0 or rng.random() < 0.1
            rows = np.arange(n) if whole else rng.permutation(n)[: rng.integers(0, 4)]
            most = 1 if whole and rng.random() < 0.5 else 90
            table.take(j, rows, rng.integers(0, 90, 1)[0] + rng.integers(0, most, len(rows)) % 11)
        fits = fits ^ (rng.random(n) < rng.choice((0.0, 0.05, 0.5)))
        fits[0] = True
        table.take_feasible(fits)
        for j in range(1, 5):
            table.settle(j)
        sums.update({j: lines for j, *lines in table.sums()})
        for j, kind in enumerate(kinds):
            expected = plainly_normalized(kind, raw[j], fits)
            assert norm[j][fits].tolist() == expected
            assert sums[j] == [min(expected), max(expected), sum(expected)]
        assert totals[fits].tolist() == (np.array(weights) @ norm[:, fits]).tolist()
        assert (totals[~fits] < 0).all()


# --- bad arguments -------------------------------------------------------------------------------------------------
ROWS, FAR, SMALL = array([0, 1]), array([0, 99]), np.zeros(2, dtype=np.int32)
