"""SparkApplications of the Spark operator: one driver, and executors.

Sources: the operator's SetSparkApplicationDefaults (api/v1beta2/defaults.go), buildSparkSubmitArgs
(sparkapplication/submission.go) and mutateSparkPod (webhook/sparkpod_defaulter.go); Spark's BasicDriverFeatureStep,
BasicExecutorFeatureStep and Utils.getDynamicAllocationInitialExecutors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from scheduler_core.api.objects import OwnerReference, Pod
from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.manifests.expansion.makers import MadePods, ParsedMaker, PartNotPlayed, owner_of
from scheduler_core.manifests.expansion.spark_settings import Settings, whole_number
from scheduler_core.manifests.items import Item
from scheduler_core.manifests.kinds.metadata import Metadata, read_metadata
from scheduler_core.manifests.kinds.pods.pod_specs import AdmissionContext
from scheduler_core.manifests.kinds.pods.pods import build_pod
from scheduler_core.manifests.model import Path, Raw, shortened

_OVER = ("COMPLETED", "FAILED", "SUBMISSION_FAILED", "SUCCEEDING", "FAILING", "SUSPENDING", "SUSPENDED")
"""States in which the application wants no pods."""
_CONTAINERS = {"driver": "spark-kubernetes-driver", "executor": "spark-kubernetes-executor"}
_APP = "sparkoperator.k8s.io/app-name"
_OF_KUEUE = "kueue.x-k8s.io/"
_FROM_FIELDS = (
    *("affinity", "tolerations", "hostNetwork", "initContainers", "terminationGracePeriodSeconds", "priorityClassName"),
)
_SHOWN_KEYS = 3


class _App(NamedTuple):
    """What driver and executors have in common."""

    meta: Metadata
    spec: At
    settings: Settings
    context: AdmissionContext


def read_spark_application(at: At, item: Item, context: AdmissionContext) -> ParsedMaker:
    """The application at ``at``; complaints go to its sink."""
    meta, spec = read_metadata(at, context.memo, namespaced=True), at.get("spec")
    if not spec.present:
        spec.error("is missing. Write driver and executor")
    language = spec.get("type").text("Scala", choices=("Java", "Scala", "Python", "R"))
    mode = spec.get("mode").text("cluster", choices=("cluster", "client", "in-cluster-client"))
    settings = Settings(spec, is_jvm=language in ("Java", "Scala"), is_python=language == "Python")
    app, owner = _App(meta, spec, settings, context), owner_of(item, meta)
    driver, executors = spec.get("driver"), spec.get("executor")
    named = driver.get("podName").text() or settings.conf("spark.kubernetes.driver.pod.name").text()
    name = named or f"{meta.name}-driver"
    leads = OwnerReference("Pod", name, controller=True, api_version="v1")
    groups = (
        MadePods(
            base=name,
            name=name,
            count=1 if mode == "cluster" else 0,
            field=driver.path,
            template=_pod(app, "driver"),
            owners=(owner,),
            labels={_APP: meta.name, "spark-role": "driver"},
            ends_all=True,
        ),
        MadePods(
            base=f"{meta.name}-exec",
            count=_n_executors(app),
            field=executors.get("instances").path,
            template=_pod(app, "executor"),
            owners=(leads, owner_of(item, meta, controller=False)),
            labels={_APP: meta.name, "spark-role": "executor"},
        ),
    )
    state = at.get("status").get("applicationState").get("state").text()
    if state in _OVER or spec.get("suspend").boolean():
        return ParsedMaker(item=item, meta=meta)
    return ParsedMaker(item=item, meta=meta, groups=groups, not_played=_not_played(app, mode))


def _not_played(app: _App, mode: str) -> tuple[PartNotPlayed, ...]:
    """What Spark or the settings change of the pods, beyond what is read."""
    parts = []
    if mode != "cluster":
        parts.append(PartNotPlayed("the driver", f"in mode {mode} it is no pod that the operator makes", "placement"))
    if _is_dynamic(app):
        parts.append(PartNotPlayed("dynamic allocation", "Spark changes how many executors there are"))
    if keys := app.settings.not_read():
        named = ", ".join(shortened(key) for key in keys[:_SHOWN_KEYS])
        more = f" and {len(keys) - _SHOWN_KEYS} more" if len(keys) > _SHOWN_KEYS else ""
        parts.append(PartNotPlayed("sparkConf", f"pods may differ by {named}{more}", "placement"))
    return tuple(parts)


def _is_dynamic(app: _App) -> bool:
    allocation = app.spec.get("dynamicAllocation")
    key = "spark.dynamicAllocation.enabled"
    return allocation.get("enabled").boolean() if allocation.present else app.settings.is_on(key)


def _n_executors(app: _App) -> int:
    """How many executors there are at first."""
    settings, key = app.settings, "spark.executor.instances"
    given = settings.whole(app.spec.get("executor").get("instances"), key, 0 if _is_dynamic(app) else 1)
    if not _is_dynamic(app):
        return given
    allocation, conf = app.spec.get("dynamicAllocation"), "spark.dynamicAllocation."
    least = [settings.whole(allocation.get(name), f"{conf}{name}", 0) for name in ("initialExecutors", "minExecutors")]
    return max(given, *least)


def _pod(app: _App, role: str) -> Pod:
    """The pod of driver or executor. Where a template is given, it takes the place of the fields that the webhook puts
    into pods."""
    part = app.spec.get(role)
    if not part.present:
        part.error(f"is missing. Write what the {role} is like")
    part.mapping()
    given = part.get("template")
    given.mapping()
    places: list[Path] = []
    spec = dict(given.get("spec").mapping()) if given.present else _of_fields(app, part, role, places)
    spec["containers"] = _containers(app, part, role, spec.get("containers"))
    _select_nodes(app, part, role, spec, is_template=given.present)
    if scheduler := _scheduler(app, part, role, is_template=given.present):
        spec["schedulerName"] = scheduler
    meta = _metadata(app, part, role, given)
    sink = Sink(part.sink.budget, as_posted=part.sink.as_posted)
    pod = build_pod(At({"spec": spec}, ("pod",), sink), meta, app.context)
    for one in sink.complaints:
        path = (*given.path, *one.path[1:]) if given.present else _path_of(one.path[1:], part.path, places)
        part.sink.add(one._replace(path=path))
    return pod


def _of_fields(app: _App, part: At, role: str, places: list[Path]) -> Raw:
    """The fields of driver or executor in a pod's spec; ``places`` gets the paths of its volumes."""
    fields = part.raw if isinstance(part.raw, dict) else {}
    spec: Raw = {name: fields[name] for name in _FROM_FIELDS if fields.get(name) is not None}
    mounts = {one.get("name").text() for one in part.get("volumeMounts").items()}
    spec["volumes"] = []
    for volume in app.spec.get("volumes").items():
        if volume.get("name").text() in mounts:
            spec["volumes"].append(volume.raw)
            places.append(volume.path)
    spec["containers"] = [{"name": _CONTAINERS[role]}, *(one.raw for one in part.get("sidecars").items())]
    return spec


