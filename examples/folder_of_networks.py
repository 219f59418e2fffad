"""A folder of networks without labels: which are alike, which is unusual, and a page to look at.

    python examples/folder_of_networks.py              # 91 networks, made up here
    python examples/folder_of_networks.py my_folder    # GraphML, GML, JSON or edge lists, one file a network

Extra needed: report.
"""

import subprocess
import sys
from pathlib import Path

import networkx as nx

from partwhole import SubgraphInfoMax, cluster_graphs, load_graphs, outlier_scores


def write_networks(folder: Path) -> Path:
    """Thirty teams around one person, thirty in a ring, thirty in a ring around one, and one in two camps."""
    folder.mkdir(parents=True, exist_ok=True)
    for size in range(8, 38):
        nx.write_graphml(nx.star_graph(size), folder / f"star-{size}.graphml")
        nx.write_graphml(nx.cycle_graph(size), folder / f"ring-{size}.graphml")
        nx.write_graphml(nx.wheel_graph(size), folder / f"wheel-{size}.graphml")
    nx.write_graphml(nx.barbell_graph(10, 5), folder / "two-camps.graphml")
    return folder


folder = Path(sys.argv[1]) if sys.argv[1:] else write_networks(Path("runs/teams"))
networks = load_graphs(folder)
model = SubgraphInfoMax(epochs=10, random_state=0).fit(networks)
vectors = model.transform(networks)  # [networks, 128]
print(f"{len(networks)} networks, vectors {vectors.shape}")

clusters = cluster_graphs(vectors)  # the number of clusters is found
print(f"{len(clusters.sizes)} clusters, {clusters.verdict}")
for size, rows in zip(clusters.sizes, clusters.closest(4)):
    print(f"  {size:3} networks such as {', '.join(networks.ids[rows])}")

scores, ranks = outlier_scores(vectors)
for row in ranks.argsort()[:3]:
    print(f"unusual, rank {ranks[row]}: {networks.ids[row]}, {scores[row]:.1f} times as far as is usual")

model.save("runs/networks", overwrite=True)
subprocess.run([sys.executable, "-m", "partwhole", "report", "runs/networks", str(folder)], check=True)
