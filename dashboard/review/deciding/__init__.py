"""How a review is decided: who asks whom, by which rule, the verdicts, and the record that is kept."""
