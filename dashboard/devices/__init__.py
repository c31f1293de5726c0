"""The pages about devices: of a cluster, and of a run at a cursor."""
