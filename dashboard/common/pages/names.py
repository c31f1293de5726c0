"""Long names in narrow places: what tells a name from the others of its list is the last that is cut."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dashboard.common.pages.pattern import Pattern

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.utils.safestring import SafeString

# Of a name without a list the end is kept: it tells the pods of one owner apart.
TAIL = 10
# Shorter names are left whole: they fit.
WHOLE = 12
# A head of fewer letters would be cut to nothing but dots.
SHORTEST_HEAD = 4

_WHOLE = Pattern('<span class="cut">{name}</span>')
_CUT = Pattern('<span class="tailed"><span class="cut">{head}</span><span class="kept">{kept}</span>{rest}</span>')
_REST = Pattern('<span class="cut">{rest}</span>')


@dataclass(frozen=True)
class ShortNames:
    """How the names of one list are shortened: `prefix` and `suffix` count the characters that all of them share."""

    prefix: int = 0
    suffix: int = 0

    def parts(self, name: str) -> tuple[str, str, str]:
        """Return (head, kept, rest): head and rest are cut before anything of `kept`.

        A name with dots ends in a domain, which is the rest where the list does not say what all share.
        """
        suffix = self.suffix or (len(name) - name.index(".") if "." in name else 0)
        end = len(name) - min(suffix, len(name))
        start = min(max(self.prefix, end - TAIL), end)
        start = start if start >= SHORTEST_HEAD else 0
        return name[:start], name[start:end], name[end:]

    def html(self, name: str) -> SafeString:
        """Return the name as markup that keeps its distinctive part where room is short."""
        return _html(self, name)


@lru_cache(maxsize=16_384)
def _html(short: ShortNames, name: str) -> SafeString:
    """The markup of a name; from cycle to cycle the same nodes are shown."""
    if len(name) <= WHOLE:
        return _WHOLE(name=name)
    head, middle, rest = short.parts(name)
    return _CUT(head=head, kept=middle, rest=_REST(rest=rest) if rest else "")


def short_names(names: Collection[str]) -> ShortNames:
    """Return how to cut the names: by what they share at both ends, up to a separator (- . _); O(characters)."""
    if len(names) < 2:
        return ShortNames()
    prefix = _shared(names)
    suffix = _shared([name[::-1] for name in names])[::-1]
    start = max((match.end() for match in re.finditer(r"[-._]", prefix)), default=0)
    mark = re.search(r"[-._]", suffix)
    return ShortNames(start, len(suffix) - mark.start() if mark else 0)


def _shared(names: Collection[str]) -> str:
    """What all names begin with: the first and the last in order differ earliest."""
    low, high = min(names), max(names)
    return next((low[:i] for i, letter in enumerate(low) if high[i : i + 1] != letter), low)
