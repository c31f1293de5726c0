"""Devices of a cluster at one moment: who has which, which claims wait and what is short, what would follow a release.

>>> world = DeviceWorld.of_objects(result.objects, policies.behaviours)      # doctest: +SKIP
>>> device_page(world, DeviceChoice()).figures.n_free                              # doctest: +SKIP
20
"""

from __future__ import annotations

from scheduler_core.explain.devices.model import DeviceChoice, DevicePage, PodDevices
from scheduler_core.explain.devices.of_pod import devices_of_pod
from scheduler_core.explain.devices.page import device_page
from scheduler_core.explain.devices.world import DeviceWorld

__all__ = ["DeviceChoice", "DevicePage", "DeviceWorld", "PodDevices", "device_page", "devices_of_pod"]
