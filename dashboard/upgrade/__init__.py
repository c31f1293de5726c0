"""What an upgrade of Kubernetes changes on a cluster: reports asked for, computed by background workers, as pages."""
