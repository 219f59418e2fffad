"""A table of molecules in which some values are missing: predict them, and say how far to trust it.

    python examples/molecules_few_labels.py                          # 26 liquids, 23 boiling points
    python examples/molecules_few_labels.py my_table.csv my_column   # your own

Two kinds of vectors under the same linear model, the mean as the simplest guess. Extra needed: molecules.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from partwhole import load_graphs, load_pretrained
from partwhole.registry import METHODS

table, column = sys.argv[1:3] or (Path(__file__).with_name("molecules.csv"), "boiling_point")
molecules = load_graphs(table)
y = molecules.target(column)  # NaN where the table has a gap
known = ~np.isnan(y)

ridge = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 5, 15)))
encoded = load_pretrained("molecules").transform(molecules)  # [molecules, 128], learned without labels
counted = METHODS.get("morgan")(counts=True).fit_transform(molecules)  # [molecules, 2048]
tried = {
    "mean": (DummyRegressor(), counted),
    "morgan_counts": (ridge, counted),
    "pretrained_vectors": (ridge, encoded),
}

errors, columns = {}, {"id": molecules.ids.astype(str), column: pa.array(y, mask=~known)}
for name, (model, vectors) in tried.items():
    folds = KFold(5, shuffle=True, random_state=0)  # a molecule is predicted by a model that did not see it
    errors[name] = np.abs(cross_val_predict(model, vectors[known], y[known], cv=folds) - y[known]).mean()
    columns[name] = model.fit(vectors[known], y[known]).predict(vectors)
    print(f"{name:20} mean absolute error {errors[name]:6.2f} on {known.sum()} molecules held out")
if min(errors, key=errors.__getitem__) == "mean":
    print("No model is better than the mean: these labels are too few to predict from.")

csv.write_csv(pa.table(columns), "predicted.csv")
print("Wrote predicted.csv: the known values, and beside them what each model says of every molecule.")
