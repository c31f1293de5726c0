"""Clusters: clusters, revisions, drafts, import and scheduler configurations."""
