"""How a number came about: the record of a cell, told in lines."""

from __future__ import annotations

from collections.abc import Sequence

from partwhole.errors import PartwholeError, near_miss
from partwhole.evaluation.classifiers import RBF
from partwhole.evaluation.protocols import LABEL_FREE, NETWORK, PROTOCOLS, choose
from partwhole.registry import METHODS
from partwhole.reproduce.cells import deciding_options, scores_of
from partwhole.reproduce.journal import Record


def find_record(key: str, records: Sequence[Record]) -> Record:
    """Find the newest record of a cell; a misspelt name is told with its near miss."""
    of_cell = [record for record in records if record["cell"] == key]
    if not of_cell:
        known = [record["cell"] for record in records]
        hint = near_miss(key, known) if known else " No cell is finished yet; run a table first."
        raise PartwholeError(f"There is no finished cell {key!r} (data set/method/epochs/run).{hint}")
    return of_cell[-1]


def explain(record: Record) -> str:
    """Tell in lines how the number of a cell came about, and how to obtain it again."""
    dataset, row, epochs, run = record["cell"].split("/")
    data, seconds, options = record["data"], record["seconds"], record["configuration"]
    defaults = deciding_options(METHODS.get(record["method"]).config_class())
    changed = {name: value for name, value in options.items() if value != defaults.get(name)}
    told = [
        f"{record['cell']}: method {record['method']} as {row!r} on {dataset}, {epochs} epochs, run {run}",
        "",
        f"data        {data['graphs']} graphs of {data['name']}, content {data['digest'][:12]}",
        f"options     {_pairs(options)}",
        f"            of these not the default: {_pairs(changed) or 'none'}",
        f"seed        {record['seed']}{_division(record)}",
    ]
    if record["training"]:
        first, last = record["training"]["first"], record["training"]["last"]
        told.append(
            f"training    loss {first['loss']:g} after the first epoch, {last['loss']:g} after the last"
        )
    told += [
        f"time        {seconds['training']:g} s training, {seconds['scoring']:g} s scoring, "
        f"{record['threads']} thread{'s' * (record['threads'] > 1)}; peak {record['peak_mib']} MiB",
        f"software    {_pairs(record['versions'])}",
        f"source      {record['revision']}; finished {record['finished']}",
    ]
    if "refused" in record:
        told += ["", f"refused: {record['refused']}"]
    elif "error" in record:
        told += _error(record)
    elif "accuracy" in record:
        told += ["", f"accuracy on the test graphs: {record['accuracy']:g} %"]
    else:
        told += _protocols(record)
    return "\n".join(told)


def _division(record: Record) -> str:
    if "split" in record:
        counts = [f"{n} {name.replace('_', ' ')}" for name, n in record["split"].items() if name != "seed"]
        return f"; graphs drawn by seed {record['split']['seed']}: {', '.join(counts)}"
    if "folds" not in record:  # refused
        return ""
    folds = record["folds"]
    return f"; folds: {folds['number']}, stratified, shuffled by seed {folds['seed']}"


def _error(record: Record) -> list[str]:
    """What a cell of Table 3 tells besides."""
    error, curve = record["error"], record["validation"]
    return [
        "",
        f"mean absolute error on the test molecules: {error['test']:g} {error['unit']}",
        f"  epoch {record['chosen']['epoch']}, the best on the molecules held out",
        "",
        "error on those by epoch, in standard deviations: "
        + "  ".join(f"{epoch}: {value:.3f}" for epoch, value in enumerate(curve, 1)),
    ]


def _protocols(record: Record) -> list[str]:
    """What a cell of accuracies tells besides."""
    told: list[str] = []
    scores = scores_of(record)
    for name in PROTOCOLS if "epochs" in record["configuration"] else [LABEL_FREE]:
        choice = choose(name, scores)
        if choice is None:
            told += ["", f"{name}: not scored in this cell"]
            continue
        among = f", best of {choice.among} on the test folds" if choice.among > 1 else ""
        told += [
            "",
            f"{name}: {choice.accuracy:.2f} %  ({choice.how(name)})",
            f"  epoch {choice.epoch}, {choice.classifier}{among}",
            f"  folds {'  '.join(f'{score:.1f}' for score in choice.scores[0])}",
        ]
    for classifier in (RBF, NETWORK):
        curve = {epoch: values.mean() for epoch, values in scores.get(classifier, {}).items()}
        if len(curve) > 2:
            by_epoch = "  ".join(f"{e}: {a:.1f}" for e, a in sorted(curve.items()))
            told += ["", f"{classifier} by epoch: {by_epoch}"]
    return told


def _pairs(values: dict[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())
