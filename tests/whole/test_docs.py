"""The documentation: every code block of it runs, and the site is made without a warning."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from partwhole.cli.main import main
from places import ROOT

OUTSIDE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md"]  # of the site
PAGES = [*OUTSIDE, *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)#]+)(?:#([^)]+))?\)")
PROGRAM = re.compile(r"`([\w/.-]+\.py)\b")  # a file that a page names
WRITTEN_BY_THE_READER = "my_"
BLOCK = re.compile(r"^```(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NOT_RUN = "text"  # maps and flows, and the two commands that make a virtual environment


def called(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text())


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_every_block_says_what_it_is(page):
    assert {language for language, _ in blocks(page)} <= {"python", "sh", NOT_RUN}
    assert page.read_text().count("```") == 2 * len(blocks(page))


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [p for p in PAGES if any(kind != NOT_RUN for kind, _ in blocks(p))], ids=called
)
def test_every_block_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    names = {"__name__": "my_split"}  # blocks of a page share their names; a plug-in is called after its file
    ran = 0
    for language, text in blocks(page):
        ran += language != NOT_RUN
        if language == "python":
            exec(compile(text, page.name, "exec"), names)
        elif language == "sh":
            for line in text.splitlines():
                run_command(shlex.split(line, comments=True), monkeypatch, capsys)
    assert ran  # each to its end: a block that fails raises, a command that fails has another exit code


def run_command(words: list[str], monkeypatch, capsys) -> None:
    if not words:
        return
    assert words[0] == "partwhole", words
    if words[1] == "serve":
        command = [sys.executable, "-m", *words, "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline().startswith("Serving at http://127.0.0.1:")
            process.terminate()
        return
    if {"--devices", "--ray"} & set(words):  # they start processes by the command that they were started with
        subprocess.run([sys.executable, "-m", *words], check=True, capture_output=True)
        return
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0, capsys.readouterr().err


@pytest.mark.parametrize("page", OUTSIDE, ids=called)
def test_every_link_leads_somewhere(page):
    """Those inside the site are checked when it is made."""
    for target, heading in LINK.findall(page.read_text()):
        file = page.parent / target
        assert file.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE)
            assert heading in {name.lower().replace(" ", "-") for name in headings}


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_every_file_that_a_page_names_is_there(page):
    there = [f"/{file.relative_to(ROOT)}" for file in ROOT.rglob("*.py") if ".venv" not in file.parts]
    for name in PROGRAM.findall(page.read_text()):
        if not Path(name).name.startswith(WRITTEN_BY_THE_READER):
            assert any(file.endswith(f"/{name}") for file in there), name


def rows(page: Path, columns: str) -> dict[str, dict[str, str]]:
    """The table whose first line begins with `columns`: for each row its cells by their column."""
    lines = page.read_text().splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(columns))
    names = [name.strip() for name in lines[start].strip("|").split("|")]
    found = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        found[cells[0]] = dict(zip(names, cells))
    return found


def test_the_figures_of_the_readme_are_the_measured_ones():
    short = rows(ROOT / "README.md", "| data set | default |")
    measured = rows(ROOT / "docs" / "results.md", "| data set | untrained | best |")
    columns = {
        "default": "best",
        "default, untrained": "untrained",
        "the paper's vector": "paper",
        "WL kernel": "WL kernel",
    }
    assert short.keys() == measured.keys()
    for name, cells in short.items():
        for here, there in columns.items():
            assert cells[here] == measured[name][there].split()[0], (name, here)


@pytest.mark.parametrize("page", ["README.md", "docs/speed.md"])
def test_the_speed_that_is_told_is_the_measured_one(page):
    figures = json.loads((ROOT / "benchmarks" / "results.json").read_text())["figures"]
    slowest, fastest = figures["mutag-epoch"], figures["reddit-binary-epoch"]
    told = re.search(
        r"([\d.]+) (?:\(MUTAG\) )?to ([\d.]+) (?:\(REDDIT-BINARY\) )?times\s+as fast",
        (ROOT / page).read_text(),
    )
    assert told is not None
    assert [float(figure) for figure in told.groups()] == [round(slowest, 1), round(fastest, 1)]


@pytest.mark.slow
def test_the_site_is_made_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=quiet)
    assert (done.returncode, done.stderr) == (0, "")
    assert "fit_run" in (tmp_path / "api" / "index.html").read_text()
