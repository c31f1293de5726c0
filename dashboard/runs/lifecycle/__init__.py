"""Execution of runs across workers: leases, waiting runs, wake-ups, dead workers, quotas."""
