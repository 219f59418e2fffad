"""The service is as it describes itself: Schemathesis asks what its description allows and what it forbids,
with all checks, as `schemathesis run ADDRESS/openapi.json --checks all` does anywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from partwhole import SubgraphInfoMax, load_graphs
from partwhole.estimators.linear import LogisticClassifier
from places import EXAMPLES
from served import HANGS, Served

pytestmark = pytest.mark.slow

EXAMPLES_OF_EACH = 10  # of requests to one path, besides those at the limits
# One link more than the schema allows takes 2 MB of molecules already, and a request larger than the service
# takes is answered with 413, which Schemathesis does not count among the refusals.
MEGABYTES = 64
SMALL = {"hidden": 8, "layers": 2, "epochs": 1}


def networks(run: Path) -> str:
    """Attributes that are numbers and categories, and no labels."""
    SubgraphInfoMax(**SMALL).fit(load_graphs(EXAMPLES / "tu" / "TEAMS")).save(run)
    return str(EXAMPLES / "tu" / "TEAMS")


def few_atoms(run: Path) -> str:
    """SMILES, of which only some have atoms that the run knows, and no labels."""
    SubgraphInfoMax(**SMALL).fit(load_graphs("MUTAG")).save(run)
    return "MUTAG"


def molecules(run: Path) -> str:
    """SMILES, and two targets."""
    store = load_graphs(EXAMPLES / "molecules.csv")
    labels = [[label, str(len(label))] for label in store.target("aromatic").tolist()]
    LogisticClassifier().fit(store, labels, names=["aromatic", "letters"]).save(run)
    return str(EXAMPLES / "molecules.csv")


@pytest.fixture(scope="module", params=[networks, few_atoms, molecules], ids=lambda fit: fit.__name__)
def served(request, tmp_path_factory):
    run = tmp_path_factory.mktemp("described") / "run"
    service = Served(run, request.param(run), "--seconds", HANGS, "--megabytes", MEGABYTES)
    yield service
    service.stop()


@pytest.mark.timeout(1200)  # it waits for no clock; this is for what hangs
def test_it_answers_as_it_describes(served, tmp_path):
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{served.address}/openapi.json"]
    bounds = ["--max-examples", EXAMPLES_OF_EACH, "--seed", 1]
    patience = ["--request-timeout", HANGS, "--max-response-time", HANGS]  # however busy the machine is
    quiet = ["--suppress-health-check", "all", "--generation-database", "none", "--no-color"]
    options = [*map(str, [*bounds, *patience]), *quiet]
    whole = [*command, "--checks", "all", *options]
    done = subprocess.run(
        whole, cwd=tmp_path, capture_output=True, text=True
    )  # no settings of ours are there
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout


def test_errors_have_one_shape(served):
    description = served.get("/openapi.json").json()
    assert ("/predict" in description["paths"]) == bool(served.get("/healthz").json()["targets"])
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            for status, answer in operation["responses"].items():
                form = answer["content"]["application/json"]["schema"]
                assert status == "200" or form == {"$ref": "#/components/schemas/Problem"}, (path, method)
    for answer in (
        served.get("/embed"),
        served.get("/nowhere"),
        served.post("/healthz", {}),
        served.post("/embed", {}),
        served.send("/embed", b"", headers={"Content-Type": "text/plain"}),
        served.send("/upload", b""),
        served.send("/upload?name=a.csv", b""),
    ):
        assert 400 <= answer.status_code < 500
        assert [*answer.json()] == ["detail"]
        assert isinstance(answer.json()["detail"], str)
    assert served.get("/embed").headers["allow"] == "POST"
