"""Numbers for what the filters of one pod class refuse with.

A refusal (plugin i of p, code, reason id) is one integer above 0, its key; 0 stands for "no refusal":

    key = ((reason << 3) | code) * p + i + 1

so that rows can be counted by refusal with one bincount, and two refusals are compared as numbers. Most plugins refuse
with one (code, reason) in the whole life of a class. While that holds, the key of a row follows from the plugin that
refused it, and no reasons need be looked at.

Example with p = 3 and reason id 4 = ("Insufficient cpu",): plugin 1 refuses with code 2 (UNSCHEDULABLE).
    key = ((4 << 3) | 2) * 3 + 1 + 1 = 104;  decode(104): (104 - 1) = 34 * 3 + 1 -> i = 1, 34 & 7 = 2, 34 >> 3 = 4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.contracts.verdicts import Verdicts

_CODE_BITS = 3
_SEVERAL = -1


class RefusalKeys:
    """Encodes refusals as keys, and remembers which plugins refuse with one key only.

    ``keys`` int64[p + 1]: of each plugin the key of its first refusal, 0 before there is one; 0 at the end, so that
    PASSED (-1) finds it.
    """

    def __init__(self, n_plugins: int) -> None:
        self._n = n_plugins
        self._only = [0] * n_plugins
        """The plugin's only key so far, 0 before it refuses, _SEVERAL once there is a second."""
        self.keys: NDArray[np.int64] = np.zeros(n_plugins + 1, dtype=np.int64)
        self.are_single = True
        """Whether no plugin ever refused with two keys."""

    def key(self, i: int, code: int, reason: int) -> int:
        """The key of the plugin's refusal."""
        return (reason << _CODE_BITS | code) * self._n + i + 1

    def keys_of(self, i: int, codes: NDArray[np.uint8], reasons: NDArray[np.int32]) -> NDArray[np.int64]:
        """The keys of the plugin's verdicts on rows; any number where it lets a row pass."""
        keys = reasons.astype(np.int64)
        keys <<= _CODE_BITS
        keys += codes
        keys *= self._n
        keys += i + 1
        return keys

    def decode(self, key: int) -> tuple[int, int, int]:
        """Plugin, code and reason id of a key above 0."""
        rest, i = divmod(key - 1, self._n)
        return i, rest & ((1 << _CODE_BITS) - 1), rest >> _CODE_BITS

    def has_one(self, i: int) -> bool:
        """Whether the plugin never refused with two keys."""
        return self._only[i] != _SEVERAL

    @property
    def refusing(self) -> list[int]:
        """The plugins that ever refused."""
        return [i for i, key in enumerate(self._only) if key]

    def note(self, i: int, code: int, reason: int) -> None:
        """Account for one refusal of the plugin."""
        key = self.key(i, code, reason)
        if not self._only[i]:
            self._only[i] = self.keys[i] = key
        elif self._only[i] != key:
            self._note_several(i)

    def note_all(self, i: int, verdicts: Verdicts) -> None:
        """Account for the refusals among the plugin's verdicts."""
        codes, reasons = verdicts.codes, verdicts.reasons
        n_refused = np.count_nonzero(codes) if self.has_one(i) else 0
        if not n_refused:
            return
        if not self._only[i]:
            at = int(codes.argmax())
            self.note(i, int(codes[at]), int(reasons[at]))
        _, code, reason = self.decode(self._only[i])
        if not np.count_nonzero(codes == code) == n_refused == np.count_nonzero(reasons == reason):
            self._note_several(i)

    def _note_several(self, i: int) -> None:
        self._only[i] = _SEVERAL
        self.are_single = False
