"""The numbers that went into each score plugin's formula on a node, as lines of text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.facts import ScoreFacts, ToldFact, text
from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.explain.rivals.model import ScoreInputs
from scheduler_core.framework.contracts import facts as f
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import ScorePlugin
from scheduler_core.framework.runtime.cacheable_answers import ClassAnswers
from scheduler_core.framework.runtime.pre_filter_phase import run_pre_filter
from scheduler_core.framework.runtime.score_phase import Rows, run_pre_score
from scheduler_core.plugins.taint_toleration import TaintToleration

_NO_TAINT = "no PreferNoSchedule taint"


def score_inputs(score: ScoreFacts) -> ScoreInputs:
    """The inputs of a recorded score."""
    return _inputs(score.plugin, score.facts, score.difference)


def inputs_among(trials: Trials, key: str, node: str, rows: Rows, plugins: tuple[str, ...]) -> tuple[ScoreInputs, ...]:
    """The inputs on a node where these rows are scored, of each of the plugins; the state stays as it is."""
    simulation, pod = trials.simulation, trials.pod(key)
    cluster, framework = simulation.context.cluster, simulation.frameworks[pod.scheduler_name]
    info, cycle = cluster.info(pod), CycleState()
    run_pre_filter(framework, cycle, info)
    run_pre_score(framework, cycle, info, rows, ClassAnswers())
    view = cluster.view(cluster.table.row_of[node])
    inputs = []
    for name in plugins:
        plugin = framework.plugins.get(name)
        facts = plugin.score_facts(cycle.score_state.get(name), info, view) if isinstance(plugin, ScorePlugin) else ()
        inputs.append(_inputs(name, tuple(ToldFact(fact, text(fact)) for fact in facts)))
    return tuple(inputs)


def _inputs(plugin: str, facts: tuple[ToldFact, ...], difference: str = "") -> ScoreInputs:
    texts, short = tuple(one.text for one in facts), tuple(_short(one) for one in facts)
    shares = [one.fact for one in facts if isinstance(one.fact, f.ShareFact)]
    if plugin == TaintToleration.name:
        # Only taints that nothing tolerates count, so none is a fact too.
        against = sum(isinstance(one.fact, f.TaintFact) and one.fact.by is None for one in facts)
        short, texts = (f"{against} not tolerated",), texts or (_NO_TAINT,)
    elif len(shares) < len(facts) and shares:
        # Shares that are only compared with each other stand in one line.
        rest = [line for line, one in zip(short, facts, strict=True) if one.fact not in shares]
        short = (f"{', '.join(map(_percent, shares))} %", *rest)
    return ScoreInputs(plugin, short, texts, difference)


def _percent(fact: f.ShareFact) -> str:
    share = 100 * fact.requested / fact.allocatable if fact.allocatable else 0.0
    return f"{fact.resource.rpartition('/')[2]} {share:.0f}"


def _short(fact: ToldFact) -> str:
    say = _SHORT.get(type(fact.fact))
    return say(fact.fact) if say is not None else fact.text


def _share(fact: f.ShareFact) -> str:
    """ "cpu 3.4 of 4: 15": what is requested of what the node has, and the points that the strategy makes of it"""
    used, whole = amounts(fact.resource, fact.requested, fact.allocatable)
    points = "" if fact.points is None else f": {fact.points}"
    weight = f", weight {fact.weight}" if fact.weight != 1 else ""
    unit = whole.lstrip("0123456789.")
    return f"{fact.resource.rpartition('/')[2]} {used.removesuffix(unit)} of {whole}{points}{weight}"


def _deviation(fact: f.DeviationFact) -> str:
    before = "" if fact.before is None else f" (without the pod {100 * fact.before:.1f} %)"
    return f"deviation {100 * fact.deviation:.1f} %{before}"


def _preference(fact: f.PreferenceFact) -> str:
    return f"{'+' if fact.met else 'no '}{fact.weight}: {' and '.join(one.key for one in fact.requirements)}"


def _image(fact: f.ImageFact) -> str:
    name = fact.image.rpartition("/")[2]
    if not fact.here:
        return f"{name} not there"
    return f"on {fact.nodes:,} of {fact.of_nodes:,}: {fact.counted / (1 << 20):,.0f} MiB"


def _spread(fact: f.SpreadScoreFact) -> str:
    key = fact.topology_key.rpartition("/")[2]
    if fact.domain is None:
        return f"{key} missing"
    return f"{key}: {fact.here:,} x {fact.weight:.2f} = {fact.term:.2f}"


def _attraction(fact: f.AttractionFact) -> str:
    key = fact.topology_key.rpartition("/")[2]
    return f"{key} missing: 0" if fact.domain is None else f"{key}: {fact.points:+}"


_SHORT: dict[type[f.Fact], Callable[[Any], str]] = {
    f.AttractionFact: _attraction,
    f.DeviationFact: _deviation,
    f.ImageFact: _image,
    f.PreferenceFact: _preference,
    f.ShareFact: _share,
    f.SpreadScoreFact: _spread,
}
