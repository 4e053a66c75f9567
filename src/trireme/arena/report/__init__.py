"""The report of a match: JSON for programs, one self-contained HTML page for people."""

from trireme.arena.forfeit_causes import ForfeitCause, ForfeitReport

from .build import AgentReport, Report, SprtReport, build_report, to_plain
from .write import write_reports

__all__ = [
    "AgentReport",
    "ForfeitCause",
    "ForfeitReport",
    "Report",
    "SprtReport",
    "build_report",
    "to_plain",
    "write_reports",
]
