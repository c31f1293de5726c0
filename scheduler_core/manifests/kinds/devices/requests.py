"""What a claim or template asks for, from raw values; v1beta1 has the fields of an exact request in the request."""

from __future__ import annotations

from scheduler_core.api.devices import (
    ALL,
    EXACT_COUNT,
    ClaimConfig,
    ClaimSpec,
    DeviceConstraint,
    DeviceRequest,
    ResourceClaimTemplate,
)
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import name_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.devices.values import (
    MAX_CONFIGS,
    check_qualified_name,
    read_checked_config,
    read_label_name,
    read_quantities,
    read_selectors,
    read_tolerations,
)
from scheduler_core.manifests.kinds.metadata import METADATA_FIELDS, read_metadata
from scheduler_core.manifests.model import quoted

_MAX_REQUESTS = 32
_MAX_ALTERNATIVES = 8
_MAX_CONSTRAINTS = 32
_SHOWN = 5
_EXACT_FIELDS = (
    "name", "deviceClassName", "selectors", "allocationMode", "count", "adminAccess", "tolerations", "capacity",
)  # fmt: skip
_ALTERNATIVE_FIELDS = tuple(name for name in _EXACT_FIELDS if name != "adminAccess")
_MODES = (EXACT_COUNT, ALL)


def read_claim_template(at: At, memo: Memo) -> ResourceClaimTemplate:
    """The ResourceClaimTemplate; labels and annotations are those that generated claims get."""
    meta, spec = read_metadata(at, memo, namespaced=True), at.get("spec")
    spec.mapping(("metadata", "spec"))
    of_claims = spec.get("metadata")
    of_claims.mapping(METADATA_FIELDS)
    return ResourceClaimTemplate(
        name=meta.name,
        namespace=meta.namespace,
        spec=read_claim_spec(spec.get("spec")),
        labels=of_claims.get("labels").labels(),
        annotations=of_claims.get("annotations").annotations(),
    )


def read_claim_spec(at: At) -> ClaimSpec:
    """The spec of a claim."""
    at.mapping(("devices", "controller"))
    devices = at.get("devices")
    devices.mapping(("requests", "constraints", "config"))
    requests = devices.get("requests")
    items = requests.items()
    if len(items) > _MAX_REQUESTS:
        requests.refuse(f"{len(items)} requests are given. At most {_MAX_REQUESTS} are allowed")
    spec = ClaimSpec(
        _each_once(items, _request),
        tuple(_constraint(item) for item in devices.get("constraints").items()),
        tuple(
            ClaimConfig(read_checked_config(item), item.get("requests").texts())
            for item in devices.get("config").items()
        ),
    )
    if len(spec.constraints) > _MAX_CONSTRAINTS:
        devices.get("constraints").refuse(f"has more than {_MAX_CONSTRAINTS} entries")
    if len(spec.config) > MAX_CONFIGS:
        devices.get("config").refuse(f"has more than {MAX_CONFIGS} entries")
    _check_names(devices, spec)
    return spec


def _each_once(items: list[At], read: object) -> tuple[DeviceRequest, ...]:
    requests: list[DeviceRequest] = []
    for item in items:
        request = read(item)  # type: ignore[operator]
        if any(other.name == request.name for other in requests):
            item.get("name").refuse(f"another request is named {quoted(request.name)}. Rename one of them")
        requests.append(request)
    return tuple(requests)


def _request(at: At) -> DeviceRequest:
    exactly, alternatives = at.get("exactly"), at.get("firstAvailable")
    at.mapping((*_EXACT_FIELDS, "exactly", "firstAvailable"))
    inline = not exactly.present and at.get("deviceClassName").present
    if exactly.present and alternatives.present:
        at.refuse("needs one of exactly and firstAvailable, not both")
    if exactly.present:
        exactly.mapping(_EXACT_FIELDS[1:])
    if exactly.present or inline:
        return _exact(at if inline else exactly, read_label_name(at.get("name")))
    items = alternatives.items()
    if len(items) > _MAX_ALTERNATIVES:
        alternatives.refuse(f"{len(items)} alternatives are given. At most {_MAX_ALTERNATIVES} are allowed")
    if not items:
        at.refuse("needs one of exactly and firstAvailable")
    name = read_label_name(at.get("name"))
    return DeviceRequest(name=name, alternatives=_each_once(items, _alternative), is_known=bool(items))


def _alternative(at: At) -> DeviceRequest:
    at.mapping(_ALTERNATIVE_FIELDS)
    return _exact(at, read_label_name(at.get("name")))


def _exact(at: At, name: str) -> DeviceRequest:
    class_name, mode = at.get("deviceClassName"), at.get("allocationMode")
    if not class_name.text():
        class_name.refuse("is missing. Write the name of a DeviceClass")
    elif name_problem(class_name.text()):
        class_name.refuse(name_problem(class_name.text()))
    capacity = at.get("capacity").get("requests")
    for key in capacity.mapping():
        check_qualified_name(capacity.get(key), key)
    request = DeviceRequest(
        name=name,
        class_name=class_name.text(),
        selectors=read_selectors(at.get("selectors")),
        mode=mode.text(EXACT_COUNT, _MODES if at.sink.as_posted else ()),
        count=at.get("count").integer(1, *(-(1 << 63), (1 << 63) - 1)),
        admin_access=at.get("adminAccess").boolean(),
        tolerations=read_tolerations(at.get("tolerations")),
        capacity=read_quantities(capacity),
    )
    if request.mode == ALL and at.get("count").present and request.count != 0:
        at.get("count").refuse("goes with ExactCount only. Remove it, as all devices are asked for")
    elif request.mode == EXACT_COUNT and request.count < 1:
        at.get("count").refuse("is not positive. Write how many devices are needed")
    return request


def _constraint(at: At) -> DeviceConstraint:
    at.mapping(("requests", "matchAttribute", "distinctAttribute"))
    match, distinct = at.get("matchAttribute"), at.get("distinctAttribute")
    if match.present == distinct.present:
        at.refuse("needs one of matchAttribute and distinctAttribute")
    for one in (match, distinct):
        if one.present:
            check_qualified_name(one, one.text(), needs_domain=True)
    return DeviceConstraint(
        requests=at.get("requests").texts(), match_attribute=match.text(), distinct_attribute=distinct.text()
    )


def _check_names(devices: At, spec: ClaimSpec) -> None:
    """Constraints and configuration name requests, or request/alternative, that there are."""
    request_names = {request.name for request in spec.requests}
    request_names |= {f"{request.name}/{one.name}" for request in spec.requests for one in request.alternatives}
    advice = f"Write one of {', '.join(sorted(request_names)[:_SHOWN])}" if request_names else "Add one to requests"
    for field, entries in (
        ("constraints", [one.requests for one in spec.constraints]),
        ("config", [one.requests for one in spec.config]),
    ):
        for i, names in enumerate(entries):
            for j, name in enumerate(names):
                if name not in request_names:
                    devices.refuse(f"there is no request {quoted(name)}. {advice}", field, i, "requests", j)
                elif name in names[:j]:
                    devices.refuse(f"{quoted(name)} is named twice. Remove one", field, i, "requests", j)
