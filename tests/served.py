"""`partwhole serve` as a process of its own, and a real browser in front of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from commands import MEASURED

HANGS = 900  # seconds after which something hangs, however busy the machine is

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
in_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine; install one to run it")


class Served:
    """The service of a run on a free port, until `stop`."""

    def __init__(self, run: Path, *options: object):
        command = [sys.executable, "-m", "partwhole", "serve", str(run), "--port", "0", *map(str, options)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | MEASURED
        )
        line = self.process.stdout.readline()
        assert line.startswith("Serving at"), self.process.stderr.read()
        self.address = re.search(r"http://\S+", line).group()
        self.port = int(self.address.rpartition(":")[2])

    def get(self, path: str, **more: Any) -> httpx.Response:
        return httpx.get(f"{self.address}{path}", timeout=HANGS, **more)

    def post(self, path: str, content: object) -> httpx.Response:
        return self.send(path, json.dumps(content), headers={"Content-Type": "application/json"})

    def send(self, path: str, body: Any, **more: Any) -> httpx.Response:
        return httpx.post(f"{self.address}{path}", content=body, timeout=HANGS, **more)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=HANGS)
        return self.process.returncode


@contextmanager
def browser_page() -> Iterator[Any]:
    """Ends with an error where the page had one."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 1400})
        page.set_default_timeout(1000 * HANGS)
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda line: page.errors.append(line.text) if line.type == "error" else None)
        yield page
        assert page.errors == []
        browser.close()
