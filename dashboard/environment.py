"""Environment variables as settings: words, flags, networks and origins; a wrong one is an error of one line."""

from __future__ import annotations

import json
import os
import re
import sys
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ImproperlyConfigured

from dashboard.data_folder import DataFolder, DataFolderError

if TYPE_CHECKING:
    from types import TracebackType


def end_in_one_line() -> None:
    """Let whatever program reads the settings (uvicorn, Celery) say one line of a wrong set-up, without a traceback."""
    before = sys.excepthook

    def say(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        if isinstance(error, DataFolderError | ImproperlyConfigured):
            sys.stderr.write(f"schedscope: {error}\n")
        else:
            before(kind, error, traceback)

    sys.excepthook = say


def data_folder(default: str | Path) -> DataFolder:
    """Return the data folder of SCHEDSCOPE_DATA, or the default one; raises DataFolderError in one line."""
    return DataFolder(Path(os.environ.get("SCHEDSCOPE_DATA") or default))


def flag(name: str, default: bool = False) -> bool:
    """Return whether the environment variable says yes."""
    return os.environ.get(name, "1" if default else "0").lower() in {"1", "true", "yes", "on"}


def words(name: str, default: str = "") -> list[str]:
    """Return the comma-separated words of the environment variable."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Return the networks and addresses of the environment variable; raises ImproperlyConfigured in one line."""
    try:
        return [ip_network(word) for word in words(name)]
    except ValueError as error:
        example = "127.0.0.1 or 10.0.0.0/8"
        raise ImproperlyConfigured(f"{name}: {error}; write addresses or networks such as {example}") from error


def origins(name: str) -> list[str]:
    """Return the origins of the environment variable; raises ImproperlyConfigured in one line."""
    for word in words(name):
        if not re.fullmatch(r"https?://[A-Za-z0-9.:\[\]-]+", word):
            example = "https://scheduling.example.org or https://scheduling.example.org:8443"
            raise ImproperlyConfigured(f'{name}: "{word}" is no origin; write scheme, host and port, such as {example}')
    return words(name)


def https_origins(hosts: list[str]) -> list[str]:
    """Return the https origins of host patterns: ".example.org" stands for a domain and what is below it."""
    dotted = [f"https://*{host}" for host in hosts if host.startswith(".")]
    return [f"https://{host.removeprefix('.')}" for host in hosts if host != "*"] + dotted


def shared_channels(redis_url: str) -> dict[str, Any]:
    """Return Django's entry for a channel layer that processes share through Redis."""
    config = {"hosts": [redis_url], "prefix": "schedscope"}
    return {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": config}


def shared_cache(redis_url: str) -> dict[str, Any]:
    """Return Django's entry for a cache that processes share through Redis; it holds JSON, never pickled objects."""
    options = {"serializer": json, "socket_timeout": 1.0, "socket_connect_timeout": 1.0}
    backend = "django.core.cache.backends.redis.RedisCache"
    return {"BACKEND": backend, "LOCATION": redis_url, "KEY_PREFIX": "schedscope", "OPTIONS": options}


def log_settings() -> dict[str, Any]:
    """Return Django's LOGGING: one handler, as text or, with SCHEDSCOPE_LOG=json, as an object per line."""
    level = os.environ.get("SCHEDSCOPE_LOG_LEVEL", "INFO").upper()
    form = "json" if os.environ.get("SCHEDSCOPE_LOG", "text") == "json" else "text"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "text": {
                "()": "dashboard.common.monitoring.logs.TextFormatter",
                "format": "%(asctime)s %(levelname)-7s %(name)s: %(message)s",
            },
            "json": {"()": "dashboard.common.monitoring.logs.JsonFormatter"},
        },
        "filters": {
            "without_traceback": {"()": "dashboard.common.monitoring.logs.WithoutTraceback"},
            "with_context": {"()": "dashboard.common.monitoring.log_context.WithContext"},
        },
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "filters": ["with_context"],
                "formatter": form,
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            **{
                f"django.security.{refusal}": {"filters": ["without_traceback"]}
                for refusal in ("RequestDataTooBig", "TooManyFieldsSent", "TooManyFilesSent")
            },
            "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
            # A line for each request is for machines.
            "dashboard.common.monitoring.requests": {"level": level if form == "json" else "WARNING"},
            **{name: {"level": "WARNING"} for name in ("celery", "kombu", "asyncio")},
            # Where a server logs accesses or errors by handlers of its own, its lines take the same way as all others.
            "uvicorn": {"handlers": [], "propagate": True},
            "uvicorn.access": {"handlers": [], "propagate": True},
            "uvicorn.error": {"handlers": [], "propagate": True},
        },
    }
