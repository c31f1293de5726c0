"""Public helpers for tests: builders, check_plugin, scenario runner."""
