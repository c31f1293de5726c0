"""Would it fit: on which nodes of a cluster a pod would fit, as it is or as somebody is typing it."""