def _path_of(path: Path, part: Path, volumes: list[Path]) -> Path:
    """The path in the application of what is at this path of the pod made from its fields."""
    match path:
        case ("spec", "containers", 0, *rest):
            return (*part, *rest)
        case ("spec", "containers", int(index), *rest):
            return (*part, "sidecars", index - 1, *rest)
        case ("spec", "volumes", int(index), *rest):
            return (*volumes[index], *rest)
    return (*part, *path[1:])


def _containers(app: _App, part: At, role: str, given: Any) -> Any:
    """The containers with what Spark asks of its own: the one with its name, else the first, else a new one."""
    if given is not None and not isinstance(given, list):
        return given
    listed = list(given or [{"name": _CONTAINERS[role]}])
    named = (i for i, one in enumerate(listed) if isinstance(one, dict) and one.get("name") == _CONTAINERS[role])
    index = next(named, 0)
    if not isinstance(listed[index], dict):
        return listed
    own = dict(listed[index])
    image = next((at.text() for at in (part.get("image"), app.spec.get("image")) if at.present), "")
    resources, ports = _mapping(own.get("resources")), own.get("ports")
    listed[index] = {
        **own,
        **({"image": image} if image else {}),
        "resources": {**resources, **_resources(app, part, role, resources)},
        "ports": [*(ports if isinstance(ports, list) else ()), *_ports(app, part, role)],
    }
    return listed


