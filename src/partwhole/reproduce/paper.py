"""The figures that the paper prints: accuracies in percent as (mean, ±), and the errors of Table 3."""

from __future__ import annotations

from partwhole.sources.datasets.qm9_files import TARGETS

Figures = dict[str, dict[str, tuple[float, float]]]  # row -> data set -> (mean, ±)

SIX = ("MUTAG", "PTC_MR", "IMDB-BINARY", "IMDB-MULTI", "REDDIT-BINARY", "REDDIT-MULTI-5K")


def _row(*figures: tuple[float, float] | None) -> dict[str, tuple[float, float]]:
    """None: the paper has a dash or nothing."""
    return {dataset: figure for dataset, figure in zip(SIX, figures) if figure is not None}


TABLE2: Figures = {
    "sp": _row((85.2, 2.4), (58.2, 2.4), (55.6, 0.2), (38.0, 0.3), (64.1, 0.3), (39.6, 0.2)),
    "gk": _row((81.7, 2.1), (57.3, 1.4), (65.9, 1.0), (43.9, 0.4), (77.3, 0.2), (41.0, 0.2)),
    "wl": _row((80.7, 3.0), (58.0, 0.5), (72.3, 3.4), (47.0, 0.5), (68.8, 0.4), (46.1, 0.2)),
    "rw": _row((83.7, 1.5), (57.9, 1.3), (50.7, 0.3), (34.7, 0.2)),
    "dgk": _row((87.4, 2.7), (60.1, 2.6), (67.0, 0.6), (44.6, 0.5), (78.0, 0.4), (41.3, 0.2)),
    "mlg": _row((87.9, 1.6), (63.3, 1.5), (66.6, 0.3), (41.2, 0.0)),
    "graphsage": _row((81.1, 7.6), (63.9, 7.7), (72.3, 5.3), (50.9, 2.2)),
    "gcn": _row((85.6, 5.8), (64.2, 4.3), (74.0, 3.4), (51.9, 3.8), (50.0, 0.0)),
    "gin-0": _row((89.4, 5.6), (64.6, 7.0), (75.1, 5.1), (52.3, 2.8), (92.5, 2.5), (57.5, 1.5)),
    "gin-eps": _row((89.0, 6.0), (63.7, 8.2), (74.3, 5.1), (52.1, 3.6), (92.2, 2.3), (57.0, 1.7)),
    "gat": _row((89.4, 6.1), (66.7, 5.1), (70.5, 2.3), (47.8, 3.1), (85.2, 3.3)),
    "node2vec": _row((72.6, 10.2), (58.6, 8.0)),
    "sub2vec": _row((61.6, 15.8), (60.0, 6.4), (55.3, 1.5), (36.7, 0.8), (71.5, 0.4), (36.7, 0.4)),
    "graph2vec": _row((83.2, 9.6), (60.2, 6.9), (71.1, 0.5), (50.4, 0.9), (75.8, 1.0), (47.9, 0.3)),
    "infograph": _row((89.0, 1.1), (61.7, 1.4), (73.0, 0.9), (49.7, 0.5), (82.5, 1.4), (53.5, 1.1)),
    "mvgrl": _row((89.2, 1.1), (62.5, 1.7), (74.2, 0.7), (51.2, 0.5), (84.5, 0.6)),
    "multi-head": _row((91.7, 1.1), (64.6, 0.6), (73.2, 0.7), (50.6, 0.4), (91.3, 0.6), (55.0, 0.5)),
    "tree-split": _row((91.8, 0.5), (65.8, 1.3), (73.3, 0.5), (50.5, 0.3), (90.5, 0.2), (55.2, 0.3)),
}
TABLE4: Figures = {
    "base-multi-head": _row((90.26, 0.42), (63.16, 1.25), (73.03, 0.54), (50.45, 0.12), (89.35, 0.63)),
    "base-neg-multi-head": _row((91.11, 1.29), (63.29, 1.11), (73.10, 0.54), (50.49, 0.30), (89.41, 0.32)),
    "multi-head": _row((91.70, 1.10), (64.63, 1.41), (73.20, 0.72), (50.63, 0.41), (91.38, 0.61)),
}
TABLE5: Figures = {
    "base-tree-split": _row((90.31, 0.92), (62.94, 0.76), (73.04, 0.48), (50.21, 0.13), (88.50, 0.85)),
    "base-neg-tree-split": _row((90.63, 0.69), (63.75, 1.28), (73.15, 0.32), (50.43, 0.43), (88.80, 1.10)),
    "tree-split": _row((91.80, 0.56), (65.86, 1.34), (73.32, 0.51), (50.52, 0.32), (90.55, 0.26)),
}

# Table 3: the mean absolute error of the supervised network, and the errors of the others over it. The
# paper has a supervised row of its own for the two InfoGraph rows.
SUPERVISED = "supervised"


def _errors(*figures: float) -> dict[str, float]:
    return dict(zip(TARGETS, figures, strict=True))


TABLE3 = {
    SUPERVISED: _errors(
        0.2581, 0.5358, 0.1589, 0.1572, 0.2312, 4.0730, 0.0099, 6.9030, 7.2901, 5.4350, 6.6210, 0.1988
    ),
    "mean-teacher": _errors(0.98, 0.93, 1.03, 0.97, 0.97, 0.47, 0.80, 0.61, 0.82, 1.09, 0.76, 0.85),
    "tree-split": _errors(0.89, 0.99, 0.96, 0.93, 0.99, 0.79, 0.91, 0.52, 0.54, 0.90, 0.75, 0.90),
    "multi-head": _errors(0.82, 0.96, 0.97, 0.94, 0.99, 0.74, 0.93, 0.80, 0.87, 0.91, 0.64, 0.89),
    "infograph": _errors(1.05, 1.02, 0.98, 0.96, 0.97, 0.88, 0.84, 1.03, 1.63, 1.67, 1.23, 0.84),
    "infograph-star": _errors(0.98, 1.12, 1.01, 0.99, 0.98, 1.07, 0.91, 1.07, 1.05, 1.11, 1.18, 0.99),
}
