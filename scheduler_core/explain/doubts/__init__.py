"""Doubts: what decides in a real cluster and is not played, where it may falsify an answer (docs/diagnosis.md).

A doubt stands beside the answers that it may falsify and nowhere else: a quota in namespace a says nothing of a pod of
namespace b. ``doubts_of_run`` are those of a whole run, ``doubts_about`` those of the answer about one pod.
"""
