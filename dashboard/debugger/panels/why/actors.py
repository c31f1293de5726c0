"""Who can remove an obstacle or carry a remedy out, as pages show it: name and glyph."""

from __future__ import annotations

NAMES = {
    "workload": "workload",
    "cluster": "cluster",
    "storage": "storage",
    "node-lifecycle": "node",
    "hardware": "hardware",
    "controller": "controller",
    "other": "other",
}
GLYPHS = {
    "workload": "box",
    "cluster": "server",
    "storage": "layers",
    "node-lifecycle": "bolt",
    "hardware": "plug",
    "controller": "gear",
    "other": "users",
}
"""In the order in which remedies are proposed."""


def actor_name(actor: str) -> str:
    """Return the short name: "node" for node-lifecycle."""
    return NAMES.get(actor, actor)


def actor_glyph(actor: str) -> str:
    """Return its icon."""
    return GLYPHS.get(actor, "users")
