"""Configuration: KubeSchedulerConfiguration, arguments of plugins, and proposals for older versions."""
