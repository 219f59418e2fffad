"""The run folder: configuration, metrics, weights, snapshots and the state to resume from.

Tensors are safetensors, all else TOML and JSON: loading never executes anything. Every file is
replaced as a whole, so a run that is killed resumes from the last whole state.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tomli_w
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from partwhole.errors import PartwholeError
from partwhole.files.toml import read_toml
from partwhole.files.whole import atomic_file, read_json, told_when_unwritable

FORMAT = 1


class RunFolder:
    """A folder that holds one fitted (or half-fitted) model."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self.config_file = self.path / "config.toml"
        self.metrics_file = self.path / "metrics.jsonl"
        self.weights_file = self.path / "model.safetensors"
        self.state_file = self.path / "resume.safetensors"
        self.best_file = self.path / "best.safetensors"
        self.held_out_file = self.path / "held_out.csv"  # predictions for labelled graphs not learned from
        self.landmarks_file = self.path / "landmarks.safetensors"
        self.vocabulary_file = self.path / "vocabulary.safetensors"  # types of parts
        self.snapshot_folder = self.path / "snapshots"
        self.failed_folder = self.path / "failed_batch"  # a graph store
        self.report_file = self.path / "report.html"
        self.left_out_file = self.path / "left_out.csv"  # graphs that could not be read

    def exists(self) -> bool:
        """Whether the folder holds a run, finished or not."""
        return self.config_file.exists()

    def clear(self, keep: Iterable[str] = ()) -> None:
        """Remove the files of a run, but for those named in `keep`; anything else in the folder stays."""
        learned = (self.config_file, self.metrics_file, self.weights_file, self.best_file, self.state_file)
        told = (self.report_file, self.left_out_file, self.held_out_file)
        beside = (self.landmarks_file, self.vocabulary_file)
        with told_when_unwritable(self.path):
            for file in (*learned, *told, *beside, *map(self._snapshot_file, self.snapshot_epochs())):
                if file.name not in keep:
                    file.unlink(missing_ok=True)
        shutil.rmtree(self.failed_folder, ignore_errors=True)

    def _snapshot_file(self, epoch: int) -> Path:
        return self.snapshot_folder / f"epoch-{epoch:05d}.safetensors"

    # ---------------------------------------------------------------- configuration

    def write_config(self, content: Mapping[str, Any]) -> None:
        """Write how the model comes about."""
        with atomic_file(self.config_file) as temporary:
            temporary.write_text(tomli_w.dumps({"format": FORMAT, **content}))

    def read_config(self) -> dict[str, Any]:
        """How the model came about."""
        if not self.exists():
            raise PartwholeError(f"{self.path} holds no run; make one with `partwhole fit … --out`.")
        content = read_toml(self.config_file)
        if content.get("format") != FORMAT:
            raise PartwholeError(
                f"{self.path} was written in format {content.get('format')}, this version reads "
                f"{FORMAT}; fit again or use the version that wrote it."
            )
        return content

    # ---------------------------------------------------------------- weights

    def write_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Write what was learned in the end."""
        _write_tensors(self.weights_file, weights, {})

    def write_snapshot(self, epoch: int, weights: Mapping[str, Tensor]) -> None:
        """Write what was learned after so many epochs."""
        _write_tensors(self._snapshot_file(epoch), weights, {})

    def read_weights(self, epoch: int | None = None) -> dict[str, Tensor]:
        """The final weights, or those of a snapshot."""
        if epoch is None:
            if not self.weights_file.exists():
                raise PartwholeError(f"The run in {self.path} is not finished; continue it with `--resume`.")
            return _read_tensors(self.weights_file)[0]
        return _read_tensors(self._snapshot_file(epoch))[0]

    def write_best(self, weights: Mapping[str, Tensor]) -> None:
        """The weights of the epoch that validation likes best so far."""
        _write_tensors(self.best_file, weights, {})

    def read_best(self) -> dict[str, Tensor]:
        """The weights of the best epoch so far."""
        return _read_tensors(self.best_file)[0]

    def snapshot_epochs(self) -> list[int]:
        """The epochs that have a snapshot, in order."""
        files = self.snapshot_folder.glob("epoch-*.safetensors")
        return sorted(int(f.stem.removeprefix("epoch-")) for f in files)

    # ---------------------------------------------------------------- state to resume from

    def write_state(self, tensors: Mapping[str, Tensor], progress: Mapping[str, Any]) -> None:
        """Keep all that a fit goes on from in one file, so that it always agrees."""
        _write_tensors(self.state_file, tensors, {"progress": json.dumps(progress)})

    def read_state(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """What `write_state` kept last; None before the first time."""
        if not self.state_file.exists():
            return None
        tensors, metadata = _read_tensors(self.state_file)
        try:
            progress = read_json(metadata["progress"])
        except (KeyError, ValueError) as error:
            raise PartwholeError(f"{self.state_file} is damaged ({error}); fit again.") from None
        return tensors, progress

    # ---------------------------------------------------------------- metrics

    def append_metrics(self, row: Mapping[str, Any]) -> None:
        """Add the figures of an epoch."""
        with told_when_unwritable(self.metrics_file):
            self.path.mkdir(parents=True, exist_ok=True)
            with self.metrics_file.open("a") as file:
                file.write(json.dumps(row) + "\n")

    def read_metrics(self) -> list[dict[str, Any]]:
        """All whole lines; a line cut by a crash is passed over."""
        if not self.metrics_file.exists():
            return []
        rows = []
        for line in self.metrics_file.read_bytes().splitlines():
            try:
                row = read_json(line)
            except ValueError:
                continue
            if isinstance(row, dict) and isinstance(row.get("epoch"), int):
                rows.append(row)
        return rows

    def forget_after(self, epoch: int) -> None:
        """Drop metrics and snapshots of later epochs, which a resumed run makes again."""
        rows = [row for row in self.read_metrics() if row["epoch"] <= epoch]
        with atomic_file(self.metrics_file) as temporary:
            temporary.write_text("".join(json.dumps(row) + "\n" for row in rows))
        for later in self.snapshot_epochs():
            if later > epoch:
                self._snapshot_file(later).unlink()
        self.weights_file.unlink(missing_ok=True)


def load_weights(model: torch.nn.Module, weights: Mapping[str, Tensor], path: Path) -> None:
    """Put weights into a network; `path` is told where they do not fit."""
    try:
        model.load_state_dict(dict(weights))
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise PartwholeError(
            f"The weights in {path} are not those of the configuration beside them ({reason}); fit again."
        ) from None


def _write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> None:
    whole = {k: v.detach().cpu().contiguous() for k, v in tensors.items()}
    with atomic_file(path) as temporary:
        temporary.write_bytes(save(whole, {"format": str(FORMAT), **metadata}))


def _read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != str(FORMAT):
                raise PartwholeError(
                    f"{path} was written in format {metadata.get('format')}, this version reads {FORMAT}; "
                    "fit again or use the version that wrote it."
                )
            return {key: file.get_tensor(key) for key in file.keys()}, metadata
    except FileNotFoundError:
        raise PartwholeError(f"{path} is missing; fit again, or restore it.") from None
    except (SafetensorError, OSError) as error:
        raise PartwholeError(f"{path} is damaged or cut short ({error}); restore it or fit again.") from None
