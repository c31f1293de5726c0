from __future__ import annotations
from typing import Any
Plant = Any
PLANTED: dict[str, Plant] = {}
