"""A table of molecules in which some values are missing: predict them, and say how far to trust it.

    python examples/molecules_few_labels.py                          # 26 liquids, 23 boiling points
    python examples/molecules_few_labels.py my_table.csv my_column   # your own

Several models together, beside the mean as the simplest guess and a linear model on Morgan counts.
Extra needed: molecules.
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

from partwhole import PropertyRegressor, load_graphs
from partwhole.registry import METHODS

table, column = sys.argv[1:3] or (Path(__file__).with_name("molecules.csv"), "boiling_point")
molecules = load_graphs(table)
y = molecules.target(column)  # NaN where the table has a gap
known = ~np.isnan(y)

best = PropertyRegressor().fit(molecules, y, names=column)  # on vectors of the encoder in the package
checked = best.held_out_.guesses[0]  # each molecule by a model that did not see it
print(best.choice_[0])
errors = {"best": np.abs(checked.known - checked.predicted).mean()}
low, high = best.predict_interval(molecules)[:, 0].T
columns = {"id": molecules.ids.astype(str), column: pa.array(y, mask=~known)}
columns |= {"best": best.predict(molecules), "best_low": low, "best_high": high}

counted = METHODS.get("morgan")(counts=True).fit_transform(molecules)  # [molecules, 2048]
ridge = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 5, 15)))
for name, model in {"mean": DummyRegressor(), "morgan_counts": ridge}.items():
    folds = KFold(5, shuffle=True, random_state=0)
    errors[name] = np.abs(cross_val_predict(model, counted[known], y[known], cv=folds) - y[known]).mean()
    columns[name] = model.fit(counted[known], y[known]).predict(counted)

for name, error in errors.items():
    print(f"{name:20} mean absolute error {error:6.2f} on {known.sum()} molecules held out")
if min(errors, key=errors.__getitem__) == "mean":
    print("No model is better than the mean: these labels are too few to predict from.")

csv.write_csv(pa.table(columns), "predicted.csv")
print("Wrote predicted.csv: the known values, and beside them what each model says of every molecule.")
