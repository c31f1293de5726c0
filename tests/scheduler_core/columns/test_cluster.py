

def test_the_order_of_pods_on_nodes_can_be_set_again():
    def filled(orders=None):
        cluster = Cluster()
        cluster.in_node_order = True
        for key in "abcd":
            cluster.put_pod(cluster.info(make_pod(key)), "n")
        return cluster

    cluster = filled()
    assert cluster.node_orders() == {}
    cluster.remove_pod("default/a")
    assert cluster.pods_of("n") == ["default/d", "default/b", "default/c"]
    other = filled()
    other.in_node_order = False
    other.remove_pod("default/a")
    other.set_node_orders(cluster.node_orders())
    assert other.pods_of("n") == cluster.pods_of("n")
    assert other.node_orders() == cluster.node_orders()
