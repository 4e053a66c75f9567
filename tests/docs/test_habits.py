"""The files that other projects' people expect agree with the project."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import trireme

from .blocks import ROOT
from .commands import make_targets

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_citation_names_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == trireme.__version__
    assert cited["license"] == PROJECT["license"]
    assert cited["repository-code"] == PROJECT["urls"]["Source"]


def test_the_workflow_runs_every_supported_python_on_three_systems() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    supported = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    posix, windows = (workflow["jobs"][job] for job in ("posix", "windows"))
    assert posix["strategy"]["matrix"]["python"] == supported
    assert windows["strategy"]["matrix"]["python"] == supported
    assert posix["strategy"]["matrix"]["os"] == ["ubuntu-latest", "macos-latest"]
    assert [step.get("run") for step in posix["steps"]][-1] == ".ci/run"


def test_the_workflow_names_test_folders_that_exist() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    command = workflow["jobs"]["windows"]["steps"][-1]["run"]
    folders = re.findall(r"tests/\w+", command)
    assert folders
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []


@pytest.mark.parametrize("name", ["agent", "bug", "feature"])
def test_issue_templates_have_what_github_requires(name: str) -> None:
    form = yaml.safe_load((ROOT / f".github/ISSUE_TEMPLATE/{name}.yml").read_text("utf-8"))
    assert form["name"]
    assert form["description"]
    identifiers = [part["id"] for part in form["body"]]
    assert len(identifiers) == len(set(identifiers)) > 0


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_help_lists_every_target_that_people_call() -> None:
    told = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = set(re.findall(r"^  make ([a-z-]+)", told.stdout, re.MULTILINE))
    (phony,) = re.findall(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(phony.split()) == listed
    assert listed <= make_targets()


def test_a_mutation_run_that_was_stopped_goes_on_where_it_was(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    tool = runpy.run_path(str(ROOT / "benchmarks" / "mutants.py"))
    path = tmp_path / "results.jsonl"
    mutations = [tool["Mutation"]("rules.py", n, "a", "b", f"source {n}") for n in range(3)]
    tool["Results"](path, mutations).add(mutations[0], True)
    path.write_text(path.read_text() + '\n{"file": "rul')  # killed while it wrote
    tool["Results"](path, mutations).add(mutations[2], False)
    assert tool["Results"](path, mutations).survived == {mutations[0]: True, mutations[2]: False}
    assert [row["line"] for row in tool["result_rows"](path) if row["survived"]] == [0]


def test_mutation_testing_names_files_tests_and_lines_that_exist() -> None:
    named = runpy.run_path(str(ROOT / "benchmarks" / "mutant_targets.py"))
    source = ROOT / "src" / "trireme"
    for file, tests in {**named["TARGETS"], **named["KERNELS"]}.items():
        assert (source / file).is_file(), file
        for test in tests:
            path, _, name = test.partition("::")
            function = f"def {name.partition('[')[0]}("
            assert not name or function in (ROOT / path).read_text("utf-8"), test
            assert (ROOT / path).is_file(), test
    explained = tomllib.loads((ROOT / "benchmarks/mutants_explained.toml").read_text("utf-8"))
    for survivor in explained["survivor"]:
        lines = (source / survivor["file"]).read_text("utf-8").splitlines()
        assert survivor["before"] in map(str.strip, lines), survivor
        assert survivor["why"]
