"""Which names the API server admits: by kind of object, and for parts of objects (apimachinery validation.go).

Each rule takes a name and returns what is wrong with it, empty when nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from scheduler_core.manifests.checking.raw_values import label_key_problem, name_problem
from scheduler_core.manifests.model import quoted

NameRule = Callable[[str], str]

_DNS_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_DNS_1035_LABEL = re.compile(r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_PORT = re.compile(r"(?=.*[a-z])(?!.*--)[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?", re.ASCII)
_MAX_DRIVER = 63


is_dns_label = _DNS_LABEL.fullmatch
"""What ``dns_label_problem`` asks, without the words."""


def dns_label_problem(name: str) -> str:
    """For containers, volumes, entries of resourceClaims, and namespaces (IsDNS1123Label)."""
    if _DNS_LABEL.fullmatch(name):
        return ""
    return f"{quoted(name)} is no valid name here. Write at most 63 lower case letters, digits and dashes"


def service_problem(name: str) -> str:
    """For Services (IsDNS1035Label)."""
    if _DNS_1035_LABEL.fullmatch(name):
        return ""
    return (
        f"{quoted(name)} is no valid name of a Service. Write at most 63 lower case letters, digits and dashes, with a "
        "letter at the beginning"
    )


def driver_problem(name: str) -> str:
    """For CSI drivers (ValidateCSIDriverName): case does not matter."""
    if len(name) > _MAX_DRIVER:
        return f"the driver's name has {len(name)} characters. At most {_MAX_DRIVER} are allowed"
    return name_problem(name.lower())


def provisioner_problem(name: str) -> str:
    """For a StorageClass's provisioner (validateProvisioner): case does not matter."""
    return label_key_problem(name.lower())


def port_problem(name: str) -> str:
    """For the name of a container's port (IsValidPortName)."""
    if _PORT.fullmatch(name):
        return ""
    return (
        f"{quoted(name)} is no valid name of a port. Write at most 15 lower case letters, digits and single dashes, "
        "with a letter among them"
    )


def prefix_problem(prefix: str, rule: NameRule) -> str:
    """For generateName: what is put after it makes a name, so that it may end with a dash (maskTrailingDash)."""
    return rule(prefix[:-1] + "a" if len(prefix) > 1 and prefix.endswith("-") else prefix)
