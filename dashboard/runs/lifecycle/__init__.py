"""Who executes a run and when: leases, waiting runs, wake-ups, dead workers, quotas."""
