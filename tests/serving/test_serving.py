"""The service: what it answers, what it refuses, many clients at once, and a real browser in front of it."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from partwhole import SubgraphInfoMax, SubgraphInfoMaxClassifier, load_graphs
from partwhole.sources.attributes import by_name
from partwhole.sources.node_link import as_node_link, node_link
from partwhole.sources.reading import Reading
from places import EXAMPLES
from served import HANGS, Served, browser_page, in_browser

pytestmark = pytest.mark.slow

SMALL = {"hidden": 8, "layers": 2, "epochs": 1, "batch_size": 32}
ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"
BOND = {"source": 0, "target": 1, "bond": "single"}


@pytest.fixture(scope="module")
def model(tmp_path_factory, mutag):
    run = tmp_path_factory.mktemp("serve") / "run"
    return SubgraphInfoMax(**SMALL).fit(mutag), run


@pytest.fixture(scope="module")
def served(model):
    fitted, run = model
    fitted.save(run, overwrite=True)
    service = Served(run, "--seconds", HANGS, "--graphs", 20)
    yield service
    service.stop()


@pytest.fixture(scope="module")
def predicting(tmp_path_factory):
    """A model of molecules that has learned from labels."""
    run = tmp_path_factory.mktemp("predict") / "run"
    store = load_graphs(EXAMPLES / "molecules.csv")
    SubgraphInfoMaxClassifier(**SMALL).fit(store, store.target("aromatic")).save(run)
    service = Served(run, EXAMPLES / "molecules.csv", "--seconds", HANGS)
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
    assert seen["drawing"].count("<text") == 4  # its oxygens; carbon is a corner
    assert len(seen["neighbors"]) == 10
    assert all(n["drawing"].startswith("<svg") for n in seen["neighbors"])
    places = served.get("/map").json()
    assert min(places["x"]) <= seen["place"][0] <= max(places["x"])
    assert served.get("/healthz").json()["graphs"] == 188


def test_predictions(served, predicting):
    nothing = served.post("/predict", {"smiles": ["CC"]})
    assert (nothing.status_code, "predicts nothing" in nothing.json()["detail"]) == (404, True)
    answer = predicting.post("/predict", {"smiles": ["Cc1ccccc1", "CCO"]}).json()
    ((name, labels),) = answer["targets"].items()
    assert set(labels) <= {"no", "yes"}
    chances = answer["probabilities"][name]
    np.testing.assert_allclose(np.add(chances["no"], chances["yes"]), 1, atol=1e-6)
    assert labels == ["no" if no > yes else "yes" for no, yes in zip(chances["no"], chances["yes"])]


def test_files(served, predicting):
    body = (EXAMPLES / "molecules.sdf").read_bytes()
    found = predicting.send("/upload?name=a.SDF&k=3", body).json()
    assert [seen["id"] for seen in found][:2] == ["methanol", "ethanol"]
    assert [len(seen["neighbors"]) for seen in found] == [3] * 20
    for name in ("../../etc/passwd", "a.pkl", ""):
        answer = served.send("/upload", b"x", params={"name": name})
        assert (answer.status_code, "must end in one of .csv, " in answer.json()["detail"]) == (422, True)


# ---------------------------------------------------------------- graphs that cannot be read


LOOSE = {"nodes": [{"id": 0, "atom": "C"}], "links": [BOND]}
REASONS = {"nonsense": "'nonsense' is not valid SMILES", "[Xe]": "which the model never saw"}


def test_a_graph_that_cannot_be_read_has_its_reason_and_others_their_answers(served):
    asked = ["nonsense", ASPIRIN, "[Xe]", "/etc/passwd"]
    alone = served.post("/embed", {"smiles": [ASPIRIN]}).json()
    assert alone["problems"] == []
    found = served.post("/embed", {"smiles": asked}).json()
    assert found["ids"] == asked
    assert [vector is None for vector in found["vectors"]] == [True, False, True, True]
    np.testing.assert_allclose(found["vectors"][1], alone["vectors"][0], rtol=1e-4, atol=1e-5)
    assert [problem["graph"] for problem in found["problems"]] == [0, 2, 3]
    for problem, reason in zip(found["problems"], REASONS.values()):
        assert reason in problem["reason"]
    closest = served.post("/neighbors", {"smiles": asked, "k": 2}).json()
    assert [of_one and len(of_one) for of_one in closest["neighbors"]] == [None, 2, None, None]
    assert closest["problems"] == found["problems"]
    shown = served.post("/look", {"smiles": asked, "k": 2}).json()
    assert [graph["id"] for graph in shown] == asked
    assert [graph.get("reason") for graph in shown if "drawing" not in graph] == [
        problem["reason"] for problem in found["problems"]
    ]


def test_links_that_lead_nowhere_are_told(served):
    graphs = [LOOSE, {"nodes": [{"id": 0, "atom": "C"}], "links": [], "name": "methane"}]
    found = served.post("/embed", {"graphs": graphs}).json()
    assert found["ids"] == ["0", "methane"]
    (problem,) = found["problems"]
    assert (problem["graph"], found["vectors"][0]) == (0, None)
    assert "Graph 0 cannot be read: it links 0 and 1, which are not both among" in problem["reason"]
    only = served.post("/neighbors", {"graphs": [LOOSE]})
    assert (only.status_code, only.json()["neighbors"]) == (200, [None])


def test_nothing_is_predicted_for_a_graph_that_cannot_be_read(predicting):
    found = predicting.post("/predict", {"smiles": ["CCO", "nonsense"]}).json()
    ((name, labels),) = found["targets"].items()
    assert [label is None for label in labels] == [False, True]
    assert all(
        [p is None for p in of_class] == [False, True] for of_class in found["probabilities"][name].values()
    )
    none = predicting.post("/predict", {"smiles": ["nonsense"]}).json()
    assert (none["targets"], none["probabilities"]) == ({name: [None]}, {name: {"no": [None], "yes": [None]}})


def test_files_are_read_as_far_as_they_can_be(served):
    found = served.send("/upload?name=a.smi&k=1", "CCO ethanol\nnonsense\n[Xe] xenon\nCC ethane\n").json()
    assert [graph["id"] for graph in found] == ["ethanol", "xenon", "ethane", "line 2"]
    reasons = [graph.get("reason") for graph in found]
    assert [reason is None for reason in reasons] == [True, False, True, False]
    assert "which the model never saw" in reasons[1]
    assert "'nonsense' is not valid SMILES" in reasons[3]


@pytest.mark.parametrize(
    ("name", "body", "place", "reason"),
    [
        ("a.json", b"{", "a.json", "Expecting property name"),
        ("a.smi", b"nonsense", "line 1", "'nonsense' is not valid SMILES"),
        ("a.csv", b"x,y\n1,2\n", "a.csv", "The file has no column of SMILES among x, y"),
        ("a.sdf", b"\x00\xff", "a.sdf", "The file holds no molecules"),
        ("my friends.edges", b"1 2", "my friends", "The nodes have no attribute 'atom'"),
        ("a.json", b'{"nodes": [{"id": 0, "atom": "\\ud800"}], "links": []}', "a", "has the value ?"),
    ],
)
def test_a_file_of_which_nothing_can_be_read_is_told(served, name, body, place, reason):
    answer = served.send("/upload", body, params={"name": name})
    assert answer.status_code == 200
    (graph,) = answer.json()
    assert graph["id"] == place
    assert reason in graph["reason"]
    assert "/tmp" not in graph["reason"]


@pytest.fixture(scope="module")
def numbered(tmp_path_factory):
    """A model of networks whose nodes have numbers."""
    run = tmp_path_factory.mktemp("numbers") / "run"
    teams = load_graphs(EXAMPLES / "tu" / "TEAMS")
    SubgraphInfoMax(**SMALL).fit(teams).save(run)
    service = Served(run, EXAMPLES / "tu" / "TEAMS", "--seconds", HANGS)
    yield service
    service.stop()


def test_numbers_too_large_for_the_model_spoil_no_other_graph(numbered):
    (example,) = numbered.get("/healthz").json()["example"]["graphs"]
    numbers = [name for name, value in example["nodes"][0].items() if isinstance(value, list | float)]
    assert numbers
    large = json.loads(json.dumps(example))
    for node in large["nodes"]:
        node |= {name: [3e38] * len(node[name]) if isinstance(node[name], list) else 3e38 for name in numbers}
    found = numbered.post("/embed", {"graphs": [example, large] * 4}).json()
    assert [problem["graph"] for problem in found["problems"]] == [1, 3, 5, 7]
    assert all("not finite" in problem["reason"] for problem in found["problems"])
    assert [vector is None for vector in found["vectors"]] == [False, True] * 4


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("content", "status", "part"),
    [
        ({"smiles": []}, 422, "smiles: List should have at least 1 item"),
        ({"smiles": ["C"] * 21}, 422, "smiles: List should have at most 20 items"),
        ({"smiles": ["C" * 10_000]}, 422, "smiles.0: String should have at most 4000 characters"),
        ({"smiles": ["C" * 3000]}, 413, "3000 atoms, at most 2000"),
        ({"graphs": [{"nodes": [{"id": 0, "atom": "C"}] * 2001, "links": []}]}, 422, "at most 2000 items"),
        ({"graphs": [{"nodes": [{"id": "\ud800", "atom": "C"}], "links": []}]}, 422, "not Unicode"),
        ({"smiles": ["\ud800"]}, 422, "unicode"),
        ({"smiles": ["C"], "\ud800": 1}, 422, "unicode"),
        ({"graphs": [{"nodes": [{"id": 0, "atom": "C"}], "links": [], "y": [1, [2]]}]}, 200, ""),
        ({"smiles": ["C"], "graphs": []}, 422, "either `smiles` or `graphs`"),
        ({}, 422, "either `smiles` or `graphs`"),
        ({"smiles": "CCO"}, 422, "smiles: Input should be a valid list"),
        ({"smiles": ["CCO"], "path": "/etc/passwd"}, 422, "path: Extra inputs are not permitted"),
        ({"graphs": ["/etc/passwd"]}, 422, "graphs.0: Input should be a valid dictionary"),
        ({"graphs": [{"nodes": [{"id": 0}]}]}, 422, "either `links` or `edges`"),
        ({"graphs": [{"nodes": [], "links": [], "edges": []}]}, 422, "either `links` or `edges`"),
        ({"graphs": [{"links": []}]}, 422, "graphs.0 has no 'nodes'"),
        ({"graphs": [{"nodes": [{"id": 0, "atom": "Xx"}], "links": []}]}, 422, "which the model never saw"),
        ({"graphs": [{"nodes": [{"id": 0}], "links": []}]}, 422, "graphs.0.nodes.0 has no 'atom'"),
        ({"graphs": [{"nodes": [{"id": 0, "atom": None}], "links": []}]}, 200, ""),
        (
            {"graphs": [{"nodes": [{"id": True, "atom": "C"}], "links": []}]},
            422,
            "id: Input should be text or",
        ),
    ],
)
def test_bad_requests_are_answered_with_a_sentence(served, content, status, part):
    answer = served.post("/embed", content)
    assert answer.status_code == status, answer.text
    assert part in answer.text
    assert "fallback" not in answer.text  # which a request cannot ask for


def test_many_names_of_attributes_are_not_looked_at(served, mutag):
    nodes = [{"id": k, "atom": "C", f"a{k}": 1} for k in range(1500)]
    assert served.post("/embed", {"graphs": [{"nodes": nodes, "links": []}] * 5}).status_code == 200
    assert by_name(nodes, "node", Reading(mutag.schema)).keys() == {"atom"}


def test_a_page_elsewhere_cannot_pose_as_the_service(served):
    for name in ("evil.example", "127.0.0.1.evil.example", "[::1"):
        answer = served.get("/map", headers={"Host": name})
        assert (answer.status_code, "127.0.0.1" in answer.json()["detail"]) == (400, True)
    for name in ("localhost", "LOCALHOST:80", "[::1]:8000"):
        assert served.get("/healthz", headers={"Host": name}).status_code == 200
    assert "default-src 'self'" in served.get("/").headers["content-security-policy"]


def test_large_questions_do_not_hold_up_others(served):
    answer = served.send("/upload?name=a.smi", "C" * 100_000 + "\n")
    assert (answer.status_code, "SMILES of 100000 characters" in answer.text) == (413, True)
    answer = served.send("/upload?name=a.smi", "C\n" * 5000)
    assert (answer.status_code, "More than 20 graphs" in answer.text) == (413, True)
    assert served.post("/look", {"smiles": ["C"] * 21}).status_code == 422
    assert served.post("/neighbors", {"smiles": ["C"], "k": 101}).status_code == 422


def test_malformed_and_large_bodies(served):
    headers = {"Content-Type": "application/json"}
    answer = served.send("/embed", b'{"smiles": [', headers=headers)
    assert (answer.status_code, answer.json()["detail"][:23]) == (422, "The request is not JSON")
    body = b'{"smiles": ["' + b"C" * (50 * 2**20) + b'"]}'
    for content in (
        body,
        iter([body[k : k + 2**20] for k in range(0, len(body), 2**20)]),
    ):  # announced, and not
        answer = served.send("/embed", content, headers=headers)
        assert (answer.status_code, "larger than 2 MB" in answer.text) == (413, True)
    assert served.post("/embed", {"smiles": ["C"]}).status_code == 200


@pytest.fixture
def impatient(model):
    """Soon cuts off who does not send. On a busy machine that may be any client: what must be answered is
    asked until it is."""
    fitted, run = model
    fitted.save(run, overwrite=True)
    service = Served(run, "--seconds", 2)
    yield service
    service.stop()


def test_slow_clients_are_cut_off_and_others_served(impatient):
    half = b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    silent, heads = connected(impatient), connected(impatient, half)
    assert answered(impatient, whole).startswith(b"HTTP/1.1 200")
    assert answered(impatient, half + b'17\r\n\r\n{"smi').startswith(b"HTTP/1.1 408")
    assert last_words(silent) == last_words(heads) == b""
    again = answered(
        impatient, whole + b"GET /heal"
    )  # a second request on the connection, which does not come
    assert again.startswith(b"HTTP/1.1 200")
    assert again.count(b"HTTP/1.1") == 1
    assert answered(impatient, whole).startswith(b"HTTP/1.1 200")


def connected(service: Served, sent: bytes = b"") -> socket.socket:
    """A client that has sent so much, and does not end the connection."""
    client = socket.create_connection(("127.0.0.1", service.port), timeout=HANGS)
    client.sendall(sent)
    return client


def last_words(client: socket.socket) -> bytes:
    """All that comes until the service cuts it off."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := client.recv(65536):
            found += piece
    return found


