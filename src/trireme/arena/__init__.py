"""Where agents meet, and how a claim about them is made.

`schedule` says what is played, an executor plays it, the run folder keeps it, the statistics weigh
it, the report tells it, and the store remembers it.
"""

from trireme.arena.statistics.sprt import Sprt

from .folder import Folder
from .gate import Verdict, gate
from .match import Entrant, Match, entrants
from .outcome import Outcome, results_hash
from .report import Report, build_report, to_plain, write_reports
from .run import Progress, resume, run_match, start
from .schedule import Fixture, schedule, schedule_hash

__all__ = [
    "Entrant",
    "Fixture",
    "Folder",
    "Match",
    "Outcome",
    "Progress",
    "Report",
    "Sprt",
    "Verdict",
    "build_report",
    "entrants",
    "gate",
    "results_hash",
    "resume",
    "run_match",
    "schedule",
    "schedule_hash",
    "start",
    "to_plain",
    "write_reports",
]
