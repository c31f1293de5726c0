"""Which names the API server admits: by kind of object, and for parts of objects (apimachinery validation.go).

Each rule takes a name and returns what is wrong with it, empty when nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from scheduler_core.manifests.model import quoted

NameRule = Callable[[str], str]

_LABEL_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?", re.ASCII)
_DNS_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_DNS_SUBDOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*", re.ASCII)
_MAX_NAME = 253
_DNS_1035_LABEL = re.compile(r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_PORT = re.compile(r"(?=.*[a-z])(?!.*--)[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?", re.ASCII)
_MAX_DRIVER = 63


is_dns_label = _DNS_LABEL.fullmatch
"""Whether ``dns_label_problem`` finds nothing wrong with a name."""
is_label_name = _LABEL_NAME.fullmatch
"""Whether a text fits as a label's value, or as the part of a label's key after the slash."""


def label_key_problem(key: str) -> str:
    """What is wrong with a label or taint key, empty when nothing is."""
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > _MAX_NAME or not _DNS_SUBDOMAIN.fullmatch(prefix)):
        return f"{quoted(key)} has a prefix that is no DNS name. Write a key such as example.com/name"
    if not _LABEL_NAME.fullmatch(name):
        return (
            f"{quoted(key)} is no valid key. After an optional prefix and a slash come at most 63 letters, digits, "
            "dashes, dots or underscores, with a letter or digit at both ends"
        )
    return ""


@lru_cache(maxsize=4096)
def annotation_key_problem(key: str) -> str:
    """What is wrong with an annotation's key, empty when nothing is: a label's key but for its case."""
    return label_key_problem(key.lower())


def label_value_problem(value: str) -> str:
    """What is wrong with a label value, empty when nothing is."""
    if not value or _LABEL_NAME.fullmatch(value):
        return ""
    if len(value) > 63:
        return f"the value has {len(value)} characters. At most 63 are allowed"
    return (
        f"{quoted(value)} is no valid label value. Write letters, digits, dashes, dots or underscores, with a letter "
        "or digit at both ends"
    )


def name_problem(name: str) -> str:
    """What is wrong with an object's name (a DNS subdomain), empty when nothing is."""
    if len(name) > _MAX_NAME:
        return f"the name has {len(name)} characters. At most {_MAX_NAME} are allowed"
    if _DNS_SUBDOMAIN.fullmatch(name):
        return ""
    return f"{quoted(name)} is no valid name. Write lower case letters, digits, dashes and dots, such as web-1"


def namespace_problem(name: str) -> str:
    """What is wrong with a namespace's name (a DNS label), empty when nothing is."""
    if _DNS_LABEL.fullmatch(name):
        return ""
    return f"{quoted(name)} is no valid namespace. Write at most 63 lower case letters, digits and dashes"


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
    """What is wrong with the name of a container's port, "" for nothing (IsValidPortName)."""
    if _PORT.fullmatch(name):
        return ""
    return (
        f"{quoted(name)} is no valid name of a port. Write at most 15 lower case letters, digits and single dashes, "
        "with a letter among them"
    )


def prefix_problem(prefix: str, rule: NameRule) -> str:
    """For generateName: what is put after it makes a name, so that it may end with a dash (maskTrailingDash)."""
    return rule(prefix[:-1] + "a" if len(prefix) > 1 and prefix.endswith("-") else prefix)
