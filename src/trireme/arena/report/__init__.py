"""What a match came to, for programs (JSON) and for people (one page that needs no other file)."""

from .build import AgentReport, ForfeitReport, Report, SprtReport, build_report, to_plain
from .write import write_reports

__all__ = [
    "AgentReport",
    "ForfeitReport",
    "Report",
    "SprtReport",
    "build_report",
    "to_plain",
    "write_reports",
]
