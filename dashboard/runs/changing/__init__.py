"""Changes of a run that goes on: what people ask for, and how its worker takes it up at the head."""
