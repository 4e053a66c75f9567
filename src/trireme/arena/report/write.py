"""Writing the reports into the run folder."""

from __future__ import annotations

import msgspec

from trireme.arena.diagnosis import Diagnosis, load_diagnosis
from trireme.arena.folder import Folder
from trireme.arena.run import Progress

from .build import Report, build_report, to_plain
from .page import page


def write_reports(folder: Folder, progress: Progress) -> Report:
    """Write `report.json` and `report.html`, and give the report."""
    report = build_report(progress, folder.schedule_hash)
    plain = msgspec.json.format(msgspec.json.encode(to_plain(report)), indent=2)
    (folder.path / "report.json").write_bytes(plain + b"\n")
    text = page(report, progress, diagnoses_of(folder, report))
    (folder.path / "report.html").write_text(text, encoding="utf-8")
    return report


def diagnoses_of(folder: Folder, report: Report) -> dict[int, Diagnosis]:
    """The diagnoses of the first game of every cause of forfeits, by game."""
    return {
        cause.first: found
        for cause in report.forfeit_causes
        if (found := load_diagnosis(folder.record_path(cause.first))) is not None
    }
