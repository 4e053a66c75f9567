"""The arena: tournaments between agents, with ratings, confidence intervals and reports.

`schedule` fixes the games, an executor plays them, the run folder stores results and records,
`statistics` and `standing` evaluate them, `report` presents them, `history` rates all runs.
"""

from trireme.arena.statistics.sprt import Sprt

from .folder import Folder
from .gate import GateResult, gate
from .match import Entrant, Match, entrants
from .outcome import Outcome, results_hash
from .report import Report, build_report, to_plain, write_reports
from .run import Progress, resume, run_match, start
from .schedule import Fixture, schedule, schedule_hash

__all__ = [
    "Entrant",
    "Fixture",
    "Folder",
    "GateResult",
    "Match",
    "Outcome",
    "Progress",
    "Report",
    "Sprt",
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
