"""One claim in full: what would follow holds against what the engine does."""

from __future__ import annotations

from scheduler_core.explain.devices import DeviceChoice, device_page
from tests.scheduler_core.explain.devices.worlds import claim, claim_named, gpu, pod, pool_slice, scene_at, world


def selected(here, key):
    return device_page(here, DeviceChoice(claim=key)).selected


def test_who_would_get_devices_if_a_holder_ended_is_who_gets_them_in_the_run():
    here, later = scene_at(9), scene_at(12)
    freed = claim_named(here, "serve-0")
    said = " ".join(selected(here, freed.key).if_freed)
    assert f"{claim_named(here, 'tune-2').key} on gpu-1" in said
    assert freed.key not in later.claims
    assert later.nodes_for(claim_named(later, "tune-2")) == ["gpu-1"]


def test_a_claim_in_full():
    here = scene_at(9)
    one = selected(here, claim_named(here, "tune-0").key)
    assert [(t.request, t.device, t.value) for t in one.taken] == [
        ("gpus", "gpu-2", "1"),
        ("gpus", "gpu-3", "1"),
        ("link", "nic-1", "1"),
    ]
    assert (one.places, one.reserved) == ("gpu-1", (("ml/tune-0", "gpu-1"),))
    assert one.origin == "made from template tune for pod tune-0"
    assert one.constraints == ("topology.example.com/numa equal over all requests",)
    assert one.funnels == ()


def test_what_a_deletion_does_depends_on_who_reserves_the_claim():
    reserved = claim("r", 1, ("gpu-0",), "a", ("p", "q"))
    left, made, own = claim("l", 1, ("gpu-1",), "a"), claim("m", owner="x"), claim("o")
    pods = [pod("p", "r", node="a"), pod("q", "r", node="a"), pod("y", "o"), pod("x", "m")]
    here = world([pool_slice("a", [gpu(0), gpu(1)])], [reserved, left, made, own], pods)
    assert "as long as 2 pods reserve it" in selected(here, "ml/r").if_deleted[0]
    assert selected(here, "ml/l").if_deleted == ("It loses its devices and is gone at once.",)
    assert "makes another one for ml/x" in selected(here, "ml/m").if_deleted[1]
    assert "ml/y cannot be scheduled" in selected(here, "ml/o").if_deleted[1]
    assert "the last of its 2 pods" in selected(here, "ml/r").if_freed[0]
    assert selected(here, "ml/l").if_freed == ()
