"""A configuration as a table of plugins and extension points, edited in step with its YAML."""
