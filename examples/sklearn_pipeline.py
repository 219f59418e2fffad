"""Graphs in scikit-learn: a pipeline, a cross-validated score, and a search over options.

    python examples/sklearn_pipeline.py

MUTAG comes with the extra kernels, so nothing is downloaded.
"""

from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from partwhole import SubgraphInfoMax, load_graphs

graphs = load_graphs("MUTAG")  # 188 molecules; a list of PyTorch Geometric or networkx graphs does as well
pipeline = Pipeline(
    [
        (
            "vectors",
            SubgraphInfoMax(epochs=3, random_state=0),
        ),  # learns from the training folds, without labels
        ("scale", StandardScaler()),
        ("classes", SVC()),
    ]
)
folds = StratifiedKFold(3, shuffle=True, random_state=0)

scores = cross_val_score(pipeline, graphs, graphs.labels, cv=folds)
print(f"accuracy {scores.mean():.3f} ± {scores.std():.3f} over 3 folds")

options = {"vectors__recipe": ["best", "paper"], "classes__C": [1, 10]}
search = GridSearchCV(pipeline, options, cv=folds).fit(graphs, graphs.labels)
# The search has looked at these very folds: its score is flattering, the one above is not.
print(f"best of {len(search.cv_results_['params'])}: {search.best_params_}, {search.best_score_:.3f}")
print("classes of the first three:", search.predict(graphs[:3]))
