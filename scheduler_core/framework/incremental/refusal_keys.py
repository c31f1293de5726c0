"""In which ways the filters of one pod class refuse: most do in one, and then reasons follow from who refused."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.contracts.verdicts import Verdicts

_CODE_BITS = 3
_SEVERAL = -1


class Ways:
    """A way is a number above 0 for (plugin, code, reasons), its key.

    ``keys`` int64[p + 1]: of each plugin the key of its first refusal, 0 before there is one; 0 at the end, so that
    PASSED finds it.
    """

    def __init__(self, n_plugins: int) -> None:
        self._n = n_plugins
        self._ways = [0] * n_plugins
        self.keys: NDArray[np.int64] = np.zeros(n_plugins + 1, dtype=np.int64)
        self.are_single = True
        """Whether no plugin ever refused in two ways."""

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

    def told(self, key: int) -> tuple[int, int, int]:
        """Plugin, code and reasons of a key."""
        rest, i = divmod(key - 1, self._n)
        return i, rest & ((1 << _CODE_BITS) - 1), rest >> _CODE_BITS

    def has_one(self, i: int) -> bool:
        """Whether the plugin never refused in two ways."""
        return self._ways[i] != _SEVERAL

    @property
    def refusing(self) -> list[int]:
        """The plugins that ever refused."""
        return [i for i, way in enumerate(self._ways) if way]

    def note(self, i: int, code: int, reason: int) -> None:
        """The plugin refused in this way."""
        key = self.key(i, code, reason)
        if not self._ways[i]:
            self._ways[i] = self.keys[i] = key
        elif self._ways[i] != key:
            self._take_several(i)

    def note_all(self, i: int, verdicts: Verdicts) -> None:
        """The plugin refused in these ways, if in any."""
        codes, reasons = verdicts.codes, verdicts.reasons
        n_refused = np.count_nonzero(codes) if self.has_one(i) else 0
        if not n_refused:
            return
        if not self._ways[i]:
            at = int(codes.argmax())
            self.note(i, int(codes[at]), int(reasons[at]))
        _, code, reason = self.told(self._ways[i])
        if not np.count_nonzero(codes == code) == n_refused == np.count_nonzero(reasons == reason):
            self._take_several(i)

    def _take_several(self, i: int) -> None:
        self._ways[i] = _SEVERAL
        self.are_single = False
