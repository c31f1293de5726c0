"""Completions for the text of a watch: whole texts about the objects that exist in a state of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.explain.watches import FORMS, LANES_OF, MAX_WATCH_LENGTH
from scheduler_core.query import completions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scheduler_core.recording.state import RunState

MOST_NAMES = 20
RESOURCES = ("cpu", "memory", "pods")


def suggestions(text: str, state: RunState, resources: Iterable[str] = RESOURCES) -> list[str]:
    """Return watches that complete the text, at most MOST_NAMES; the forms of watches for an empty text."""
    text = text.lstrip()[:MAX_WATCH_LENGTH]
    kind, _, rest = text.partition(" ")
    offered: list[str] = []
    for one in _of_kind(kind.lower(), rest, text, state, resources):
        if one not in offered:
            offered.append(one)
        if len(offered) == MOST_NAMES:
            break
    return offered


def _of_kind(kind: str, rest: str, text: str, state: RunState, resources: Iterable[str]) -> Iterator[str]:
    match kind:
        case "free" | "used":
            resource, of, node = rest.partition(" of ")
            if of:
                yield from (f"{kind} {resource.strip()} of {name}" for name in _with(state.nodes, node))
            else:
                some = next(iter(state.nodes), "node")
                yield from (f"{kind} {one} of {some}" for one in resources if one.startswith(rest.strip()))
        case "pods":
            yield from (f"pods on {name}" for name in _with(state.nodes, rest.removeprefix("on")))
        case "length":
            yield from (f"length of {lane}" for lane in LANES_OF)
        case "state":
            pods = (*state.queue, *state.placements, *state.gone)
            written = rest.removeprefix("of").lstrip().removeprefix("pod")
            yield from (f"state of pod {pod}" for pod in _with(pods, written))
        case "count":
            yield from _of_query(rest.removeprefix("of").lstrip())
        case _:
            written = text.lower()
            yield from (form for form, _ in FORMS.values() if form.lower().startswith(written))
            yield from _with((f"length of {lane}" for lane in LANES_OF), written)
            yield from (f"free cpu of {name}" for name in _with(state.nodes, written))


def _of_query(query: str) -> Iterator[str]:
    for one in completions(query, len(query) + 1, lambda _field, _beginning: ()):
        yield f"count of {query[: one.column - 1]}{one.text}"


def _with(names: Iterable[str], part: str) -> Iterator[str]:
    """Names that contain the part; those that begin with it come first."""
    part = part.strip().lower()
    matching = [name for name in names if part in name.lower()]
    yield from sorted(matching, key=lambda name: (not name.lower().startswith(part), name))
