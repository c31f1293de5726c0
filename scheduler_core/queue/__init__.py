"""The scheduling queue: activeQ, backoffQ, unschedulable pods, pods in flight, nominations, queueing hints.

The clock and the plugins' functions are handed in; ``scheduling_queue.SchedulingQueue`` is the front door.
"""
