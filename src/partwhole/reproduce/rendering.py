"""Any table as a sheet of text: for the terminal, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence

from partwhole.reproduce.accuracy_sheet import accuracy_sheet
from partwhole.reproduce.cells import Plan
from partwhole.reproduce.journal import Record
from partwhole.reproduce.property_cells import PropertyCell
from partwhole.reproduce.property_sheet import property_sheet
from partwhole.reproduce.share_cells import ShareCell
from partwhole.reproduce.share_sheet import share_sheet
from partwhole.reproduce.sheet import Sheet, finished
from partwhole.reproduce.tables import Table
from partwhole.reproduce.target_cells import TargetCell
from partwhole.reproduce.target_sheet import target_sheet

SHEETS_OF_LABELLED = {TargetCell: target_sheet, ShareCell: share_sheet, PropertyCell: property_sheet}


def render(table: Table, plan: Plan, records: Sequence[Record]) -> Sheet:
    """Show the table as far as its cells are finished."""
    if table.cell_class in SHEETS_OF_LABELLED:
        return SHEETS_OF_LABELLED[table.cell_class](table, plan, finished(plan, records))
    return accuracy_sheet(table, plan, records)
