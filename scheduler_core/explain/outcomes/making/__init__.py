"""Pods that owners want and do not have: refused by admission, or held back by a rollout that does not go on."""
