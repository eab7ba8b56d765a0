"""Every event, and the values that events are made of.

A subclass of ``Event`` in one of these modules is an event: no list repeats it.  The modules are imported whole here,
so that a new event needs no line in this file.
"""

from events.types.acts import *
from events.types.base import *
from events.types.batch import *
from events.types.citations import *
from events.types.criteria import *
from events.types.deliberation import *
from events.types.evidence import *
from events.types.lab import *
from events.types.opening import *
from events.types.panel import *
from events.types.people import *
from events.types.protocol import *
from events.types.register import *
from events.types.rubric import *
from events.types.scores import *
from events.types.study import *
from events.types.turns import *
from events.types.verdicts import *
