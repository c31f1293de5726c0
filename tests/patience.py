"""How long tests wait for what must come: long, as a machine may do other things besides.

What is there earlier is not waited for, so that only a test that fails takes this long.
"""

from __future__ import annotations

# In seconds.
PATIENCE = 300.0
