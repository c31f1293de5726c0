"""What ``why --node`` prints of nodes beside each other, in the words of the page that shows them."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.explain.rivals import words
from scheduler_core.explain.rivals.model import Rival, Rivalry, WhyNode


def choice_lines(choice: WhyNode) -> Iterator[str]:
    """The lines of a comparison."""
    found = choice.rivalry
    yield ""
    first, second = _names(found)
    yield f"{words.title(first, second, first == found.winner, _is_drawn(found))}, cycle {found.cycle:,}"
    total = found.rivals[0].total
    if found.leads and total is not None and not any(one.is_computed for one in found.rivals[:2]):
        yield f"  {words.lead_words([(one.plugin, one.points) for one in found.leads], total)}"
    if found.is_drawn:
        yield f"  {words.drawn_words(found)}"
    if found.difference:
        yield f"  DIFFERS: {found.difference}"
    for rival in found.rivals:
        yield from _rival(rival)
    for weight in choice.weights:
        yield f"WEIGHT OF {weight.plugin} {weight.weight}: {words.weight_words(weight, found.winner)}"
    for request in choice.requests:
        yield f"REQUEST OF {words.request_title(request)}: {words.request_words(request, found.winner)}"


def _names(found: Rivalry) -> tuple[str, str]:
    return found.rivals[0].node, found.rivals[1].node if len(found.rivals) > 1 else ""


def _is_drawn(found: Rivalry) -> bool:
    return found.is_drawn and len(found.rivals) > 1 and all(one.node in found.tied for one in found.rivals[:2])


def _rival(rival: Rival) -> Iterator[str]:
    yield f"{rival.node}: {words.rival_words(rival)}"
    for points, inputs in zip(rival.points, rival.inputs, strict=True):
        yield f"  {points.plugin}: {points.raw} -> {points.norm} x {points.weight} = {points.weighted}"
        for text in inputs.texts:
            yield f"    {text}"
        if inputs.difference:
            yield f"    DIFFERS: {inputs.difference}"
    if rival.difference:
        yield f"  DIFFERS: {rival.difference}"
