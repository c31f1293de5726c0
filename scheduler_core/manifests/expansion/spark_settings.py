"""What a SparkApplication says of the requests of its pods: fields of driver and executor, else entries of sparkConf.

The operator hands fields on after sparkConf, so they count more, but for memoryOverheadFactor, which comes before.
Amounts are MiB, as Spark counts them (JavaUtils.byteStringAs: whole numbers with b, k, m, g, t or p, MiB without).
"""

from __future__ import annotations

import re
from typing import Any

from scheduler_core.manifests.checking.raw_values import INT32, At
from scheduler_core.manifests.model import quoted

LEAST_OVERHEAD_MIB = 384
_FACTORS = {True: 0.1, False: 0.4}
_AMOUNT = re.compile(r"(\d{1,15})\s*(b|kb?|mb?|gb?|tb?|pb?)?", re.ASCII | re.IGNORECASE)
_MIB = 1 << 20
_BYTES = {"": _MIB, "b": 1, "k": 1 << 10, "m": _MIB, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50}
_FACTOR = re.compile(r"\d{1,6}(?:\.\d{1,12})?", re.ASCII)
_NOT_READ = re.compile(
    r"spark\.(?:kubernetes\.(?:(?:driver|executor)\.(?:volumes\.|podTemplate|pod\.featureSteps)|allocation\.pods\.allocator)"
    r"|(?:driver|executor)\.(?:resource\.|minMemoryOverhead))"
)
"""Entries of sparkConf that change pods and are not read."""


class Settings:
    """The settings at ``spec``. ``is_jvm``: the application is written in Java or Scala."""

    def __init__(self, spec: At, *, is_jvm: bool, is_python: bool) -> None:
        self._spec = spec
        self._conf = spec.get("sparkConf")
        self._values = self._conf.mapping()
        self._is_jvm, self._is_python = is_jvm, is_python

    def conf(self, *keys: str) -> At:
        """The entry of sparkConf of the first of these keys that is there, absent without any."""
        key = next((key for key in keys if self._values.get(key) not in (None, "")), keys[0])
        return At(self._values.get(key), (*self._conf.path, key), self._conf.sink)

    def beginning_with(self, prefix: str) -> dict[str, str]:
        """The entries of sparkConf with this prefix, by the rest of their keys."""
        keys = [key for key in self._values if key.startswith(prefix)]
        return {key.removeprefix(prefix): self.conf(key).text() for key in keys}

    def not_read(self) -> list[str]:
        """The keys of sparkConf that change pods and are not read."""
        return [key for key in self._values if _NOT_READ.match(key)]

    def whole(self, at: At, key: str, default: int) -> int:
        """The whole number of a field, else of the entry of sparkConf."""
        if at.present:
            return at.integer(default, 0)
        return whole_number(self.conf(key), default)

    def is_on(self, key: str) -> bool:
        """Whether an entry of sparkConf says true."""
        return str(self.conf(key).raw).lower() == "true"

    def cpu(self, part: At, role: str) -> Any:
        """The cpu that the pod requests, a quantity."""
        request = _first(part.get("coreRequest"), self.conf(f"spark.kubernetes.{role}.request.cores"))
        cores = self.whole(part.get("cores"), f"spark.{role}.cores", 1)
        return request.raw if request.present and request.quantity("cpu") is not None else str(cores)

    def cpu_limit(self, part: At, role: str) -> At:
        """The limit of cpu, where there is one."""
        return _first(part.get("coreLimit"), self.conf(f"spark.kubernetes.{role}.limit.cores"))

    def memory(self, part: At, role: str) -> int:
        """The memory that the pod requests, with overhead; of executors also that outside of the heap and of Python."""
        own = mebibytes(_first(part.get("memory"), self.conf(f"spark.{role}.memory")), 1024)
        overhead = _first(part.get("memoryOverhead"), self.conf(f"spark.{role}.memoryOverhead"))
        least = max(int(self._factor(role) * own), LEAST_OVERHEAD_MIB)
        total = own + mebibytes(overhead, least)
        if role == "driver":
            return total
        if self._is_python:
            total += mebibytes(self.conf("spark.executor.pyspark.memory"), 0)
        if self.is_on("spark.memory.offHeap.enabled"):
            total += mebibytes(self.conf("spark.memory.offHeap.size"), 0, unit="b")
        return total

    def _factor(self, role: str) -> float:
        keys = f"spark.{role}.memoryOverheadFactor", "spark.kubernetes.memoryOverheadFactor"
        at = _first(self.conf(*keys), self._spec.get("memoryOverheadFactor"))
        default = _FACTORS[self._is_jvm]
        if not at.present:
            return default
        if not _FACTOR.fullmatch(str(at.raw)):
            at.error(f"{quoted(at.raw)} is no factor. Write a number such as 0.1")
            return default
        return float(at.raw)


def mebibytes(at: At, default: int, unit: str = "") -> int:
    """An amount of memory of Spark's in MiB, rounded down; ``unit`` is that of a number without one."""
    if not at.present:
        return default
    match = _AMOUNT.fullmatch(str(at.raw).strip())
    n_bytes = int(match[1]) * _BYTES[(match[2] or unit)[:1].lower()] if match is not None else 0
    if match is None or n_bytes >= 1 << 62:
        text = "is no amount of memory of Spark's. Write a whole number with a unit, such as 512m or 4g"
        at.error(f"{quoted(at.raw)} {text}")
        return default
    return n_bytes // _MIB


def whole_number(at: At, default: int) -> int:
    """A whole number of sparkConf, whose values are texts."""
    if not at.present:
        return default
    text = str(at.raw)
    if not re.fullmatch(r"\d{1,10}", text, re.ASCII) or int(text) > INT32[1]:
        at.error(f'{quoted(at.raw)} is no whole number. Write one, such as "2"')
        return default
    return int(text)


def _first(field: At, other: At) -> At:
    return field if field.present else other
