"""The scheduling cycle, preemption carried out, binding, and the event loop in virtual time."""
