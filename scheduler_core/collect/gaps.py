"""What is or may be missing, as it becomes known."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.manifests.bundle.model import BundleGap, GapCode

MOST_GAPS = 2_000
"""After as many, a gap lengthens the last one of its code, kind and namespace."""
UNCOUNTED: frozenset[GapCode] = frozenset(("NO_CONFIGURATION",))
"""Gaps after which a bundle counts as whole: the default configuration is assumed, and said."""


class GapLedger:
    """The gaps in the order in which they became known."""

    def __init__(self, gaps: tuple[BundleGap, ...] = ()) -> None:
        self._gaps = list(gaps)

    @property
    def gaps(self) -> tuple[BundleGap, ...]:
        """All of them."""
        return tuple(self._gaps)

    @property
    def counted(self) -> tuple[BundleGap, ...]:
        """Those by which the bundle lacks something."""
        return tuple(gap for gap in self._gaps if gap.code not in UNCOUNTED)

    def add(self, gap: BundleGap) -> None:
        """Note a gap. One of the whole server that lies within, or reaches into, the last one of its code lengthens it,
        as all watches notice it."""
        for at in range(len(self._gaps) - 1, -1, -1):
            last = self._gaps[at]
            if (last.code, last.kind, last.namespace) != (gap.code, gap.kind, gap.namespace):
                continue
            overlaps = last.until is not None and gap.kind == "" and gap.since <= last.until
            if overlaps or len(self._gaps) >= MOST_GAPS:
                until = None if gap.until is None or last.until is None else max(last.until, gap.until)
                self._gaps[at] = replace(last, since=min(last.since, gap.since), until=until)
                return
            break
        self._gaps.append(gap)

    def end(self, code: GapCode, kind: str, until: float, namespace: str = "") -> None:
        """End the open gaps of the code, kind and namespace."""
        for at, gap in enumerate(self._gaps):
            if (gap.code, gap.kind, gap.namespace) == (code, kind, namespace) and gap.until is None:
                self._gaps[at] = replace(gap, until=until)

    def reopen(self, code: GapCode, kind: str, ended_since: float) -> bool:
        """Open the last gap of the code and kind again where it ended since then; whether it was so."""
        for at in range(len(self._gaps) - 1, -1, -1):
            gap = self._gaps[at]
            if (gap.code, gap.kind) == (code, kind):
                if gap.until is not None and gap.until < ended_since:
                    return False
                self._gaps[at] = replace(gap, until=None)
                return True
        return False

    def is_open(self, code: GapCode, kind: str, namespace: str = "") -> bool:
        """Whether there is such a gap without an end."""
        searched = code, kind, namespace
        return any((gap.code, gap.kind, gap.namespace) == searched and gap.until is None for gap in self._gaps)
