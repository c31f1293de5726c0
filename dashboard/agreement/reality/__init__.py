"""What the real scheduler did while a bundle was collected: kept, compared by a worker, shown on a page."""
