"""What ``why --node`` prints about nodes side by side, with the same sentences as the page."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.explain.rivals import texts
from scheduler_core.explain.rivals.model import Rival, Rivalry, WhyNode


def choice_lines(choice: WhyNode) -> Iterator[str]:
    """The lines of a comparison."""
    rivalry = choice.rivalry
    yield ""
    first, second = _names(rivalry)
    yield f"{texts.title(first, second, first == rivalry.winner, _is_drawn(rivalry))}, cycle {rivalry.cycle:,}"
    total = rivalry.rivals[0].total
    if rivalry.leads and total is not None and not any(one.is_computed for one in rivalry.rivals[:2]):
        yield f"  {texts.lead_words([(one.plugin, one.points) for one in rivalry.leads], total)}"
    if rivalry.is_drawn:
        yield f"  {texts.drawn_words(rivalry)}"
    if rivalry.difference:
        yield f"  DIFFERS: {rivalry.difference}"
    for rival in rivalry.rivals:
        yield from _rival(rival)
    for weight in choice.weights:
        yield f"WEIGHT OF {weight.plugin} {weight.weight}: {texts.weight_words(weight, rivalry.winner)}"
    for request in choice.requests:
        yield f"REQUEST OF {texts.request_title(request)}: {texts.request_words(request, rivalry.winner)}"


def _names(rivalry: Rivalry) -> tuple[str, str]:
    return rivalry.rivals[0].node, rivalry.rivals[1].node if len(rivalry.rivals) > 1 else ""


def _is_drawn(rivalry: Rivalry) -> bool:
    return rivalry.is_drawn and len(rivalry.rivals) > 1 and all(one.node in rivalry.tied for one in rivalry.rivals[:2])


def _rival(rival: Rival) -> Iterator[str]:
    yield f"{rival.node}: {texts.rival_words(rival)}"
    for points, inputs in zip(rival.points, rival.inputs, strict=True):
        yield f"  {points.plugin}: {points.raw} -> {points.norm} x {points.weight} = {points.weighted}"
        for text in inputs.texts:
            yield f"    {text}"
        if inputs.difference:
            yield f"    DIFFERS: {inputs.difference}"
    if rival.difference:
        yield f"  DIFFERS: {rival.difference}"
