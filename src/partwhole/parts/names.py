"""What chemists call a fragment that is cut out of a molecule, as canonical SMILES of RDKit."""

CHAINS = {
    "C": "single carbon",
    "CC": "two carbons of a chain",
    "CCC": "three carbons of a chain",
    "CCCC": "four carbons of a chain",
    "CC(C)C": "isobutyl",
    "CC(C)(C)C": "tert-butyl with its neighbour",
    "C=C": "double bond",
    "C=CC": "allyl",
    "C#C": "triple bond",
}
AROMATIC_PIECES = {
    "cc": "two aromatic carbons",
    "ccc": "three aromatic carbons",
    "cccc": "four aromatic carbons",
    "ccccc": "five aromatic carbons",
    "cc-cc": "four aromatic carbons of two rings",
    "cn": "aromatic carbon and nitrogen",
    "ccn": "aromatic carbons and nitrogen",
}
OXYGEN = {
    "O": "hydroxyl, ether or oxo",
    "[OH-]": "oxide",
    "CO": "carbon with oxygen",
    "CCO": "two carbons with oxygen",
    "COC": "ether",
    "OCO": "acetal",
    "C=O": "carbonyl",
    "O=CO": "carboxyl or ester",
    "NC(=O)O": "carbamate",
}
NITROGEN = {
    "N": "amine or other nitrogen",
    "CN": "carbon with nitrogen",
    "CCN": "two carbons with nitrogen",
    "NN": "two nitrogens",
    "C#N": "nitrile",
    "NC=O": "amide",
    "CNC=O": "amide",
    "NC(N)=O": "urea",
    "O=[NH+][O-]": "nitro",
    "O=NO": "nitro",  # where the graph tells no charges
    "[NH3+][O-]": "N-oxide, or a half of nitro",
}
SULPHUR_AND_PHOSPHORUS = {
    "S": "thiol, thioether or other sulphur",
    "CS": "carbon with sulphur",
    "O=S=O": "sulphonyl",
    "N[SH](=O)=O": "sulphonamide",
    "P": "phosphorus",
    "O[PH](O)=S": "thiophosphate",
    "O=[PH](O)O": "phosphate",
}
HALOGENS = {
    "F": "fluorine",
    "Cl": "chlorine",
    "Br": "bromine",
    "I": "iodine",
    "FC(F)F": "trifluoromethyl",
}
RINGS = {
    "c1ccccc1": "benzene ring",
    "c1ccc(-c2ccccc2)cc1": "biphenyl",
    "c1ccc2ccccc2c1": "naphthalene",
    "c1ccncc1": "pyridine ring",
    "c1cncnc1": "pyrimidine ring",
    "c1ccsc1": "thiophene ring",
    "c1ccoc1": "furan ring",
    "C1CC1": "cyclopropane ring",
    "C1CCCC1": "cyclopentane ring",
    "C1CCCCC1": "cyclohexane ring",
    "C1CCNC1": "pyrrolidine ring",
    "C1CCNCC1": "piperidine ring",
    "C1CNCCN1": "piperazine ring",
    "C1COCCN1": "morpholine ring",
    "C1CCOC1": "tetrahydrofuran ring",
}
NAMES = CHAINS | AROMATIC_PIECES | OXYGEN | NITROGEN | SULPHUR_AND_PHOSPHORUS | HALOGENS | RINGS


def name_of(form: str) -> str:
    """The name of a fragment where there is one, else the form itself."""
    return NAMES.get(form, form)
