"""The chain of the chosen event as steps: back to its origin, and forward along its effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import plural
from dashboard.debugger.events.chain import MOST, SHOWN
from dashboard.debugger.events.index import UNRECORDED
from dashboard.debugger.events.kinds import KINDS
from dashboard.debugger.events.line import NOT_RECORDED
from dashboard.debugger.events.sentences import number_of
from dashboard.debugger.labels import split_key
from dashboard.runs.models import Cycle
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.debugger.events.chain import Chain
    from dashboard.debugger.events.listing import Listing
    from dashboard.debugger.events.sentences import EventSentence
    from dashboard.runs.models import Run

_WOKEN = list(KINDS).index("wake")
NAMED = 12


@dataclass(frozen=True)
class Step:
    """An event of a chain; `note` adds how long before or after the chosen event it happened."""

    number: int
    sentence: EventSentence
    note: str
    url: str
    is_here: bool = False


@dataclass(frozen=True)
class OtherEffect:
    """Another pod that the same event woke, and the outcome of its next attempt."""

    name: str
    pod: str
    outcome: str
    url: str


@dataclass(frozen=True)
class Walk:
    """The steps up to and including the chosen event, and after it; `n_back` and `n_led` are the numbers of omitted
    ones.
    """

    number: int
    back: list[Step]
    n_back: int
    origin: str
    led: list[Step]
    n_led: int
    is_cut: bool
    siblings: list[OtherEffect]
    n_siblings: int
    cause_url: str
    effect_url: str

    @property
    def here(self) -> Step:
        """Return the chosen event."""
        return self.back[-1]

    @property
    def back_title(self) -> str:
        """Return how many steps back there are, in words."""
        count = self.n_back + len(self.back) - 1
        return f"Because of, {plural(count, 'step')} back to {self.origin}" if count else f"Because of: {self.origin}"

    @property
    def more_led(self) -> str:
        """Return how many effects are not shown."""
        return f"more than {MOST - SHOWN} more" if self.is_cut else f"{self.n_led:,} more"


def event_walk(run: Run, listing: Listing, chain: Chain, whole: bool, url: Callable[[int], str]) -> Walk:
    """Return the chain in words; cut after SHOWN steps each way unless the `whole` is asked for."""
    limit = MOST if whole else SHOWN
    back, led = chain.back[-limit:], chain.effects[:limit]
    effects = listing.index.effects(chain.seq)
    siblings = _siblings(listing, chain)
    return Walk(
        number=number_of(chain.seq),
        back=[_step(listing, seq, chain.seq, url) for seq in (*back, chain.seq)],
        n_back=len(chain.back) - len(back),
        origin=_origin(listing, chain),
        led=[_step(listing, seq, chain.seq, url) for seq in led],
        n_led=len(chain.effects) - len(led),
        is_cut=chain.is_cut,
        siblings=_outcomes(run, listing, chain.seq, siblings[:NAMED], url),
        n_siblings=max(len(siblings) - NAMED, 0),
        cause_url=url(number_of(chain.back[-1])) if chain.back else "",
        effect_url=url(number_of(effects[0])) if effects else "",
    )


def _origin(listing: Listing, chain: Chain) -> str:
    if chain.end == UNRECORDED:
        return NOT_RECORDED
    if chain.end >= 0:
        return "an earlier event"
    return listing.cause(chain.back[0] if chain.back else chain.seq).text


def _step(listing: Listing, seq: int, here: int, url: Callable[[int], str]) -> Step:
    sentence = listing.sentence(seq)
    apart = int(listing.index.at[seq] - listing.index.at[here])
    when = f"{span(-apart)} before" if apart < 0 else f"{span(apart)} later" if apart > 0 else ""
    soft = "".join(part.text for part in sentence.parts if part.tone == "soft").strip()
    return Step(number_of(seq), sentence, " · ".join(filter(None, [soft, when])), url(number_of(seq)), seq == here)


def _siblings(listing: Listing, chain: Chain) -> list[int]:
    """Seqs of moves of other pods with the same cause as the chosen event."""
    index = listing.index
    if int(index.kinds[chain.seq]) != _WOKEN or not chain.back:
        return []
    return [seq for seq in index.effects(chain.back[-1]) if seq != chain.seq and int(index.kinds[seq]) == _WOKEN]


def _outcomes(run: Run, listing: Listing, here: int, seqs: list[int], url: Callable[[int], str]) -> list[OtherEffect]:
    """The outcome of the next attempt of each pod that was woken."""
    index = listing.index
    pods = {seq: index.pod_names[int(index.pods[seq])] for seq in seqs}
    cycles = Cycle.objects.filter(run_id=run.pk, pod__in={pod for pod, _ in pods.values()}, first_seq__gt=here)
    ends: dict[tuple[str, str], str] = {}
    for pod, uid, outcome in cycles.order_by("number").values_list("pod", "pod_uid", "outcome"):
        ends.setdefault((pod, uid or ""), outcome)
    return [_sibling(pods[seq][0], ends.get(pods[seq], ""), url(number_of(seq))) for seq in seqs]


def _sibling(pod: str, outcome: str, url: str) -> OtherEffect:
    texts = {"scheduled": "then bound", "unschedulable": "failed again", "": "not tried again"}
    return OtherEffect(split_key(pod)[1], pod, texts.get(outcome, outcome), url)