def answered(service: Served, sent: bytes) -> bytes:
    """What a client that has sent so much has got when it was cut off."""
    while True:
        with contextlib.suppress(OSError):  # it was late
            if found := last_words(connected(service, sent)):
                return found


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
        timeout=HANGS,
    )
    assert (taken.returncode, "Cannot listen at 127.0.0.1" in taken.stderr) == (2, True)
    assert service.stop() in (0, -signal.SIGTERM)


# ---------------------------------------------------------------- in a browser


@pytest.fixture
def page():
    with browser_page() as page:
        yield page


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
    assert page.locator(".answer > div:first-child svg.graph text").count() == 4  # its oxygens
    assert page.locator(".answer .card svg.graph").count() == 10
    assert page.evaluate("document.querySelector('.map .plot').data.at(-1).name") == "your graph"
    hover_first_dot(page)
    assert "label" in page.locator(".map aside").inner_text()
    page.fill("#given", "nonsense")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the button
    page.wait_for_function("document.getElementById('message').textContent.includes('not valid SMILES')")
    assert page.locator("#message").inner_text() == "'nonsense' is not valid SMILES; correct or drop it."
    page.fill("#given", "nonsense CCO [Xe]")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelectorAll('#message p').length === 3")
    assert page.locator("#message p").first.inner_text() == "2 graphs could not be read."
    assert page.locator(".answer h2").first.inner_text() == "CCO"
    page.fill("#given", "C")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.answer h2').textContent === 'C'")
    assert page.locator("#message").inner_text() == ""


