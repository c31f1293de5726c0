"""Names of kinds."""

from __future__ import annotations

import msgspec

from scheduler_core.api.kinds import bare_kind, of_group


def test_a_struct_of_a_group_has_its_name_and_encodes_as_any_other():
    @of_group("example.com")
    class Gang(msgspec.Struct):
        size: int

    assert Gang.__name__ == "Gang.example.com"
    assert (bare_kind(Gang.__name__), bare_kind("Pod")) == ("Gang", "Pod")
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(Gang(3)), type=Gang) == Gang(3)
