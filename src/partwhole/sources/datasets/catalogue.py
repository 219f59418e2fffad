"""The data sets known by name, and where each is found.

Looked up in this order: `$PARTWHOLE_DATA` (`tu/NAME.zip`, `moleculenet/NAME.csv`), an installed package that
carries the set, the cache, the public download. The content is compared with a known checksum each time, so
that a cut or altered file never goes unnoticed.
"""

from __future__ import annotations

import importlib.util
import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from partwhole.errors import DataUnavailable, PartwholeError, near_miss
from partwhole.files.whole import atomic_file, require_inside
from partwhole.graphs.store import GraphStore
from partwhole.sources.datasets import moleculenet
from partwhole.sources.datasets.motifs import make_motif_graphs
from partwhole.sources.readers import qm9
from partwhole.sources.readers.tu import read_tu

PUBLIC_DOWNLOAD = "https://www.chrsmrrs.com/graphkerneldatasets"
MOST_BYTES = 2**30  # of a download


@dataclass(frozen=True)
class Dataset:
    """A TU set: what it is and the checksum of its content (`GraphStore.digest`)."""

    about: str
    graphs: int
    digest: str


DATASETS = {
    "MUTAG": Dataset(
        "nitro compounds; mutagenic or not",
        188,
        "40c550df518149b0dd50791200e66f15af29db50b828754ff99653b523ce83dd",
    ),
    "PTC_MR": Dataset(
        "compounds; carcinogenic to male rats or not",
        344,
        "7e755b29615b99528e6fba380f64349b109effe111b3c8e1904d79c50b1667d9",
    ),
    "IMDB-BINARY": Dataset(
        "actors around one actor; genre",
        1000,
        "276820949fa9eb1c5478bd5c7dec301f1c72d18aba18224c2132551ba317cc29",
    ),
    "IMDB-MULTI": Dataset(
        "actors around one actor; genre",
        1500,
        "500b987f29b4127fea9959dd0317993b84e06d5d974eff95a8273a4cb000f854",
    ),
    "REDDIT-BINARY": Dataset(
        "discussion threads; kind of community",
        2000,
        "f8b32107a0921d4881069231ce2917fdd35fefe9973a18c08f5b1cfca5f1095d",
    ),
    "REDDIT-MULTI-5K": Dataset(
        "discussion threads; community",
        4999,
        "ce0074d6b99ab19e71436926749fdb9a954ba65b929e903d2094bde585f11117",
    ),
    "PROTEINS": Dataset(
        "proteins; enzyme or not", 1113, "59550788179360aaa44763ebe9b509abb4e3d68694ecc0764b9bfafb8e07e464"
    ),
    "NCI1": Dataset(
        "compounds; active against lung cancer or not",
        4110,
        "5eeee78fdd3df69b888585da4a6bd9d37c048e82d120201e5e397d596c4bf125",
    ),
}
MOTIFS, QM9 = "MOTIFS", "QM9"


def names() -> list[str]:
    """All known names, those of the paper's sets first."""
    return [*DATASETS, *moleculenet.SETS, QM9, MOTIFS]


def canonical(name: str) -> str | None:
    """The known name that this one means, with case and `-` or `_` as one likes."""

    def plain(text: str) -> str:
        return text.lower().replace("_", "-")

    return next((known for known in names() if plain(known) == plain(name)), None)


def knows(name: str) -> bool:
    """Whether `load` finds a set of this name."""
    return canonical(name) is not None or _own(name).is_file()


def _own(name: str) -> Path:
    """A TU set that is not in the list."""
    return _data_root() / "tu" / f"{name}.zip"


def load(name: str) -> GraphStore:
    """Read a data set by its name; a TU set of the user's own in `$PARTWHOLE_DATA/tu` too."""
    known = canonical(name)
    if known == MOTIFS:
        return make_motif_graphs()
    if known == QM9:
        return qm9.load(_data_root(), cache_folder())
    if known is None:
        own = _own(name)
        if own.is_file():
            return read_tu(require_inside(own, _data_root()))
        raise PartwholeError(
            f"There is no data set {name!r} and no file or folder of that name.{near_miss(name, names())}"
        )
    path = fetch(known)
    if known in moleculenet.SETS:
        return moleculenet.read(known, path)
    store = read_tu(path)
    if store.digest() != DATASETS[known].digest:
        if path.is_relative_to(cache_folder()):
            path.unlink()
        raise PartwholeError(
            f"The content of {path} is not that of {known}: it is cut short or altered; get it again, or "
            "give its path to use it as it is."
        )
    return store


def fetch(name: str) -> Path:
    """Where a known set lies on this machine, after a download if it must be."""
    return find(name) or _download(name)


def find(name: str) -> Path | None:
    """Where a known set lies on this machine; None when it would have to be downloaded."""
    if name == QM9:
        return qm9.find(_data_root())
    root, kept = _data_root(), cache_folder() / _kept_as(name)
    if name in moleculenet.SETS:
        places = [require_inside(root / _kept_as(name), root), kept]
        return next((place for place in places if place.exists()), None)
    places = [require_inside(root / "tu" / place, root) for place in (f"{name}.zip", name)]
    package = importlib.util.find_spec("grakel") if name == "MUTAG" else None
    if package and package.origin:
        places.append(Path(package.origin).parent / "tests" / "data" / "MUTAG")
    places.append(kept)
    return next((place for place in places if place.exists()), None)


def _data_root() -> Path:
    return Path(os.environ.get("PARTWHOLE_DATA") or "data")


def cache_folder() -> Path:
    """Where downloads and prepared sets are kept: `$XDG_CACHE_HOME/partwhole`."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "partwhole"


def _kept_as(name: str) -> Path:
    """Under the data root and in the cache."""
    if name in moleculenet.SETS:
        return Path("moleculenet") / moleculenet.SETS[name].file
    return Path("tu") / f"{name}.zip"


def _public(name: str) -> tuple[str, str]:
    """Where the set is to be had: a place, and the name of the file there."""
    if name in moleculenet.SETS:
        return moleculenet.PUBLIC_DOWNLOAD, moleculenet.SETS[name].public
    return PUBLIC_DOWNLOAD, f"{name}.zip"


def _download(name: str) -> Path:
    """Fetch a set into the cache. `PARTWHOLE_MIRROR` names another place that serves it."""
    kept, (place, file) = _kept_as(name), _public(name)
    base = os.environ.get("PARTWHOLE_MIRROR") or place
    try:
        with urllib.request.urlopen(f"{base.rstrip('/')}/{file}", timeout=30) as answer:
            content = answer.read(MOST_BYTES + 1)
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise DataUnavailable(
            f"{name} is not on this machine and the download failed ({reason}); put {kept.name} into a "
            f"folder {kept.parent}/ and set PARTWHOLE_DATA to the folder above it."
        ) from None
    if len(content) > MOST_BYTES:
        raise PartwholeError(f"The download of {name} is larger than {MOST_BYTES >> 20} MiB; stopped.")
    target = cache_folder() / kept
    with atomic_file(target) as temporary:
        temporary.write_bytes(content)
    return target
