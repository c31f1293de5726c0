"""Forms: files that hold a cluster otherwise than as manifests, recognised by content and made a List of objects."""