@in_browser
def test_upload_a_file_in_the_dark(predicting, page):
    page.emulate_media(color_scheme="dark")
    page.goto(predicting.address)
    page.wait_for_selector(".map[data-ready=yes]")
    page.set_input_files("#file", EXAMPLES / "molecules.smi")
    page.wait_for_selector(".answer:nth-child(20)")
    line = page.locator(".answer > div:first-child p").first.inner_text()  # of one target
    assert re.fullmatch(r"Predicted: .+ (yes|no) \(\d+(\.\d)? %\)", line)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 26, 33)"


@in_browser
def test_a_report_works_offline(model, page, mutag):
    fitted, run = model
    fitted.save(run, overwrite=True)
    done = subprocess.run(
        [sys.executable, "-m", "partwhole", "report", str(run), "--json"],
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    page.context.set_offline(True)
    page.goto(f"file://{json.loads(done.stdout)['report']}")
    hover_first_dot(page)
    listed = page.locator(".map aside .legend li").count()
    assert listed in (fitted.vocabulary_.counts(mutag) > 0).sum(axis=1)
    page.select_option(".map select", "nodes")
    page.wait_for_function("document.querySelector('.map .plot').data[0].marker.colorscale !== undefined")
    assert page.locator(".cards .card svg.graph").count() == 8 + 8  # in their parts, and in their subgraphs
    assert page.locator(".types .card").count() == fitted.vocabulary_.number
