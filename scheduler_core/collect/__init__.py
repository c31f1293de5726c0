"""Collects a live cluster into a bundle: lists and watches what scheduling reads, and writes what changed.

Runs where the kubeconfig is, and only reads: get, list and watch. No part of the dashboard imports it.
"""
