"""What is called and how a reply is read; texts of errors are in test_chain.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scheduler_core.api.config import Extender
from scheduler_core.columns.cluster import Cluster
from scheduler_core.extenders.answers import FilterAnswer, MetaVictimsAnswer
from scheduler_core.extenders.calls import ExtenderReply
from scheduler_core.extenders.go_json import MAX_DEPTH
from scheduler_core.extenders.http_extender import FILTER, PREEMPT, HTTPExtender, LiveLabels
from scheduler_core.extenders.requests import Bodies
from scheduler_core.framework.contracts.extending.hooks import ExtenderError
from scheduler_core.manifests.writing.objects import to_body
from scheduler_core.testing.builders import make_cluster, make_node, make_pod

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from scheduler_core.api.objects import Pod

NODE = make_node("n1", labels={"disk": "ssd"}, taints=["a=b:NoSchedule"])


def made(placed: Mapping[str, Iterable[Pod]] | None = None, **fields: Any) -> tuple[HTTPExtender, Bodies]:
    cluster = make_cluster([NODE], placed)
    config = Extender(**{"url_prefix": "http://a.example/", "filter_verb": "sieve", **fields})
    return HTTPExtender(config, 0, "Extender a", cluster), Bodies(cluster.table)


def test_it_calls_its_address_without_trailing_slashes_and_the_verb_s_path() -> None:
    extender, _ = made()
    call = extender.call(7, FILTER, {"Pod": {}})
    assert (call.url, call.verb, call.step, call.request) == ("http://a.example/sieve", "filter", 7, {"Pod": {}})
    assert extender.has(FILTER)
    assert not extender.has(PREEMPT)


def test_what_only_go_can_read_is_an_error_that_says_how_deep_it_is() -> None:
    extender, _ = made()
    deep = b'{"x":' + b"[" * (MAX_DEPTH // 2) + b"]" * (MAX_DEPTH // 2) + b"}"
    with pytest.raises(ExtenderError, match="5001 containers"):
        extender.answer(extender.call(1, FILTER, {}), ExtenderReply(200, deep))


class TestNodesLeft:
    def test_names_count_for_a_cache_capable_one_even_where_nodes_are_there(self) -> None:
        extender, bodies = made(node_cache_capable=True)
        left = extender.nodes_left(FilterAnswer([{"metadata": {"name": "n9"}}], ["n1"]), ["n1"], None, bodies)
        assert (left.names, left.replaced, left.replaces) == (["n1"], None, False)

    def test_names_alone_leave_nothing_for_one_that_is_not(self) -> None:
        extender, bodies = made()
        assert extender.nodes_left(FilterAnswer(None, ["n1"]), ["n1"], None, bodies).names == []

    def test_whole_nodes_replace_those_given_without_their_images(self) -> None:
        extender, bodies = made()
        relabelled = to_body(NODE) | {"metadata": {"name": "n1", "labels": {"disk": "hdd"}}}
        relabelled["status"]["images"] = [{"names": ["x:1"], "sizeBytes": 9}]
        left = extender.nodes_left(FilterAnswer([relabelled]), ["n1"], None, bodies)
        assert left.replaces
        assert left.replaced is not None
        node = left.replaced["n1"].node
        assert (node.labels, node.images, node.allocatable) == ({"disk": "hdd"}, (), NODE.allocatable)

    def test_a_node_sent_back_as_it_was_is_itself(self) -> None:
        extender, bodies = made()
        left = extender.nodes_left(FilterAnswer([bodies.of_node("n1")]), ["n1"], None, bodies)
        assert left.replaced is not None
        assert left.replaced["n1"].node == NODE

    @pytest.mark.parametrize(
        "raw",
        [
            5,
            {},
            {"metadata": "n1"},
            {"metadata": {"name": ["n1"]}},
            {"metadata": {"name": "n1"}, "spec": {"taints": 5}},
        ],
    )
    def test_what_is_no_node_is_an_error(self, raw: Any) -> None:
        extender, bodies = made()
        which = '"n1"' if isinstance(raw, dict) and "spec" in raw else "without a name"
        with pytest.raises(ExtenderError, match=f"{which},.* cannot be read"):
            extender.nodes_left(FilterAnswer([raw]), ["n1"], None, bodies)


SHOWN, PANICS = "http://me:***@a.example", "at which kube-scheduler panics"


def reply(extender: HTTPExtender, _: Bodies, status: int) -> None:
    extender.answer(extender.call(1, FILTER, {}), ExtenderReply(status))


def victims(extender: HTTPExtender, _: Bodies, *uids: str | None) -> None:
    extender.read_victims({"n1": MetaVictimsAnswer(list(uids), is_null=not uids)})


def nodes(extender: HTTPExtender, bodies: Bodies, answer: FilterAnswer) -> None:
    extender.nodes_left(answer, ["n1"], None, bodies)


@pytest.mark.parametrize(
    ("placed", "read", "arguments", "sentence"),
    [
        ("a", reply, (500,), f"failed sieve with extender at URL {SHOWN}/sieve, code 500"),
        ("a", nodes, (FilterAnswer([5]),), "a node without a name, in the answer, cannot be read as a node"),
        ("a", nodes, (FilterAnswer([{"metadata": {"name": "N 1"}}]),),
         'a node in the answer, "N 1", cannot be read as a node'),
        ("a", nodes, (FilterAnswer(None, ["n9"]),),
         f'extender "{SHOWN}" claims a filtered node "n9" which is not found in the input node list'),
        ("a", victims, (), f'extender "{SHOWN}" answers null in place of the victims on node "n1", {PANICS}'),
        ("a", victims, (None,), f'extender "{SHOWN}" answers null in place of a victim on node "n1", {PANICS}'),
        ("a", victims, ("u",),
         f"extender: {SHOWN} claims to preempt pod (UID: &{{u}}) on node: n1, but the pod is not found on that node"),
        ("", victims, (None,),
         f"extender: {SHOWN} claims to preempt pod (UID: <nil>) on node: n1, but the pod is not found on that node"),
    ],
    ids=["a status", "no node", "no node with a name", "a name that was not sent", "null in place of victims",
         "null in place of a victim", "a victim that is not there", "null on an empty node"],
)  # fmt: skip
def test_words_do_not_show_the_password(
    placed: str, read: Callable[..., None], arguments: tuple[Any, ...], sentence: str
) -> None:
    given = {"n1": [make_pod(placed)]} if placed else {}
    extender, bodies = made(url_prefix="http://me:secret@a.example", placed=given, node_cache_capable=True)
    with pytest.raises(ExtenderError) as problem:
        read(extender, bodies, *arguments)
    assert str(problem.value) == sentence


def test_labels_are_those_of_the_moment():
    cluster = Cluster()
    labels = LiveLabels(cluster)
    assert labels.of_node("n1") == labels.of_pod("n1", "u") == {}
    cluster.put_node(make_node("n1", labels={"disk": "ssd"}))
    pod = make_pod("p", labels={"app": "web"})
    cluster.put_pod(cluster.info(pod), "n1")
    assert labels.of_node("n1")["disk"] == "ssd"
    assert labels.of_pod("n1", pod.uid) == {"app": "web"}
    assert labels.of_pod("n1", "another") == {}
    cluster.drop_pod(pod.key)
    cluster.drop_node("n1")
    assert labels.of_node("n1") == labels.of_pod("n1", pod.uid) == {}
