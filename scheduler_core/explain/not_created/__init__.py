"""Why pods are not created: admission refused them, as the input says or as a run plays it."""
