"""The page that says why a pod is pending, with the pods of the same reason."""
