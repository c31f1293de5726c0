"""Files as people send them: their content on demand, archives opened."""
