"""What workers do beside runs: background tasks, and what comes in between something long."""
