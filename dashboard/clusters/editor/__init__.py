"""Objects as YAML: checked, edited one at a time, and the usual edits of nodes."""
