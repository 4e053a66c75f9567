"""The report of a match: JSON for programs, one self-contained HTML page for people."""

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
