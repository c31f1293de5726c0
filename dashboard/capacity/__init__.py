"""The page "Capacity" of a cluster: which node group helps, how many more fit, what drains do, what is not needed."""
