"""The order in which Go's sort.Slice leaves elements that are equal (sort.pdqsort_func of Go 1.19 and later).

Up to 12 elements are sorted by insertion, which is stable. Longer slices are sorted by pattern-defeating quicksort: not
stable, but the same for the same input everywhere, since its random numbers are seeded by the length. The scheduler
sorts the pods of a node by priority and start, and among equal ones this order decides who has to go.

Cost: that of Python's sort where no two elements are equal or there are at most 12; else some 20 times that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
LONGEST_INSERTION = 12
_NINTHER_FROM = 50
_SHIFT_FROM = 50
_MOST_SHIFTS = 5
_MOST_SWAPS = 12
_PIVOT_FROM = 8
_WORD = (1 << 64) - 1


def go_sorted(items: Sequence[T], key: Callable[[T], Any]) -> list[T]:
    """The items in ascending order of their keys, equal ones as Go's sort.Slice leaves them."""
    ranked = sorted(items, key=key)
    if len(items) <= LONGEST_INSERTION or not _has_equals(ranked, key):
        return ranked
    return [item for _, item in _Slice([(key(item), item) for item in items]).sorted()]


def _has_equals(ranked: Sequence[T], key: Callable[[T], Any]) -> bool:
    keys = list(map(key, ranked))
    return any(map(_equal, keys, keys[1:]))


def _equal(left: Any, right: Any) -> bool:
    return bool(left == right)


class _Slice:
    """Pairs of key and item, sorted in place; bounds are a, and b past the end."""

    def __init__(self, pairs: list[tuple[Any, Any]]) -> None:
        self.pairs = pairs

    def sorted(self) -> list[tuple[Any, Any]]:
        n = len(self.pairs)
        self._sort(0, n, n.bit_length())
        return self.pairs

    def _less(self, i: int, j: int) -> bool:
        return bool(self.pairs[i][0] < self.pairs[j][0])

    def _swap(self, i: int, j: int) -> None:
        pairs = self.pairs
        pairs[i], pairs[j] = pairs[j], pairs[i]

    def _sort(self, a: int, b: int, limit: int) -> None:
        """``limit``: bad pivots that are allowed before heapsort takes over."""
        balanced = partitioned = True
        while b - a > LONGEST_INSERTION:
            if limit == 0:
                self._heap_sort(a, b)
                return
            if not balanced:
                self._break_patterns(a, b)
                limit -= 1
            pivot, swaps = self._choose_pivot(a, b)
            if swaps == _MOST_SWAPS:
                self.pairs[a:b] = self.pairs[a:b][::-1]
                pivot = (b - 1) - (pivot - a)
            if balanced and partitioned and swaps in (0, _MOST_SWAPS) and self._insert_few(a, b):
                return
            if a > 0 and not self._less(a - 1, pivot):
                a = self._partition_equal(a, b, pivot)
                continue
            middle, partitioned = self._partition(a, b, pivot)
            left, right, enough = middle - a, b - middle, (b - a) // 8
            if left < right:
                balanced = left >= enough
                self._sort(a, middle, limit)
                a = middle + 1
            else:
                balanced = right >= enough
                self._sort(middle + 1, b, limit)
                b = middle
        self._insertion_sort(a, b)

    def _insertion_sort(self, a: int, b: int) -> None:
        self.pairs[a:b] = sorted(self.pairs[a:b], key=_key)

    def _insert_few(self, a: int, b: int) -> bool:
        """Put a few elements right in a range that seems to be sorted; whether it is sorted now."""
        i = a + 1
        for _ in range(_MOST_SHIFTS):
            while i < b and not self._less(i, i - 1):
                i += 1
            if i == b:
                return True
            if b - a < _SHIFT_FROM:
                return False
            self._swap(i, i - 1)
            if i - a >= 2:
                for j in range(i - 1, 0, -1):
                    if not self._less(j, j - 1):
                        break
                    self._swap(j, j - 1)
            if b - i >= 2:
                for j in range(i + 1, b):
                    if not self._less(j, j - 1):
                        break
                    self._swap(j, j - 1)
        return False

    def _break_patterns(self, a: int, b: int) -> None:
        """Swap three elements around the middle with others, by numbers that follow from the length."""
        length = b - a
        if length < _PIVOT_FROM:
            return
        number, mask = length, (1 << length.bit_length()) - 1
        middle = a + length // 4 * 2 - 1
        for i in range(3):
            number ^= number << 13 & _WORD
            number ^= number >> 7
            number ^= number << 17 & _WORD
            other = number & mask
            self._swap(middle + i, a + (other - length if other >= length else other))

    def _choose_pivot(self, a: int, b: int) -> tuple[int, int]:
        """(index, how many comparisons found their elements the wrong way round): none where the range seems to rise,
        _MOST_SWAPS where it seems to fall."""
        length, swaps = b - a, [0]
        i, j, k = (a + length // 4 * n for n in (1, 2, 3))
        if length >= _PIVOT_FROM:
            if length >= _NINTHER_FROM:
                i, j, k = (self._median(n - 1, n, n + 1, swaps) for n in (i, j, k))
            j = self._median(i, j, k, swaps)
        return j, swaps[0]

    def _median(self, a: int, b: int, c: int, swaps: list[int]) -> int:
        a, b = self._in_order(a, b, swaps)
        b, c = self._in_order(b, c, swaps)
        a, b = self._in_order(a, b, swaps)
        return b

    def _in_order(self, a: int, b: int, swaps: list[int]) -> tuple[int, int]:
        if not self._less(b, a):
            return a, b
        swaps[0] += 1
        return b, a

    def _partition(self, a: int, b: int, pivot: int) -> tuple[int, bool]:
        """Bring what is less than the pivot before it; its index, and whether nothing had to be swapped."""
        self._swap(a, pivot)
        i, j = self._meet(a, a + 1, b - 1)
        was_partitioned = i > j
        while i <= j:
            self._swap(i, j)
            i, j = self._meet(a, i + 1, j - 1)
        self._swap(j, a)
        return j, was_partitioned

    def _meet(self, pivot: int, i: int, j: int) -> tuple[int, int]:
        while i <= j and self._less(i, pivot):
            i += 1
        while i <= j and not self._less(j, pivot):
            j -= 1
        return i, j

    def _partition_equal(self, a: int, b: int, pivot: int) -> int:
        """Bring what equals the pivot to the front, where nothing is less; where the rest begins."""
        self._swap(a, pivot)
        i, j = a + 1, b - 1
        while True:
            while i <= j and not self._less(a, i):
                i += 1
            while i <= j and self._less(a, j):
                j -= 1
            if i > j:
                return i
            self._swap(i, j)
            i, j = i + 1, j - 1

    def _heap_sort(self, a: int, b: int) -> None:
        n = b - a
        for i in range((n - 1) // 2, -1, -1):
            self._sift_down(i, n, a)
        for i in range(n - 1, -1, -1):
            self._swap(a, a + i)
            self._sift_down(0, i, a)

    def _sift_down(self, root: int, n: int, first: int) -> None:
        while (child := 2 * root + 1) < n:
            if child + 1 < n and self._less(first + child, first + child + 1):
                child += 1
            if not self._less(first + root, first + child):
                return
            self._swap(first + root, first + child)
            root = child


def _key(pair: tuple[Any, Any]) -> Any:
    return pair[0]
