"""Which features of a node a pod needs, as kube-scheduler 1.36 infers them (component-helpers/nodedeclaredfeatures)."""

from __future__ import annotations

from typing import Any

RESTART_ALL = "RestartAllContainersOnContainerExits"
USER_NAMESPACES_ON_HOST_NETWORK = "UserNamespacesHostNetworkSupport"


def features_needed(spec: Any) -> tuple[str, ...]:
    """The names of the features that a raw pod spec needs, in order; what has another form needs none."""
    if not isinstance(spec, dict):
        return ()
    features = []
    if any(_restarts_all(container) for key in ("containers", "initContainers") for container in _list(spec.get(key))):
        features.append(RESTART_ALL)
    if spec.get("hostNetwork") is True and spec.get("hostUsers") is False:
        features.append(USER_NAMESPACES_ON_HOST_NETWORK)
    return tuple(features)


def _restarts_all(container: Any) -> bool:
    rules = _list(container.get("restartPolicyRules")) if isinstance(container, dict) else []
    return any(isinstance(rule, dict) and rule.get("action") == "RestartAllContainers" for rule in rules)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
