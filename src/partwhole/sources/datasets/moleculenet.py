"""Five sets of MoleculeNet: tables of molecules with a measured property."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from partwhole.errors import PartwholeError
from partwhole.files.whole import open_unpacked
from partwhole.graphs.store import GraphStore
from partwhole.sources.readers.molecule_table import MoleculeTable
from partwhole.sources.reading import Reading

PUBLIC_DOWNLOAD = "https://deepchemdata.s3-us-west-1.amazonaws.com/datasets"


@dataclass(frozen=True)
class PropertySet:
    """A set of MoleculeNet: what is measured, and the checksum of its file."""

    about: str
    graphs: int  # that RDKit can read; of BBBP 11 and of Tox21 8 more rows are no possible molecules
    targets: tuple[str, ...]
    unit: str  # of numbers; empty: classes
    file: str
    public: str  # the name of the file in the public download
    sha256: str  # of the unpacked file


SETS = {
    "ESOL": PropertySet(
        "solubility in water",
        1128,
        ("measured log solubility in mols per litre",),
        "log mol/l",
        "ESOL.csv",
        "delaney-processed.csv",
        "8c06a76f0c6487d29ab0f903e6a7a7139f189ab3c1178f159c8be8964602f189",
    ),
    "FreeSolv": PropertySet(
        "free energy of hydration",
        642,
        ("expt",),
        "kcal/mol",
        "FreeSolv.csv",
        "SAMPL.csv",
        "ab5895d914ee87cb563bd7b9611e869527bba45bec6b014d34dc495a0f9dcb72",
    ),
    "Lipophilicity": PropertySet(
        "distribution between octanol and water",
        4200,
        ("exp",),
        "logD",
        "Lipophilicity.csv",
        "Lipophilicity.csv",
        "aed41590cb30609d51d8e08ad3ff06495a76e80e211358801f596b10da69bacd",
    ),
    "BBBP": PropertySet(
        "passes the blood-brain barrier or not",
        2039,
        ("p_np",),
        "",
        "BBBP.csv",
        "BBBP.csv",
        "d07a38487aeac5cee5508413e468043ef3097451d2a112701c2d60be9ec6b662",
    ),
    "Tox21": PropertySet(
        "twelve assays of toxicity, with gaps",
        7823,
        (
            *("NR-AR", "NR-AR-LBD", "NR-AhR", "NR-Aromatase", "NR-ER", "NR-ER-LBD", "NR-PPAR-gamma"),
            *("SR-ARE", "SR-ATAD5", "SR-HSE", "SR-MMP", "SR-p53"),
        ),
        "",
        "Tox21.csv.gz",
        "tox21.csv.gz",
        "7d7e7facd853a63e79ddce4e9c3fcb7a0d83a1c300b603031c0f2c64fbe77761",
    ),
}


def read(name: str, path: Path) -> GraphStore:
    """Read the molecules that are possible ones; the content is compared with a known checksum."""
    with open_unpacked(path) as file:
        found = hashlib.sha256(file.read()).hexdigest()
    if found != SETS[name].sha256:
        raise PartwholeError(
            f"The content of {path} is not that of {name}: it is cut short or altered; get it again, or give "
            "its path to use it as it is."
        )
    return MoleculeTable.read(path, Reading(strict=False))
