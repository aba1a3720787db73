"""Base R's functions under R's names, for scripts that were R."""

from pydpstat.porting.r._distributions import *  # noqa: F403
from pydpstat.porting.r._frames import *  # noqa: F403
from pydpstat.porting.r._groups import *  # noqa: F403
from pydpstat.porting.r._matrices import *  # noqa: F403
from pydpstat.porting.r._models import *  # noqa: F403
from pydpstat.porting.r._tests import *  # noqa: F403
from pydpstat.porting.r._verbs import *  # noqa: F403
