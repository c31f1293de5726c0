"""Plays the controller of resource claims: what it decides (controllers/claims.py) is written at the end of a step.

A claim is made when a pod has none for an entry with a template, and its name is written into the pod's status. When a
pod ends or goes, its entry leaves ``reservedFor``; a claim without entries loses its devices, an update that pods wait
for; then claims that were made for the pod are deleted. A claim that somebody deletes while it has devices terminates,
and goes with its last entry. The real controller does each within milliseconds, here it takes no time; where a template
is missing it tries again in growing intervals, here as soon as the template comes.

For example, a pod with a claim of its own ends: the claim is updated (no entry, no devices), which wakes the pods that
wait for devices, and is deleted; the pod's end is the cause of both.

Cost: one look-up by key whenever a pod with claims or a claim changes; the indexes follow from pods and claims.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from scheduler_core.api.devices import ResourceClaimTemplate
from scheduler_core.api.objects import Pod, ResourceClaim
from scheduler_core.controllers import claims
from scheduler_core.engine.world import MADE, World
from scheduler_core.framework.contracts.run_context import NO_CAUSE

MADE_FOR = "made for pod "
"""How the cause of a claim's event begins."""


class Claims:
    """Resource claims beside the pods that use them.

    ``is_played`` False: nothing follows a change. ``wake`` asks for ``settle`` at the end of the step.
    """

    def __init__(self, world: World, seed: int, wake: Callable[[], None]) -> None:
        self.is_played = False
        self._world, self._seed, self._wake = world, seed, wake
        self._listers = world.cluster.listers
        self._users: dict[str, dict[str, None]] = {}
        self._of_pod: dict[str, set[str]] = {}
        self._todo: deque[tuple[Callable[[], None], int]] = deque()

    @property
    def is_settled(self) -> bool:
        """Whether ``settle`` has nothing to do."""
        return not self._todo

    def index(self) -> None:
        """Find out again which pods use which claims."""
        self._users.clear()
        self._of_pod.clear()
        for pod in self._world.pods.values():
            self._note_pod(pod)
        for claim in self._listers.resource_claims.values():
            self._note_claim(claim)

    def start(self, moved: Iterable[Pod]) -> None:
        """What the controller has done by the time that the run begins, before anything is queued. ``moved`` are pods
        that had a node and are to be scheduled again: they do not use their claims yet. Pods whose claims are still to
        be made are queued before: the controller comes to them after the first cycle, or at once where none can be."""
        self.index()
        if not self.is_played:
            return
        with self._world.unheard():
            for pod in moved:
                self._release(pod)
            for pod in list(self._world.pods.values()):
                if any(claims.lacks_claim(pod, entry, self._find) for entry in pod.resource_claims):
                    self._later(lambda key=pod.key: self._sync(key), NO_CAUSE)  # type: ignore[misc]
                elif pod.resource_claims:
                    self._sync(pod.key)

    # --- changes reported by the world -----------------------------------------------------------------------------
    def pod_changed(self, old: Pod | None, new: Pod | None, seq: int) -> None:
        """Handle a change of a pod with claims."""
        if old is not None:
            for key in claims.claim_keys(old):
                self._users.get(key, {}).pop(old.key, None)
        if new is not None:
            self._note_pod(new)
        if new is None or claims.is_done(new):
            done = new or old
            assert done is not None
            self._later(lambda: self._release(done), seq)
        elif old is None or old.resource_claims != new.resource_claims or new.node_name != old.node_name:
            self._later(lambda: self._sync(new.key), seq)

    def claim_changed(self, old: ResourceClaim | None, new: ResourceClaim | None, seq: int) -> None:
        """Handle a change of a claim."""
        some = new or old
        assert some is not None
        if new is not None:
            self._note_claim(new)
        if new is None:
            for keys in (self._of_pod.get(key) for key in self._pods_of(some)):
                if keys is not None:
                    keys.discard(some.key)
            if (owner := claims.owning_pod(some)) is not None:
                self._later(lambda: self._sync(f"{some.namespace}/{owner.name}"), seq)
        elif new.deletion_timestamp is not None:
            self._later(lambda: self._finalize(new.key), seq)
        elif new.allocation is not None and (old is None or old.allocation is None):
            for key in list(self._users.get(new.key, ())):
                pod = self._world.pods.get(key)
                if pod is not None and pod.node_name:
                    self._later(lambda key=key: self._sync(key), seq)  # type: ignore[misc]

    def template_changed(self, template: ResourceClaimTemplate, seq: int) -> None:
        """Handle a template that came or changed: pods may have waited for it."""
        for pod in self._world.pods.values():
            if any(e.template_name == template.name and e.generated is None for e in pod.resource_claims):
                self._later(lambda key=pod.key: self._sync(key), seq)  # type: ignore[misc]

    def _note_pod(self, pod: Pod) -> None:
        for key in claims.claim_keys(pod):
            self._users.setdefault(key, {})[pod.key] = None

    def _note_claim(self, claim: ResourceClaim) -> None:
        """Note whose the claim is; it may have been of other pods before, so it is asked again where that counts."""
        for key in self._pods_of(claim):
            self._of_pod.setdefault(key, set()).add(claim.key)

    def _pods_of(self, claim: ResourceClaim) -> list[str]:
        """Keys of the pods that own or reserve the claim."""
        owner = claims.owning_pod(claim)
        names = [consumer.name for consumer in claim.reserved_for] + ([] if owner is None else [owner.name])
        return [f"{claim.namespace}/{name}" for name in names]

    def _later(self, do: Callable[[], None], seq: int) -> None:
        if self.is_played:
            self._todo.append((do, seq))
            self._wake()

    # --- consequences ----------------------------------------------------------------------------------------------
    def settle(self) -> None:
        """Carry out the oldest of the consequences."""
        do, self._world.context.cause = self._todo.popleft()
        do()

    def _find(self, key: str) -> ResourceClaim | None:
        return self._listers.resource_claims.get(key)

    def _sync(self, key: str) -> None:
        """Make the claims that the pod lacks, and reserve those that it uses (syncPod)."""
        pod = self._world.pods.get(key)
        if pod is None or pod.deletion_timestamp is not None:
            return
        lacking = [entry for entry in pod.resource_claims if claims.lacks_claim(pod, entry, self._find)]
        find = self._listers.resource_claim_templates.get
        templates = {entry.name: find(f"{pod.namespace}/{entry.template_name}") for entry in lacking}
        if None in templates.values():
            return
        if lacking:
            pod = self._make(pod, templates)
        for claim in list(claims.to_reserve(pod, self._find)):
            self._put(claims.reserved(claim, pod), claim)

    def _make(self, pod: Pod, templates: dict[str, ResourceClaimTemplate | None]) -> Pod:
        taken = self._listers.resource_claims
        entries = []
        for entry in pod.resource_claims:
            template = templates.get(entry.name)
            if template is not None:
                made = claims.claim_made(
                    pod, entry, template, self._seed, lambda name: f"{pod.namespace}/{name}" in taken
                )
                self._world.put(made, MADE, f"{MADE_FOR}{pod.key}")
                entry = msgspec.structs.replace(entry, generated=made.name)
            entries.append(entry)
        self._world.put_pod(msgspec.structs.replace(pod, resource_claims=tuple(entries)), source=MADE)
        return self._world.pods[pod.key]

    def _release(self, pod: Pod) -> None:
        """Have the pod reserve no claim any more, and delete those that were made for it (syncClaim)."""
        for key in sorted(self._of_pod.get(pod.key, ())):
            claim = self._find(key)
            if claim is None:
                continue
            self._put(claims.released(claim, pod), claim)
            current = self._find(key)
            if current is not None and claims.is_owned_by(current, pod) and not self._goes_on(pod):
                self._world.delete_claim(current)

    def _goes_on(self, pod: Pod) -> bool:
        """Whether the pod is there and may use its claims again."""
        current = self._world.pods.get(pod.key)
        return current is not None and current.uid == pod.uid and not claims.is_done(current)

    def _finalize(self, key: str) -> None:
        """A terminating claim goes when nobody reserves it, after its devices were given back."""
        claim = self._find(key)
        if claim is None or claim.deletion_timestamp is None or claim.reserved_for:
            return
        if claim.allocation is not None:
            self._world.put(claims.deallocated(claim), MADE)
        self._world.delete(claim)

    def _put(self, claim: ResourceClaim, before: ResourceClaim) -> None:
        if claim is not before:
            self._world.put(claim, MADE)
