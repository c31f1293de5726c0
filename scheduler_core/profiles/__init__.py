"""The registry (the one list of plugins), defaults, presets, and the way from configuration to framework."""
