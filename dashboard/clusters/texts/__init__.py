"""YAML as people wrote it: of objects kept beside their content, and changed without losing comments or order."""
