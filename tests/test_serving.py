"""The service: what it answers, what it refuses, many clients at once, and a real browser in front of it."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np
import pytest

from commands import MEASURED
from partwhole import SubgraphInfoMax, SubgraphInfoMaxClassifier, load_graphs
from partwhole.sources.node_link import as_node_link, node_link

EXAMPLES = Path(__file__).parents[1] / "examples"
SMALL = {"hidden": 8, "layers": 2, "epochs": 1, "batch_size": 32}
ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"


class Served:
    """`partwhole serve` as a process of its own."""

    def __init__(self, run: Path, *options: object):
        command = [sys.executable, "-m", "partwhole", "serve", str(run), "--port", "0", *map(str, options)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | MEASURED
        )
        line = self.process.stdout.readline()
        assert line.startswith("Serving at"), self.process.stderr.read()
        self.address = re.search(r"http://\S+", line).group()
        self.port = int(self.address.rpartition(":")[2])

    def post(self, path: str, content: object, **more: object) -> httpx.Response:
        body, kind = json.dumps(content), {"Content-Type": "application/json"}
        return httpx.post(f"{self.address}{path}", content=body, headers=kind, timeout=60, **more)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)
        return self.process.returncode


@pytest.fixture(scope="module")
def model(tmp_path_factory, mutag):
    run = tmp_path_factory.mktemp("serve") / "run"
    return SubgraphInfoMax(**SMALL).fit(mutag), run


@pytest.fixture(scope="module")
def served(model):
    fitted, run = model
    fitted.save(run, overwrite=True)
    service = Served(run, "--seconds", 3, "--graphs", 20)
    yield service
    service.stop()


@pytest.fixture(scope="module")
def predicting(tmp_path_factory):
    """A model of molecules that has learned from labels."""
    run = tmp_path_factory.mktemp("predict") / "run"
    store = load_graphs(EXAMPLES / "molecules.csv")
    SubgraphInfoMaxClassifier(**SMALL).fit(store, store.target("aromatic")).save(run)
    service = Served(run, EXAMPLES / "molecules.csv")
    yield service
    service.stop()


# ---------------------------------------------------------------- answers


def test_vectors_are_those_of_the_model(served, model):
    answer = served.post("/embed", {"smiles": [ASPIRIN, "c1ccccc1"]}).json()
    assert answer["ids"] == [ASPIRIN, "c1ccccc1"]
    with pytest.warns(UserWarning, match="it is not used"):  # hydrogens, charges and such
        want = model[0].transform([ASPIRIN, "c1ccccc1"])
    np.testing.assert_allclose(answer["vectors"], want, rtol=1e-4, atol=1e-5)


def test_a_graph_of_the_set_is_its_own_closest_neighbour(served, mutag):
    graphs = [as_node_link(mutag[i]) for i in (0, 7)]
    answer = served.post("/neighbors", {"graphs": graphs, "k": 4}).json()
    for of_one, i in zip(answer["neighbors"], (0, 7)):
        assert len(of_one) == 4
        assert of_one[0]["cosine"] == 1.0
        assert i in [n["index"] for n in of_one if n["cosine"] > 0.9999]
        assert of_one[0]["targets"]["label"] in (-1, 1)


def test_node_link_json_is_the_same_graph_again(mutag):
    for i in (0, 50):
        again = load_graphs([node_link(as_node_link(mutag[i]))], schema=mutag.schema)[0]
        np.testing.assert_array_equal(again.node_codes, mutag[i].node_codes)
        np.testing.assert_array_equal(again.edges, mutag[i].edges)
    teams = load_graphs(EXAMPLES / "tu" / "TEAMS")  # categories called 0 and 1, and numbers
    again = load_graphs([node_link(as_node_link(teams[0]))], schema=teams.schema)[0]
    np.testing.assert_array_equal(again.node_codes, teams[0].node_codes)
    np.testing.assert_array_equal(again.node_values, teams[0].node_values)


def test_what_the_page_asks_for(served):
    (seen,) = served.post("/look", {"smiles": [ASPIRIN]}).json()
    assert seen["drawing"].startswith("<svg")
    assert seen["drawing"].count("<text") == 13  # its heavy atoms
    assert len(seen["neighbors"]) == 10
    assert all(n["drawing"].startswith("<svg") for n in seen["neighbors"])
    places = httpx.get(f"{served.address}/map", timeout=60).json()
    assert min(places["x"]) <= seen["place"][0] <= max(places["x"])
    assert httpx.get(f"{served.address}/healthz").json()["graphs"] == 188


def test_predictions(served, predicting):
    assert "predicts nothing" in served.post("/predict", {"smiles": ["CC"]}).json()["detail"]
    answer = predicting.post("/predict", {"smiles": ["Cc1ccccc1", "CCO"]}).json()
    assert {label for of_target in answer["targets"].values() for label in of_target} <= {"no", "yes"}


def test_files(served, predicting):
    body = (EXAMPLES / "molecules.sdf").read_bytes()
    found = httpx.post(f"{predicting.address}/upload?name=a.sdf&k=3", content=body, timeout=60).json()
    assert [seen["id"] for seen in found][:2] == ["methanol", "ethanol"]
    assert [len(seen["neighbors"]) for seen in found] == [3] * 20
    for name, part in (("../../etc/passwd", "must end in one of"), ("a.pkl", "must end in one of")):
        answer = httpx.post(f"{served.address}/upload", params={"name": name}, content=b"x")
        assert (answer.status_code, part in answer.json()["detail"]) == (422, True)
    broken = httpx.post(f"{served.address}/upload?name=a.json", content=b"{")
    assert broken.status_code == 422
    assert broken.json()["detail"].startswith("The file cannot be read")


def test_every_answer_is_described(served):
    paths = httpx.get(f"{served.address}/openapi.json").json()["paths"]
    assert {"/embed", "/neighbors", "/predict", "/look", "/upload", "/map", "/healthz"} == set(paths)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("content", "status", "part"),
    [
        ({"smiles": ["not a molecule"]}, 422, "is not valid SMILES"),
        ({"smiles": ["/etc/passwd"]}, 422, "is not valid SMILES"),
        ({"smiles": []}, 422, "no graphs"),
        ({"smiles": ["C"] * 21}, 413, "More than 20 graphs at once"),
        ({"smiles": ["C" * 10_000]}, 413, "SMILES of 10000 characters"),
        ({"smiles": ["C" * 3000]}, 413, "3000 atoms, at most 2000"),
        ({"graphs": [{"nodes": [{"id": k} for k in range(2001)], "links": []}]}, 413, "2001 nodes, at most"),
        ({"graphs": [{"nodes": [{"id": 0, "atom": "\ud800"}], "links": []}]}, 422, "not Unicode"),
        ({"graphs": [{"nodes": [{"id": 0, "atom": "C"}], "links": [], "y": [1, [2]]}]}, 200, ""),
        ({"smiles": ["C"], "graphs": []}, 422, "either `smiles` or `graphs`"),
        ({}, 422, "either `smiles` or `graphs`"),
        ({"smiles": "CCO"}, 422, "smiles: Input should be a valid list"),
        ({"smiles": ["CCO"], "path": "/etc/passwd"}, 422, "path: Extra inputs are not permitted"),
        ({"graphs": ["/etc/passwd"]}, 422, "graphs.0: Input should be a valid dictionary"),
        ({"graphs": [{"nodes": [{"id": 0}]}]}, 422, "not node-link JSON"),
        ({"graphs": [{"nodes": [{"id": 0, "atom": "Xx"}], "links": []}]}, 422, "which the model never saw"),
        ({"graphs": [{"nodes": [{"id": 0}], "links": []}]}, 422, "have no attribute 'atom'"),
    ],
)
def test_bad_requests_are_answered_with_a_sentence(served, content, status, part):
    answer = served.post("/embed", content)
    assert answer.status_code == status, answer.text
    assert part in answer.text
    assert "fallback" not in answer.text  # which a request cannot ask for


def test_many_names_of_attributes_are_not_looked_at(served):
    nodes = [{"id": k, "atom": "C", f"a{k}": 1} for k in range(1500)]
    started = time.perf_counter()
    assert served.post("/embed", {"graphs": [{"nodes": nodes, "links": []}] * 5}).status_code == 200
    assert time.perf_counter() - started < 3


def test_a_page_elsewhere_cannot_pose_as_the_service(served):
    answer = httpx.get(f"{served.address}/map", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert "default-src 'self'" in httpx.get(served.address).headers["content-security-policy"]


def test_large_questions_do_not_hold_up_others(served):
    long = "C" * 100_000 + "\n"
    answer = httpx.post(f"{served.address}/upload?name=a.smi", content=long, timeout=60)
    assert (answer.status_code, "SMILES of 100000 characters" in answer.text) == (413, True)
    answer = httpx.post(f"{served.address}/upload?name=a.smi", content="C\n" * 5000, timeout=60)
    assert (answer.status_code, "More than 20 graphs" in answer.text) == (413, True)
    assert served.post("/look", {"smiles": ["C"] * 21}).status_code == 413
    assert served.post("/neighbors", {"smiles": ["C"], "k": 101}).status_code == 422


def test_malformed_and_large_bodies(served):
    headers = {"Content-Type": "application/json"}
    answer = httpx.post(f"{served.address}/embed", content=b'{"smiles": [', headers=headers)
    assert (answer.status_code, answer.json()["detail"][:23]) == (422, "The request is not JSON")
    body = b'{"smiles": ["' + b"C" * (50 * 2**20) + b'"]}'
    for content in (
        body,
        iter([body[k : k + 2**20] for k in range(0, len(body), 2**20)]),
    ):  # announced, and not
        answer = httpx.post(f"{served.address}/embed", content=content, headers=headers, timeout=60)
        assert (answer.status_code, "larger than 2 MB" in answer.text) == (413, True)
    assert served.post("/embed", {"smiles": ["C"]}).status_code == 200


def test_slow_clients_are_cut_off_and_others_served(served):
    body = b'{"smiles": ["C"]}'
    half = b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
    silent = socket.create_connection(("127.0.0.1", served.port))
    heads = socket.create_connection(("127.0.0.1", served.port))
    bodies = socket.create_connection(("127.0.0.1", served.port))
    heads.sendall(half)
    bodies.sendall(half + str(len(body)).encode() + b"\r\n\r\n" + body[:5])
    assert served.post("/embed", {"smiles": ["C"]}).status_code == 200
    for client in (silent, heads, bodies):
        client.settimeout(15)
    again = http.client.HTTPConnection("127.0.0.1", served.port)
    again.request("GET", "/healthz")
    again.getresponse().read()
    again.sock.sendall(b"GET /heal")  # a second request on the same connection, which does not come
    again.sock.settimeout(15)
    assert again.sock.recv(100) == b""
    assert silent.recv(100) == b""
    assert heads.recv(100) == b""
    assert b"408" in bodies.recv(4096)
    assert served.post("/embed", {"smiles": ["C"]}).status_code == 200


def test_many_clients_at_once_get_their_own_answers(served, mutag):
    graphs = [as_node_link(mutag[i]) for i in range(24)]
    alone = [served.post("/embed", {"graphs": [graph]}).json()["vectors"][0] for graph in graphs]
    with ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(lambda graph: served.post("/embed", {"graphs": [graph]}), graphs * 4))
    assert {answer.status_code for answer in answers} == {200}
    for k, answer in enumerate(answers):
        np.testing.assert_allclose(answer.json()["vectors"][0], alone[k % 24], rtol=1e-3, atol=1e-4)


def test_it_listens_on_loopback_alone_and_ends_when_asked(model):
    fitted, run = model
    fitted.save(run, overwrite=True)
    service = Served(run)
    assert service.address.startswith("http://127.0.0.1:")
    taken = subprocess.run(
        [sys.executable, "-m", "partwhole", "serve", str(run), "--port", str(service.port)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (taken.returncode, "Cannot listen at 127.0.0.1" in taken.stderr) == (2, True)
    assert service.stop() in (0, -signal.SIGTERM)


# ---------------------------------------------------------------- in a browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
in_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine; install one to run it")


@pytest.fixture
def page():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 1400})
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda line: page.errors.append(line.text) if line.type == "error" else None)
        yield page
        assert page.errors == []
        browser.close()


def hover_first_dot(page) -> None:
    """Point at the first dot of the map."""
    page.wait_for_selector(".map[data-ready=yes]")
    page.locator(".map .plot").scroll_into_view_if_needed()
    place = page.evaluate(
        """() => {
            const plot = document.querySelector('.map .plot'), { xaxis, yaxis } = plot._fullLayout;
            const { x, y } = plot.data[0];
            return [xaxis._offset + xaxis.l2p(x[0]), yaxis._offset + yaxis.l2p(y[0])];
        }"""
    )
    box = page.locator(".map .plot").bounding_box()
    page.mouse.move(box["x"] + place[0], box["y"] + place[1])
    page.wait_for_selector(".map aside svg.graph")


@in_browser
def test_paste_a_molecule_and_see_it(served, page):
    page.goto(served.address)
    page.wait_for_selector(".map[data-ready=yes]")
    page.keyboard.type(ASPIRIN)  # the field has the focus
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer")
    assert page.locator(".answer > div:first-child svg.graph text").count() == 13
    assert page.locator(".answer .card svg.graph").count() == 10
    assert page.evaluate("document.querySelector('.map .plot').data.at(-1).name") == "asked for"
    hover_first_dot(page)
    assert "label" in page.locator(".map aside").inner_text()
    page.fill("#given", "nonsense")
    page.errors.clear()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the button
    page.wait_for_function("document.getElementById('message').textContent.includes('not valid SMILES')")
    page.errors = [text for text in page.errors if "422" not in text]  # the browser logs the answer itself


@in_browser
def test_upload_a_file_in_the_dark(predicting, page):
    page.emulate_media(color_scheme="dark")
    page.goto(predicting.address)
    page.wait_for_selector(".map[data-ready=yes]")
    page.set_input_files("#file", EXAMPLES / "molecules.smi")
    page.wait_for_selector(".answer:nth-child(20)")
    assert "Predicted: " in page.locator(".answer").first.inner_text()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 26, 33)"


@in_browser
def test_a_report_works_offline(model, page, mutag):
    fitted, run = model
    fitted.save(run, overwrite=True)
    done = subprocess.run(
        [sys.executable, "-m", "partwhole", "report", str(run), "--json"],
        capture_output=True,
        text=True,
        timeout=200,
    )
    page.context.set_offline(True)
    page.goto(f"file://{json.loads(done.stdout)['report']}")
    hover_first_dot(page)
    page.select_option(".map select", "nodes")
    page.wait_for_function("document.querySelector('.map .plot').data[0].marker.colorscale !== undefined")
    assert page.locator(".card svg.graph").count() == 8
