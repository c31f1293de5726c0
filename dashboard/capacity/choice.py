"""What an address of the page chooses: the question, what it is about, and what is selected in its answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from dashboard.answers.questions import MOST_TYPED
from dashboard.clusters.revisions.page_context import NAME_LIMIT
from dashboard.common.http.params import bool_param, choice_param, int_param, text_param
from dashboard.common.problems import BadQuery

if TYPE_CHECKING:
    from django.http import QueryDict

GROUPS, ROOM, DRAIN, SPARE = "groups", "room", "drain", "spare"
QUESTIONS = (GROUPS, ROOM, DRAIN, SPARE)
MOST_LIKES, MOST_DRAINED = 20, 100
MOST_TURNS = 100_000
# What is of one question alone, and does not go over to another one.
_PASSING = ("turn", "stop", "long")


@dataclass(frozen=True)
class CapacityChoice:
    """The fields are those of the address. `pod`, `like`, `groups`, `goal` ask which group, `row` and `group` select a
    cell of the answer; `of` is the pod that more are to fit of, for `long`; `node` are drained, `q` filters the list of
    nodes; `why` is the code of the nodes that are needed. `turn` counts the requests of a long answer, until `stop`.
    """

    show: str = GROUPS
    pod: str = ""
    like: tuple[str, ...] = ()
    groups: str = ""
    goal: str = ""
    row: str = ""
    group: str = ""
    of: str = ""
    long: bool = False
    node: tuple[str, ...] = ()
    q: str = ""
    why: str = ""
    turn: int = 0
    stop: bool = False

    @classmethod
    def read(cls, query: QueryDict) -> CapacityChoice:
        """Return what a request's query chooses; raises BadQuery."""
        names = {name: text_param(query, name, NAME_LIMIT) for name in ("pod", "row", "group", "of", "q", "why")}
        return cls(
            show=choice_param(query, "show", QUESTIONS, GROUPS),
            like=_several(query, "like", MOST_LIKES),
            groups=text_param(query, "groups", MOST_TYPED),
            goal=choice_param(query, "goal", ("price",), ""),
            node=_several(query, "node", MOST_DRAINED),
            long=bool_param(query, "long"),
            turn=int_param(query, "turn", 0, high=MOST_TURNS),
            stop=bool_param(query, "stop"),
            **names,
        )

    def but(self, **changes: Any) -> CapacityChoice:
        """Return the same with some fields changed; another question begins with its first turn."""
        if changes.get("show", self.show) != self.show:
            changes = dict.fromkeys(_PASSING, 0) | changes
        return replace(self, **changes)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Return (name, value) of all that is not as it is without a choice."""
        pairs = []
        for name, value in asdict(self).items():
            if isinstance(value, tuple):
                pairs += [(name, one) for one in value]
            elif value and (name, value) != ("show", GROUPS):
                pairs.append((name, str(int(value)) if isinstance(value, bool) else str(value)))
        return pairs

    def without(self, *names: str) -> list[tuple[str, str]]:
        """Return what a form keeps that has fields of these names."""
        return [(name, value) for name, value in self.pairs if name not in (*names, *_PASSING)]


@dataclass(frozen=True)
class CapacityPlace:
    """Where the page is: its address, those of its tiles and its table, and what all keep of the query (`query`)."""

    path: str
    query: dict[str, str]

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Return what forms keep of the query of all pages."""
        return list(self.query.items())

    def url(self, choice: CapacityChoice, page: str = "", **more: str) -> str:
        """Return the address of the page, or of one below it ("tile/"), with this choice."""
        encoded = urlencode([*self.query.items(), *choice.pairs, *more.items()], safe="/")
        return f"{self.path}{page}?{encoded}" if encoded else f"{self.path}{page}"


def _several(query: QueryDict, name: str, most: int) -> tuple[str, ...]:
    values = tuple(dict.fromkeys(value.strip() for value in query.getlist(name) if value.strip()))
    if len(values) > most:
        raise BadQuery(f'"{name}" may be given at most {most:,} times; here it is {len(values):,}.')
    for value in values:
        text_param({name: value}, name, NAME_LIMIT)
    return values
