"""What a configuration would change on a cluster, asked beside its editor before it is saved."""
