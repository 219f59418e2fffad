"""The command line as a user meets it: real processes, exit codes, one sentence for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from safetensors import safe_open
from safetensors.torch import save_file

from commands import partwhole
from partwhole import SubgraphInfoMax, SubgraphInfoMaxRegressor, load_graphs
from partwhole.registry import METHODS

pytestmark = pytest.mark.slow

COMMANDS = ["fit", "embed", "neighbors", "evaluate", "predict", "report", "serve", "reproduce"]
COMMANDS += ["datasets", "methods"]
FAST = ["--hidden", "8", "--layers", "2", "--epochs", "5"]


def refused(*arguments: object, cwd: Path | None = None) -> str:
    """The one sentence on standard error of a command that must exit with code 2."""
    done = partwhole(*arguments, cwd=cwd)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("partwhole: ")
    return lines[0]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("cli") / "run"
    done = partwhole("fit", "MUTAG", "--out", out, *FAST, "--seed", "0", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)  # one object and nothing else
    assert (result["graphs"], result["epochs"], result["seed"]) == (188, 5, 0)
    assert "epoch 5/5" in done.stderr  # progress, and on standard error
    return out


def test_fit_leaves_a_whole_run(run):
    names = {p.name for p in run.iterdir()}
    weights = {"model.safetensors", "resume.safetensors", "landmarks.safetensors", "snapshots"}
    assert names == {"config.toml", "metrics.jsonl", "vocabulary.safetensors"} | weights
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert [r["epoch"] for r in rows] == [1, 2, 3, 4, 5]
    assert {"loss", "mutual_information", "entropy", "smallest", "largest", "overlap"} <= rows[0].keys()


def test_evaluate_prints_one_object_with_every_fold(run):
    done = partwhole("evaluate", run, "MUTAG", "--protocol", "label-free", "--json")
    result = json.loads(done.stdout)
    assert result["protocol"] == "label-free"
    assert {"mean", "std"} == result["accuracy"].keys()
    assert 50 < result["accuracy"]["mean"] < 100
    assert (result["folds"], result["runs"], result["seed"], result["epoch"]) == (10, 1, 0, 5)
    assert result["classifier"] == "rbf-svm"
    assert np.array(result["scores"]).shape == (1, 10)


def test_evaluate_prints_label_free_first_and_untrained_beside_it(run):
    done = partwhole("evaluate", run, "MUTAG", "--folds", "3")
    assert done.returncode == 0
    assert 0 < done.stdout.index("label-free") < done.stdout.index("untrained")
    both = partwhole(
        "evaluate", run, "MUTAG", "--folds", "3", "--protocol", "paper", "--protocol", "label-free", "--json"
    )
    result = json.loads(both.stdout)
    assert result["protocol"] == "label-free"
    assert [r["protocol"] for r in result["also"]] == ["paper"]


def test_embed_writes_parquet_that_equals_transform(run, tmp_path):
    done = partwhole("embed", run, "MUTAG", "--out", tmp_path / "vectors.parquet", "--json")
    assert json.loads(done.stdout)["width"] == 8
    table = pq.read_table(tmp_path / "vectors.parquet")
    assert table.column_names == ["id", "label", "far", "embedding"]
    graphs = load_graphs("MUTAG")
    vectors = np.array(table["embedding"].to_pylist(), dtype=np.float32)
    np.testing.assert_array_equal(vectors, SubgraphInfoMax.load(run).transform(graphs))
    assert table["label"].to_pylist() == graphs.labels.tolist()
    assert table.schema.field("embedding").type.list_size == 8


def test_a_configuration_file_gives_the_same_run(run, tmp_path):
    done = partwhole("fit", "MUTAG", "--out", tmp_path / "again", "--config", run / "config.toml", "--json")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "again" / "model.safetensors").read_bytes() == (run / "model.safetensors").read_bytes()


def test_report_is_one_page_without_links_out(run):
    done = partwhole("report", run, "--json")
    page = Path(json.loads(done.stdout)["report"]).read_text()
    for part in (
        "Map of the graphs",
        "Learned subgraphs",
        "label-free",
        "untrained",
        "<svg",
        "Plotly.newPlot",
        "map-data",
        "share of the nodes",
    ):
        assert part in page
    assert "<script src" not in page
    assert '<link rel="stylesheet"' not in page


def test_lists():
    names = {d["name"] for d in json.loads(partwhole("datasets", "--json").stdout)["datasets"]}
    assert {"MUTAG", "PTC_MR", "REDDIT-MULTI-5K", "MOTIFS"} <= names
    listed = json.loads(partwhole("methods", "--json").stdout)["methods"]
    assert [m["name"] for m in listed] == METHODS.names()
    table = partwhole("reproduce", "table1", "--datasets", "MUTAG")
    assert "17.93 / 17.93" in table.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name):
    done = partwhole(name, "--help")
    assert done.returncode == 0
    assert f"Example: partwhole {name}" in " ".join(done.stdout.split())


def test_the_names_of_plug_ins_are_in_the_help():
    text = " ".join(partwhole("fit", "--help").stdout.split())
    for part in ("autoregressive, multi-head, tree-split", "dv, jsd", "gin, gine, pyg", "mean, set2set, sum"):
        assert part in text


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "MUTGA"], "Did you mean 'MUTAG'"),
        (["fit", "no/such/place"], "There is no file or folder"),
        (["fit", "MUTAG", "--epoch", "3"], "--epoch"),
        (["fit", "MUTAG", "--epochs", "many"], "valid integer"),
        (["fit", "MUTAG", "--epochs", "-1"], "at least 0"),
        (["fit", "MUTAG", "--generator", "tree-spilt"], "Did you mean 'tree-split'"),
        (["fit", "MUTAG", "--subgraphs", "6"], "power of two"),
        (["fit", "MUTAG", "--score", "cosin"], "Did you mean 'cosine'"),
        (["fit", "MUTAG", "--method", "subgraph-infomin"], "Did you mean 'subgraph-infomax'"),
        (["fit", "MUTAG", "--resume"], "holds no run"),
        (["fit", "MUTAG", "--resume", "--overwrite"], "Choose one of"),
        (["fit", "MUTAG", "--config", "absent.toml"], "Cannot read absent.toml"),
        (["fit", "MUTAG", "--target", "lable"], "Did you mean 'label'"),
        (["fit", "MUTAG", "--target", "label", "--method", "untrained"], "learns without labels"),
        (["fit", "MUTAG", "--method", "regressor"], "name some with --target"),
        (["fit", "MUTAG", "--validation", "0.2"], "--validation is for a fit with labels"),
        (["fit", "MUTAG", "--target", "label", "--unlabelled", "infografh"], "Did you mean 'infograph'"),
        (["fit", "MUTAG", "--target", "label", "--validation", "1"], "validation must be below 1"),
    ],
)
def test_bad_fits_leave_nothing_behind(tmp_path, arguments, message):
    assert message in refused(*arguments, "--out", "run", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[options]\nepoch = 3\n", "Did you mean 'epochs'"),
        ("[options]\nepochs = 'three'\n", "must be of type int"),
        ("epochs = = 3\n", "not valid TOML"),
    ],
)
def test_bad_configuration_files(tmp_path, text, message):
    (tmp_path / "bad.toml").write_text(text)
    assert message in refused("fit", "MUTAG", "--out", "run", "--config", "bad.toml", cwd=tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["bad.toml"]


def test_a_set_of_one_graph_and_an_empty_one(tmp_path):
    load_graphs("MUTAG")[:1].save(tmp_path / "one")
    assert "at least two graphs" in refused("fit", "one", "--out", "run", cwd=tmp_path)
    load_graphs("MUTAG")[:0].save(tmp_path / "none")
    assert "holds no graphs" in refused("fit", "none", "--out", "run", cwd=tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["none", "one"]


def test_an_output_folder_that_holds_a_run(run, tmp_path):
    assert "--overwrite" in refused("fit", "MUTAG", "--out", run)
    (tmp_path / "file").write_text("")
    assert "is a file" in refused("fit", "MUTAG", "--out", tmp_path / "file")
    first = tmp_path / "first"
    assert partwhole("fit", "MUTAG", "--out", first, *FAST).returncode == 0
    assert partwhole("fit", "MUTAG", "--out", first, "--overwrite", *FAST, "--epochs", "2").returncode == 0
    assert len((first / "metrics.jsonl").read_text().splitlines()) == 2


def copied(run: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("config.toml", "metrics.jsonl", "model.safetensors", "resume.safetensors"):
        (copy / name).write_bytes((run / name).read_bytes())
    return copy


def test_a_checkpoint_cut_short(run, tmp_path):
    copy = copied(run, tmp_path)
    weights = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    assert "damaged or cut short" in refused("embed", copy, "MUTAG", "--out", tmp_path / "v.parquet")
    assert not (tmp_path / "v.parquet").exists()
    (copy / "resume.safetensors").write_bytes(b"")
    assert "damaged or cut short" in refused("fit", "MUTAG", "--out", copy, "--resume")


def test_a_checkpoint_of_another_version(run, tmp_path):
    copy = copied(run, tmp_path)
    with safe_open(copy / "model.safetensors", framework="pt") as file:
        tensors = {key: file.get_tensor(key) for key in file.keys()}
    save_file(tensors, copy / "model.safetensors", metadata={"format": "99"})
    assert "written in format 99" in refused("embed", copy, "MUTAG", "--out", tmp_path / "v.parquet")
    config = (copy / "config.toml").read_text()
    (copy / "config.toml").write_text(config.replace("format = 1", "format = 2", 1))
    assert "written in format 2" in refused("evaluate", copy, "MUTAG")


def test_weights_that_are_not_those_of_the_configuration(run, tmp_path):
    copy = copied(run, tmp_path)
    config = (copy / "config.toml").read_text()
    (copy / "config.toml").write_text(config.replace("hidden = 8", "hidden = 16"))
    assert "are not those of the configuration" in refused("embed", copy, "MUTAG", "--out", tmp_path / "v")


def test_a_run_that_is_none_and_an_unfinished_one(run, tmp_path):
    assert "holds no run" in refused("evaluate", tmp_path, "MUTAG")
    copy = copied(run, tmp_path)
    (copy / "model.safetensors").unlink()
    assert "is not finished" in refused("embed", copy, "MUTAG", "--out", tmp_path / "v")


def test_graphs_that_the_model_did_not_learn(run, tmp_path):
    refusal = refused("embed", run, "MOTIFS", "--out", tmp_path / "v")
    assert "have no attribute 'atom', which the model learned from" in refusal
    assert not (tmp_path / "v").exists()


def test_other_wrong_requests(run):
    assert "Did you mean 'label-free'" in refused("evaluate", run, "MUTAG", "--protocol", "label-fre")
    assert "no table 'table9'" in refused("reproduce", "table9")
    assert "evaluat" in refused("evaluat")
    assert "at least 2 folds" in refused("evaluate", run, "MUTAG", "--folds", "1")


def test_a_place_that_cannot_be_written(run):
    assert "Cannot write" in refused("embed", run, "MUTAG", "--out", "/proc/vectors.parquet")
    assert "Cannot write" in refused("fit", "MUTAG", "--out", "/proc/run", *FAST)


# ---------------------------------------------------------------- a few labels


def table(path: Path, rows: list[str]) -> Path:
    path.write_text(
        "smiles,logS,toxic\n" + "".join(f"{'C' * (i + 1)}O,{row}\n" for i, row in enumerate(rows))
    )
    return path


@pytest.fixture(scope="module")
def labelled(tmp_path_factory) -> tuple[Path, Path]:
    """Thirty alcohols, of which twenty have a number and fifteen a class; and a run for each target."""
    folder = tmp_path_factory.mktemp("labels")
    rows = [f"{i / 2},{'yes' if i % 2 else 'no'}" if i < 15 else f"{i / 2}," for i in range(20)] + [","] * 10
    data = table(folder / "few.csv", rows)
    for target in ("logS", "toxic"):
        done = partwhole("fit", data, "--target", target, "--out", folder / target, *FAST, "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["targets"] == [target]
    return folder, data


def test_predict_writes_every_graph_and_tells_the_error_on_known_ones(labelled, tmp_path):
    folder, data = labelled
    done = partwhole("predict", folder / "logS", data, "--out", tmp_path / "p.parquet", "--json")
    told = json.loads(done.stdout)
    assert (told["graphs"], told["targets"]) == (30, ["logS"])
    found = pq.read_table(tmp_path / "p.parquet").to_pydict()
    assert list(found) == ["id", "smiles", "logS", "toxic", "logS_predicted"]
    assert found["id"][0] == "CO"
    loaded = SubgraphInfoMaxRegressor.load(folder / "logS")
    assert found["logS_predicted"] == pytest.approx(loaded.predict(load_graphs(data)).tolist())
    errors = [abs(value - i / 2) for i, value in enumerate(found["logS_predicted"][:20])]
    assert told["known"] == [
        {
            "target": "logS",
            "graphs": 20,
            "measure": "mean absolute error",
            "value": pytest.approx(np.mean(errors)),
        }
    ]


def test_predict_writes_classes_with_their_probabilities(labelled, tmp_path):
    folder, data = labelled
    done = partwhole("predict", folder / "toxic", data, "--out", tmp_path / "p.csv")
    assert done.returncode == 0, done.stderr
    assert "Wrote toxic of 30 graphs" in done.stdout
    assert "accuracy" in done.stdout
    header, first, *_ = (tmp_path / "p.csv").read_text().splitlines()
    assert header == '"id","smiles","logS","toxic","toxic_predicted","toxic=no","toxic=yes"'
    *_, label, no, yes = first.replace('"', "").split(",")
    assert float(no) + float(yes) == pytest.approx(1.0)
    assert label == ("no" if float(no) > float(yes) else "yes")


def test_the_report_shows_predictions(labelled):
    folder, data = labelled
    for target, measure in (("logS", "MAE"), ("toxic", "balanced accuracy %")):
        done = partwhole("report", folder / target, data)
        assert done.returncode == 0, done.stderr
        page = (folder / target / "report.html").read_text()
        assert f"Predictions: {target}" in page
        assert measure in page
        assert "never saw a label" not in page
        assert ("logS, known" in page) == (target == "logS")


def test_a_labelled_run_goes_on_with_its_targets(labelled, tmp_path):
    folder, data = labelled
    done = partwhole("fit", data, "--out", folder / "logS", "--resume", "--epochs", "6", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["method"], result["targets"], result["epochs"]) == ("regressor", ["logS"], 6)


def test_a_number_and_a_class_are_two_runs(tmp_path):
    data = table(tmp_path / "both.csv", [f"{i}.5,{'ab'[i % 2]}" for i in range(8)])
    told = refused("fit", data, "--target", "logS", "--target", "toxic", "--out", tmp_path / "run")
    assert "'logS' is a number and 'toxic' a class; fit them in two runs" in told


@pytest.mark.parametrize(
    ("rows", "target", "message"),
    [
        (["1.5,a", "soon,b", "2.5,a", "3.5,b"], "logS", "target 'logS' of graph 1 is 'soon', not a number"),
        (["1.5,", "2.5,", "3.5,"], "toxic", "target 'toxic' is missing for every graph"),
        (["inf,a", "1.5,b", "2.5,a"], "logS", "target 'logS' of graph 0 is infinite"),
        (["1.5,a", "2.5,a", "3.5,a"], "toxic", "needs at least two different labels"),
    ],
)
def test_bad_targets(tmp_path, rows, target, message):
    data = table(tmp_path / "bad.csv", rows)
    assert message in refused("fit", data, "--target", target, "--out", tmp_path / "run")
    assert [p.name for p in tmp_path.iterdir()] == ["bad.csv"]


def test_bad_predictions(run, labelled, tmp_path):
    folder, data = labelled
    assert "was fitted without labels" in refused("predict", run, "MUTAG", "--out", tmp_path / "p.csv")
    assert "neither .csv nor .parquet" in refused(
        "predict", folder / "logS", data, "--out", tmp_path / "p.txt"
    )
    refusal = refused("predict", folder / "logS", "MUTAG", "--out", tmp_path / "p.csv")
    assert "have no attribute 'degree', which the model learned from" in refusal
    other = table(folder / "other.csv", ["1.5,perhaps", "2.5,no"])
    told = refused("predict", folder / "toxic", other, "--out", tmp_path / "p.csv")
    assert "label 'perhaps' of graph 0 (toxic) was not seen in training" in told
    assert list(tmp_path.iterdir()) == []


# -------------------------------------------------------------------- methods beside ours


def test_a_kernel_from_fit_to_vectors_of_other_graphs(tmp_path):
    run, out = tmp_path / "run", tmp_path / "vectors.parquet"
    options = ["--option", "rounds=2", "--option", "dimensions=10"]
    done = partwhole("fit", "MUTAG", "--method", "wl", "--out", run, *options, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["method"] == "wl"
    done = partwhole("embed", run, "MUTAG", "--out", out, "--json")
    assert json.loads(done.stdout)["width"] == 10
    done = partwhole("evaluate", run, "MUTAG", "--folds", "3", "--json")
    result = json.loads(done.stdout)
    assert result["classifier"] == "kernel-svm"
    assert result["accuracy"]["mean"] > 75
    assert "has no epochs" in refused("evaluate", run, "MUTAG", "--protocol", "paper")


def test_options_that_a_method_does_not_have_are_named(tmp_path):
    fit = ["fit", "MUTAG", "--out", tmp_path / "run", "--method", "wl"]
    assert "The method wl has no option 'hidden'" in refused(*fit, "--hidden", "8")
    assert "Did you mean 'rounds'" in refused(*fit, "--option", "round=3")
    assert "rounds must be of type int, not 'x'" in refused(*fit, "--option", "rounds=x")
    assert "takes NAME=VALUE" in refused(*fit, "--option", "rounds")
    assert "learns from labels" in refused("fit", "MUTAG", "--out", tmp_path / "run", "--method", "gcn")


def test_the_options_of_a_method_are_shown():
    done = partwhole("methods", "gk", "--json")
    options = json.loads(done.stdout)["options"]
    assert options["samples"]["default"] == 2000
    assert "samples" in partwhole("methods", "gk").stdout
    assert "Did you mean 'gk'" in refused("methods", "gkk")


def test_lists_of_reproduce_may_follow_one_name(tmp_path):
    done = partwhole(
        "reproduce", "table2", "--methods", "sp", "counts", "--datasets", "MUTAG", "--runs", "1", "--json",
        "--out", tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [row["method"] for row in rows] == ["SP kernel", "counts"]
    assert all(float(row["label-free"]) > 75 for row in rows)


def test_a_supervised_network_from_fit_to_predictions(tmp_path):
    run, out = tmp_path / "run", tmp_path / "predicted.csv"
    done = partwhole("fit", "MUTAG", "--method", "gin-0", "--target", "label", "--out", run, *FAST, "--json")
    assert done.returncode == 0, done.stderr
    done = partwhole("predict", run, "MUTAG", "--out", out)
    assert done.returncode == 0, done.stderr
    assert len(out.read_text().splitlines()) == 189


def test_the_command_alone_shows_its_help():
    done, helped = partwhole(), partwhole("--help")
    assert (done.returncode, done.stdout, done.stderr) == (0, helped.stdout, "")
    assert "\n  fit  " in done.stdout


def test_the_version():
    import partwhole as package

    done = partwhole("--version")
    assert (done.returncode, done.stdout) == (0, f"partwhole {package.__version__}\n")
    assert "__version__" in dir(package)


def test_warnings_are_notes_of_one_line(run, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("smiles,y\nCCO,1.5\nCCN,2.5\nCCCC,3.5\nCCCO,4.5\n")
    arguments = ["--method", "ridge", "--target", "y", "--option", f"vectors={run}"]
    done = partwhole("fit", table, "--out", tmp_path / "ridge", *arguments)
    assert done.returncode == 0, done.stderr
    notes = [line for line in done.stderr.splitlines() if "never saw" in line]
    assert notes
    assert all(line.startswith("note: The model never saw the ") for line in notes)
    assert "Warning" not in done.stderr
    assert ".py" not in done.stderr


def test_overwrite_leaves_nothing_of_the_run_before(tmp_path):
    table, out = tmp_path / "table.csv", tmp_path / "run"
    table.write_text("smiles\nCCO\nCCN\nCC(\nCCCC\n")
    assert partwhole("fit", table, "--out", out, *FAST).returncode == 0
    (out / "report.html").write_text("of before")
    again = ["fit", table, "--out", out, *FAST, "--epochs", "1", "--overwrite"]
    assert partwhole(*again).returncode == 0
    assert (out / "left_out.csv").exists()  # that of the new run
    assert not (out / "report.html").exists()
    assert [file.name for file in (out / "snapshots").iterdir()] == ["epoch-00000.safetensors"]
    table.write_text("smiles\nCCO\nCCN\nCCCC\n")
    assert partwhole(*again).returncode == 0
    assert not (out / "left_out.csv").exists()


def test_a_plug_in_that_is_not_there_is_told_with_the_cure(tmp_path):
    sentence = refused("fit", "MUTAG", "--out", tmp_path / "run", "--generator", "qqq")
    assert "Unknown generator 'qqq'. Known: autoregressive, multi-head, tree-split." in sentence
    assert "One of your own has to be imported first" in sentence
