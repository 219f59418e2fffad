"""The documentation: every code block of it runs, and the site is made without a warning."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from partwhole.cli.main import main
from places import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NOT_RUN = "text"  # maps and flows, and the two commands that make a virtual environment


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page):
    assert {language for language, _ in blocks(page)} <= {"python", "sh", NOT_RUN}
    assert page.read_text().count("```") == 2 * len(blocks(page))


@pytest.mark.parametrize(
    "page", [p for p in PAGES if any(kind != NOT_RUN for kind, _ in blocks(p))], ids=lambda page: page.name
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


def test_the_site_is_made_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=quiet)
    assert (done.returncode, done.stderr) == (0, "")
    assert "fit_run" in (tmp_path / "api" / "index.html").read_text()
