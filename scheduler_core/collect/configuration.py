"""The scheduler's configuration for the bundle: of a file, or of the one ConfigMap that holds it."""

from __future__ import annotations

from typing import Any

from scheduler_core.collect.fields.allowed import NameWriter
from scheduler_core.collect.server.requests import AnswerTooLarge, Away, Denied, Gone, NotServed, Refused, Requester
from scheduler_core.manifests.configuration.holders import LIMITS, configuration_text
from scheduler_core.manifests.kinds.registry import CONFIGURATION
from scheduler_core.manifests.masking.secrets import MASK
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.sources import read_documents
from scheduler_core.manifests.yaml_writer import dump_yaml

_OF_THE_PROCESS = (
    "clientConnection",
    "leaderElection",
    "healthzBindAddress",
    "metricsBindAddress",
    "enableProfiling",
    "enableContentionProfiling",
)
"""Fields of the program that decide nothing."""
_TLS_SECRETS = ("certData", "keyData", "caData", "certFile", "keyFile", "caFile", "serverName")


class NoConfiguration(Exception):
    """There is no configuration where one was named; the text says why."""


def leaving_configuration(text: str, names: NameWriter) -> str:
    """The configuration of a text as it leaves: profiles and extenders, keys masked, names as ``names`` writes them.
    Raises NoConfiguration where it holds none."""
    try:
        documents = [one.value for one in read_documents(configuration_text(text), LIMITS)]
    except LoadError as problem:
        raise NoConfiguration(str(problem)) from None
    held = [one for one in documents if isinstance(one, dict) and one.get("kind") == CONFIGURATION]
    if len(held) != 1:
        raise NoConfiguration(f"it holds {len(held) or 'no'} {CONFIGURATION}{'s' if len(held) > 1 else ''}")
    out = {key: value for key, value in held[0].items() if key not in _OF_THE_PROCESS}
    extenders = out.get("extenders")
    for extender in extenders if isinstance(extenders, list) else ():
        tls = extender.get("tlsConfig") if isinstance(extender, dict) else None
        if isinstance(tls, dict):
            tls.update({key: MASK for key in _TLS_SECRETS if tls.get(key)})
    _rename(out, names)
    return dump_yaml([out])


def _rename(value: Any, names: NameWriter) -> None:
    """Write the values of requirements on nodes (addedAffinity) as names."""
    if isinstance(value, list):
        for one in value:
            _rename(one, names)
    elif isinstance(value, dict):
        key, values = value.get("key"), value.get("values")
        if isinstance(key, str) and isinstance(values, list):
            value["values"] = [names.label(key, one) if isinstance(one, str) else one for one in values]
        for one in value.values():
            _rename(one, names)


async def read_config_map(requester: Requester, namespace: str, name: str, patience: float) -> str:
    """The text of the configuration in a ConfigMap. Raises NoConfiguration."""
    path = f"/api/v1/namespaces/{namespace}/configmaps/{name}"
    try:
        raw = await requester.value(path, patience=patience)
    except Denied:
        raise NoConfiguration("the rights do not reach: --role prints the Role that is needed") from None
    except NotServed:
        raise NoConfiguration("there is no such ConfigMap") from None
    except (Away, Gone, Refused, AnswerTooLarge) as problem:
        raise NoConfiguration(str(problem)) from None
    data = raw.get("data") if isinstance(raw, dict) else None
    texts = (
        [text for text in data.values() if isinstance(text, str) and CONFIGURATION in text]
        if isinstance(data, dict)
        else []
    )
    if len(texts) != 1:
        raise NoConfiguration(f"it holds {len(texts) or 'no'} {CONFIGURATION}{'s' if len(texts) > 1 else ''}")
    return texts[0]
