"""Base R's functions under R's names, for scripts that were R."""

from pydpstat.porting.r._frames import *  # noqa: F403
