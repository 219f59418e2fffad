"""The service is as it describes itself: Schemathesis asks what its description allows and what it forbids,
with all checks, as `schemathesis run ADDRESS/openapi.json --checks all` does in this folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from partwhole import SubgraphInfoMax, load_graphs
from partwhole.estimators.linear import LogisticClassifier
from places import EXAMPLES, ROOT
from served import HANGS, Served

EXAMPLES_OF_EACH = 10  # of requests to one path, besides those at the limits


def networks(run: Path) -> None:
    """Attributes that are numbers and categories, and no labels."""
    SubgraphInfoMax(hidden=8, layers=2, epochs=1).fit(load_graphs(EXAMPLES / "tu" / "TEAMS")).save(run)


def molecules(run: Path) -> None:
    """SMILES, and labels."""
    store = load_graphs(EXAMPLES / "molecules.csv")
    LogisticClassifier().fit(store, store.target("aromatic"), names=["aromatic"]).save(run)


@pytest.fixture(params=[(networks, "tu/TEAMS"), (molecules, "molecules.csv")], ids=["networks", "molecules"])
def served(request, tmp_path):
    fit, data = request.param
    fit(tmp_path / "run")
    service = Served(tmp_path / "run", EXAMPLES / data, "--seconds", HANGS)
    yield service
    service.stop()


@pytest.mark.timeout(1200)  # it waits for no clock; this is for what hangs
def test_it_answers_as_it_describes(served):
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{served.address}/openapi.json"]
    bounds = ["--max-examples", EXAMPLES_OF_EACH, "--seed", 1, "--request-timeout", HANGS]
    quiet = ["--suppress-health-check", "all", "--generation-database", "none", "--no-color"]
    options = [*map(str, bounds), *quiet]
    done = subprocess.run([*command, "--checks", "all", *options], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout


def test_errors_have_one_shape(served):
    description = served.get("/openapi.json").json()
    assert ("/predict" in description["paths"]) == bool(served.get("/healthz").json()["targets"])
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            for status, answer in operation["responses"].items():
                kind = answer["content"]["application/json"]["schema"]
                assert status == "200" or kind == {"$ref": "#/components/schemas/Problem"}, (path, method)
    for answer in (
        served.get("/embed"),
        served.get("/nowhere"),
        served.post("/healthz", {}),
        served.post("/embed", {}),
        served.send("/embed", b"", headers={"Content-Type": "text/plain"}),
        served.send("/upload", b""),
    ):
        assert 400 <= answer.status_code < 500
        assert [*answer.json()] == ["detail"]
        assert isinstance(answer.json()["detail"], str)
    assert served.get("/embed").headers["allow"] == "POST"
