"""Objects' YAML as people wrote it: kept beside the canonical content, and changed without losing comments or order."""
