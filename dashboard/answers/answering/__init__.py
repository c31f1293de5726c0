"""The worker's side: what an answer is computed from, what is cached for the next question, and each answer."""
