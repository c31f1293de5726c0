"""Preemption: which node a pod may have by evicting pods of lower priority (upstream's framework/preemption)."""
