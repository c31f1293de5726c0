"""Numbers for what the filters of one pod class refuse with.

A refusal (plugin i of p, code, reason id) is one integer above 0, its key; 0 stands for "no refusal":

    key = ((reason << 3) | code) * p + i + 1

so that the kernel counts rows by refusal and compares two refusals as numbers (verdict_table.c makes the keys).

Example with p = 3 and reason id 4 = ("Insufficient cpu",): plugin 1 refuses with code 2 (UNSCHEDULABLE).
    key = ((4 << 3) | 2) * 3 + 1 + 1 = 104;  decode(104, 3): (104 - 1) = 34 * 3 + 1 -> i = 1, 34 & 7 = 2, 34 >> 3 = 4.
"""

from __future__ import annotations

_CODE_BITS = 3


def refusal_key(i: int, code: int, reason: int, n_plugins: int) -> int:
    """The key of plugin ``i``'s refusal."""
    return (reason << _CODE_BITS | code) * n_plugins + i + 1


def decode(key: int, n_plugins: int) -> tuple[int, int, int]:
    """Plugin, code and reason id of a key above 0."""
    rest, i = divmod(key - 1, n_plugins)
    return i, rest & ((1 << _CODE_BITS) - 1), rest >> _CODE_BITS