def _resources(app: _App, part: At, role: str, given: Raw) -> Raw:
    """Requests and limits of Spark's container, on top of those that its template has."""
    memory = f"{app.settings.memory(part, role)}Mi"
    requests = {**_mapping(given.get("requests")), "cpu": app.settings.cpu(part, role), "memory": memory}
    limits = {**_mapping(given.get("limits")), "memory": memory}
    if (most := app.settings.cpu_limit(part, role)).present and most.quantity("cpu") is not None:
        limits["cpu"] = most.raw
    if part.get("template").present:
        return {"requests": requests, "limits": limits}
    gpu = part.get("gpu")
    if (count := gpu.get("quantity").integer(0)) > 0 and (name := gpu.get("name").text()):
        limits[name] = str(count)
    return {"requests": requests, "limits": limits}


def _mapping(value: Any) -> Raw:
    return value if isinstance(value, dict) else {}


def _ports(app: _App, part: At, role: str) -> list[Raw]:
    """Ports of Spark's container, which matter on the network of the host."""
    conf = app.settings.conf
    block = "spark.blockManager.port"
    if role == "driver":
        keys = {("spark.driver.port",): 7078, ("spark.driver.blockManager.port", block): 7079, ("spark.ui.port",): 4040}
    else:
        keys = {(block,): 7079}
    numbers = [whole_number(conf(*names), default) for names, default in keys.items()]
    ports: list[Raw] = [{"containerPort": number} for number in numbers if number]
    listed = [] if part.get("template").present else part.get("ports").items()
    return ports + [{"containerPort": one.get("containerPort").integer(1, 1, 65_535)} for one in listed]


def _select_nodes(app: _App, part: At, role: str, spec: Raw, *, is_template: bool) -> None:
    selector = {
        **_mapping(spec.get("nodeSelector")),
        **app.settings.beginning_with("spark.kubernetes.node.selector."),
        **app.spec.get("nodeSelector").labels(),
        **app.settings.beginning_with(f"spark.kubernetes.{role}.node.selector."),
        **({} if is_template else part.get("nodeSelector").labels()),
    }
    if selector:
        spec["nodeSelector"] = selector


def _scheduler(app: _App, part: At, role: str, *, is_template: bool) -> str:
    fields = () if is_template else (app.spec.get("batchScheduler"), part.get("schedulerName"))
    conf = app.settings.conf(f"spark.kubernetes.{role}.scheduler.name", "spark.kubernetes.scheduler.name")
    return next((text for at in (*fields, conf) if (text := at.text())), "")


def _metadata(app: _App, part: At, role: str, template: At) -> Metadata:
    """Labels and annotations: of the template, of the application, of sparkConf, of driver or executor."""
    own = template.get("metadata")
    labels = {
        **own.get("labels").labels(),
        **app.settings.beginning_with(f"spark.kubernetes.{role}.label."),
        **{key: value for key, value in app.meta.labels.items() if not key.startswith(_OF_KUEUE)},
        **part.get("labels").labels(),
        _APP: app.meta.name,
        "sparkoperator.k8s.io/launched-by-spark-operator": "true",
        "spark-role": role,
    }
    annotations = {**own.get("annotations").annotations(), **part.get("annotations").annotations()}
    return Metadata("", app.meta.namespace, "", labels, annotations, (), app.meta.created, None)
