"""Nominated pods by node: as the nominator has them, from its log or asked anew."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from scheduler_core.framework.runtime.nominations import Nominations
from scheduler_core.queue.nominator import Nominator
from scheduler_core.testing.builders import make_cluster, make_pod


class Source:
    """A nominator as frameworks see it, with or without its log."""

    def __init__(self, *, with_log: bool) -> None:
        self.nominator = Nominator()
        self.nomination_log = self.nominator.log if with_log else None
        self.cluster = make_cluster([])

    def nominated_pods(self, node_name: str) -> list[object]:
        return [self.cluster.info(pod) for pod in self.nominator.pods_on(node_name)]

    def nominated_nodes(self) -> list[str]:
        return self.nominator.node_names()


@pytest.mark.parametrize("with_log", [True, False], ids=["from the log", "all anew"])
@pytest.mark.parametrize("seed", range(5))
def test_nominations_are_those_of_the_nominator(seed: int, with_log: bool) -> None:
    random, source = Random(seed), Source(with_log=with_log)
    nominations, nominator = Nominations(source), source.nominator  # type: ignore[arg-type]
    pods = [make_pod(f"p{i}") for i in range(6)]
    for _ in range(60):
        pod = random.choice(pods)
        match random.randrange(4):
            case 0:
                nominator.delete(pod)
            case 1:
                nominator.restore(list(nominator)[:2])
            case 2:
                nominator.update(pod, msgspec.structs.replace(pod, labels={"n": str(random.random())}))
            case _:
                nominator.add(pod, random.choice(("a", "b", "c", "")))
        if random.random() < 0.6:
            pods_by_node = {name: [info.pod for info in infos] for name, infos in nominations.nodes().items()}
            assert pods_by_node == {name: nominator.pods_on(name) for name in nominator.node_names()}
            for one in pods:
                assert nominations.node_of(one.key) == (nominator.node_of(one) or "")
