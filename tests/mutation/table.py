"""Mutations that the tests once let through, with the tests that must fail on each.

``old`` occurs exactly once in the file; ``new`` takes its place. A change that moves the code moves the entry along.
"""

from __future__ import annotations

from typing import NamedTuple


class Mutation(NamedTuple):
    """One change of one file, and the tests (arguments of pytest) of which one must fail on it."""

    name: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]


CORE = "tests/scheduler_core/"
DASHBOARD = "tests/dashboard/"

TABLE = (
    Mutation(
        "a leaving pod of equal priority keeps its nominator from preempting",
        "scheduler_core/framework/preemption/evaluator.py",
        "if leaving and info.pod.priority < pod.pod.priority:",
        "if leaving and info.pod.priority <= pod.pod.priority:",
        (CORE + "framework/preemption/test_evaluator.py",),
    ),
    Mutation(
        "plugins unreserve in the order in which they reserved",
        "scheduler_core/framework/runtime/binding_points.py",
        "in reversed(framework.points.reserve)",
        "in list(framework.points.reserve)",
        (CORE + "framework/runtime/test_binding_points.py",),
    ),
    Mutation(
        "the hash leaves the number of events out",
        "scheduler_core/recording/hashing.py",
        ', self.count.to_bytes(8, "little")])',
        "])",
        (CORE + "recording/test_hashing.py",),
    ),
    Mutation(
        "a pod refused while binding is woken by its own room",
        "scheduler_core/engine/scheduler.py",
        "lambda pod: pod.key != freed.key",
        "None",
        (CORE + "engine/test_scheduler.py",),
    ),
    Mutation(
        "a pod refused while binding keeps its nomination",
        "scheduler_core/engine/scheduler.py",
        'self._requeue(binding.queued, plugins, frozenset(), "")',
        "self._requeue(binding.queued, plugins, frozenset(), None)",
        (CORE + "engine/test_scheduler.py",),
    ),
    Mutation(
        "pods that are being deleted are attempted",
        "scheduler_core/engine/scheduler.py",
        "if pod.deletion_timestamp is not None or queued.key in cluster.pods:",
        "if queued.key in cluster.pods:",
        (CORE + "engine/test_scheduler.py",),
    ),
    Mutation(
        "the binding of an earlier cycle is carried out",
        "scheduler_core/engine/simulation.py",
        "if binding is not None and str(binding.cycle.number) == due.cause:",
        "if binding is not None:",
        (CORE + "engine/test_simulation.py",),
    ),
    Mutation(
        "a search stops at the node with which it has enough",
        "scheduler_core/framework/runtime/filter_phase.py",
        "end = passing[limit]",
        "end = passing[limit - 1] + 1",
        ("tests/conformance/test_recorded_decisions.py", "-k", "sampling/"),
    ),
    Mutation(
        "the runner-up of a tie is the winner's place",
        "scheduler_core/framework/runtime/score_phase.py",
        "ties.item(0 if drawn else 1)",
        "ties.item(1 if drawn else 0)",
        (CORE + "framework/runtime/test_score_phase.py",),
    ),
    Mutation(
        "answers under a budget that now allows more are used again",
        "scheduler_core/framework/preemption/candidate_cache.py",
        "> min(before, now)",
        "> max(before, now)",
        (CORE + "framework/preemption/test_candidate_cache.py",),
    ),
    Mutation(
        "cached answers outlive changes of the listers",
        "scheduler_core/framework/incremental/phases.py",
        "stamp = (table.static_generation, self._cluster.listers.generation)",
        "stamp = (table.static_generation, 0)",
        (CORE + "framework/incremental/test_class_cache.py",),
    ),
    Mutation(
        "nominated pods of equal priority do not count",
        "scheduler_core/framework/runtime/framework.py",
        "n.pod.priority >= pod.pod.priority",
        "n.pod.priority > pod.pod.priority",
        (CORE + "framework/runtime/test_framework.py",),
    ),
    Mutation(
        "by numpy a node takes one pod more than it allows",
        "scheduler_core/plugins/node_resources/fit.py",
        "amounts[POD_COUNT] >= amounts[ALLOWED_PODS]",
        "amounts[POD_COUNT] > amounts[ALLOWED_PODS]",
        (CORE + "plugins/node_resources/test_fit.py",),
    ),
    Mutation(
        "reversed zeros are worst instead of best",
        "scheduler_core/framework/contracts/normalizers.py",
        "np.full_like(raw, MAX_NODE_SCORE) if highest == 0 else MAX_NODE_SCORE - MAX",
        "np.zeros_like(raw) if highest == 0 else MAX_NODE_SCORE - MAX",
        (CORE + "framework/contracts/test_normalizers.py",),
    ),
    Mutation(
        "a client that lagged is not told the status again",
        "dashboard/live/consumers.py",
        "self.shown = None  # A status may",
        "pass  # A status may",
        (DASHBOARD + "live/test_consumers.py",),
    ),
    Mutation(
        "a socket misses what was handed out before it joined",
        "dashboard/live/consumers.py",
        "await self._send_pages(seq, joined.seq, progress)",
        "await self._send_pages(joined.seq, joined.seq, progress)",
        (DASHBOARD + "live/test_consumers.py",),
    ),
    Mutation(
        "a batch is handed to sockets that came after it was read",
        "dashboard/live/tailer.py",
        "if hub is None or hub.seq != seq:",
        "if hub is None:",
        (DASHBOARD + "live/test_tailer.py",),
    ),
    Mutation(
        "the budget of whole events is never filled again",
        "dashboard/live/tailer.py",
        "self.budget + (now - self.filled_at) * EVENTS_PER_SECOND",
        "self.budget",
        (DASHBOARD + "live/test_tailer.py",),
    ),
    Mutation(
        "sign-in leads back to the address of a form",
        "dashboard/accounts/access.py",
        'request.get_full_path() if request.method in READ else resolve_url("accounts:root")',
        "request.get_full_path()",
        (DASHBOARD + "accounts/test_roles.py",),
    ),
    Mutation(
        "a session in memory is used though another worker went further",
        "dashboard/runs/sessions.py",
        "return execution if execution is not None and execution.committed == run.head.seq else None",
        "return execution",
        (DASHBOARD + "runs/test_sessions.py",),
    ),
    Mutation(
        "steps of a preemption are counted from 0",
        "scheduler_core/recording/events.py",
        "for number, step in enumerate(self.steps, start=1):",
        "for number, step in enumerate(self.steps, start=0):",
        (CORE + "recording/test_preemption_event.py",),
    ),
    Mutation(
        "the runner-up stands above the winner",
        "dashboard/debugger/panels/matrix/view_model.py",
        "((query.second, -1), (query.winner, -2))",
        "((query.second, -2), (query.winner, -1))",
        (DASHBOARD + "debugger/panels/matrix",),
    ),
    Mutation(
        "the pod whose cycle it is does not stand first",
        "dashboard/debugger/panels/lanes/board.py",
        "sorted(queued.in_flight, key=lambda item: item[0] != current)",
        "queued.in_flight",
        (DASHBOARD + "debugger/panels/lanes/test_board.py",),
    ),
    Mutation(
        "completion looks at the first token for the operator",
        "scheduler_core/query/completion.py",
        'last = reading.tokens[-1] if reading.tokens else None\n    if "OPERATOR"',
        'last = reading.tokens[0] if reading.tokens else None\n    if "OPERATOR"',
        (CORE + "query/test_completion.py",),
    ),
    Mutation(
        "a move without a cycle is lost with its chunk",
        "scheduler_core/query/scan.py",
        'may_lack = subject is QuerySubject.MOVE and condition.field.name == "cycle"',
        "may_lack = False",
        (CORE + "query/test_scan.py",),
    ),
    Mutation(
        "a branch takes over a run that is being deleted",
        "dashboard/runs/branches/settling.py",
        "runs = Run.everything.exclude(state=State.DELETING)",
        "runs = Run.everything.all()",
        (DASHBOARD + "runs/branches/test_settling.py",),
    ),
    Mutation(
        "a pod that its node owns leaves a drained node",
        "dashboard/clusters/by_hand/drain.py",
        'if is_static or any(one.kind == "Node" for one in pod.owner_references):',
        "if is_static:",
        (DASHBOARD + "clusters/by_hand/test_drain.py",),
    ),
    Mutation(
        "a draft of clashes alone is run from its base",
        "dashboard/clusters/drafts/views.py",
        "if merge.changed or merge.clashes:",
        "if merge.changed:",
        (DASHBOARD + "clusters/drafts/test_views.py",),
    ),
    Mutation(
        "the smallest size of a session's object counts",
        "dashboard/answers/answering/sessions.py",
        "self._per_object[kind] = max(self._per_object.get(kind, 0.0), size / max(n_objects, 1))",
        "self._per_object[kind] = size / max(n_objects, 1)",
        (DASHBOARD + "answers/answering/test_sessions.py",),
    ),
    Mutation(
        "a search of all nodes counts as a sample",
        "scheduler_core/explain/fit/session.py",
        "samples=enough_nodes if enough_nodes < n_nodes else None",
        "samples=enough_nodes if enough_nodes <= n_nodes else None",
        (CORE + "explain/fit/test_session.py",),
    ),
    Mutation(
        "the depth of the last container alone counts",
        "scheduler_core/extenders/go_json.py",
        "inner += [item for item in inside if isinstance(item, list)]",
        "inner = [item for item in inside if isinstance(item, list)]",
        (CORE + "extenders/test_go_json.py",),
    ),
    Mutation(
        "a section may be stored in nine times its size",
        "scheduler_core/extenders/tape/sections.py",
        "if n_stored > size + _MOST_OVERHEAD:",
        "if n_stored > size * 9 + _MOST_OVERHEAD:",
        (CORE + "extenders/tape/test_sections.py",),
    ),
    Mutation(
        "a pod may stay for no time",
        "scheduler_core/workloads/generator/plan.py",
        "whole = max(1, round(",
        "whole = max(0, round(",
        (CORE + "workloads/generator/test_plan.py",),
    ),
    Mutation(
        "the last entry has no bar",
        "dashboard/documents/timelines/arrivals/strip.py",
        "width * MOST_BARS > self.last), -(-(self.last + 1)",
        "width * MOST_BARS > self.last), -(-(self.last)",
        (DASHBOARD + "documents/timelines/arrivals/test_strip.py",),
    ),
    Mutation(
        "a finding that is there still comes",
        "dashboard/review/pins/fields.py",
        "return self._gathered.is_waiting and not self.has(finding)",
        "return self._gathered.is_waiting",
        (DASHBOARD + "review/pins/test_fields.py",),
    ),
    Mutation(
        "an error without a new hit is not kept",
        "dashboard/runs/breakpoints/stopping.py",
        "(counted.hits != one.hits or counted.error)",
        "counted.hits != one.hits",
        (DASHBOARD + "runs/breakpoints/test_stopping.py",),
    ),
)
