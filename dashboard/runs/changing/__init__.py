"""Changes at the head of a run that goes on: requested by people, carried out by the run's worker."""
