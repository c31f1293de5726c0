"""The scheduling queue: activeQ, backoffQ, unschedulable pods, in-flight events, nominator. The clock is handed in."""
