"""A Ray cluster: one that is started here, or one that is there already."""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Self, TypeVar, TypeVarTuple

from partwhole.errors import PartwholeError
from partwhole.parallel.workers import LOCAL
from partwhole.parallel.workers.base import POLL, cores, limit_threads

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.remote_function import RemoteFunction

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

RETRIES = 5  # of a task whose process or machine is lost; an error of the task itself is final
SETTINGS = ("PARTWHOLE_DATA", "PARTWHOLE_MIRROR")  # the same on all machines


class RayCluster:
    """The machines of a Ray cluster, with this version of partwhole; each task has one core of one."""

    def __init__(self, address: str):
        self.address = address

    def __enter__(self) -> Self:
        self.ray = _ray()
        if ":" in self.address and not _answers(self.address):  # Ray would try for minutes
            raise self._nowhere("nothing answers")
        local = {"num_cpus": cores(), "include_dashboard": False} if self.address == LOCAL else {}
        settings = {name: os.environ[name] for name in SETTINGS if name in os.environ}
        try:
            self.ray.init(
                self.address,
                runtime_env={"env_vars": settings},
                log_to_driver=False,
                logging_level="ERROR",
                **local,
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise self._nowhere(str(error).splitlines()[0]) from None
        self.head = self.ray.get_runtime_context().gcs_address
        self.size = max(1, int(self.ray.cluster_resources().get("CPU", 1)))
        return self

    def __exit__(self, *reason: object) -> None:
        if _answers(self.head):  # leaving a cluster that is gone takes a minute and ends the process
            self.ray.shutdown()

    def results(self, function: Callable[[*Ts], T], tasks: Iterable[tuple[*Ts]]) -> Iterator[T | None]:
        """Give `function(*task)` as each is finished; None every `POLL` seconds in which nothing is."""
        remote = self._remote(function)
        pending = [remote.remote(*task) for task in tasks]
        while pending:
            self._require_head()
            finished, pending = self.ray.wait(pending, num_returns=1, timeout=POLL)
            for reference in finished:
                yield self._result(reference)
            if not finished:
                yield None

    def in_order(self, function: Callable[..., T], tasks: Iterable[tuple[object, ...]]) -> Iterator[T]:
        """Give `function(*task)` in the order of the tasks, of which twice as many as cores are begun ahead.

        A task may hold what `shared` gave in place of a value.
        """
        remote = self._remote(function)
        pending: deque[ObjectRef[T]] = deque()
        for task in tasks:
            pending.append(remote.remote(*task))
            if len(pending) > 2 * self.size:
                yield self._result(pending.popleft())
        while pending:
            yield self._result(pending.popleft())

    def shared(self, value: object) -> object:
        """A reference to a value that every task gets, which is sent once to each machine."""
        return self.ray.put(value)

    def _remote(self, function: Callable[..., T]) -> RemoteFunction:
        def alone(*task: object) -> T:
            limit_threads(1)
            return function(*task)

        return self.ray.remote(num_cpus=1, max_retries=RETRIES)(alone)

    def _result(self, reference: ObjectRef[T]) -> T:
        while True:
            self._require_head()
            try:
                return self.ray.get(reference, timeout=POLL)
            except self.ray.exceptions.GetTimeoutError:
                continue
            except self.ray.exceptions.RayTaskError as error:  # raised by the task itself
                raise error.cause if isinstance(error.cause, Exception) else error from None
            except self.ray.exceptions.LocalRayletDiedError:  # this machine's part of the cluster
                raise self._gone() from None
            except self.ray.exceptions.RayError as error:
                self._require_head()
                reason = str(error).splitlines()[0]
                raise PartwholeError(
                    f"A task was lost {RETRIES + 1} times ({reason}); look after the machines of the cluster "
                    "and run again: what is finished is kept."
                ) from None

    def _require_head(self) -> None:
        """Ray itself would wait for a minute and then end the process."""
        if not _answers(self.head):
            raise self._gone()

    def _nowhere(self, reason: str) -> PartwholeError:
        return PartwholeError(
            f"There is no Ray cluster at {self.address} ({reason}); start one with `ray start --head`, or "
            "leave the address out."
        )

    def _gone(self) -> PartwholeError:
        return PartwholeError(
            f"The Ray cluster at {self.head} is gone; start it again and run the same command: what is "
            "finished is kept."
        )


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=10):
            return True
    except OSError:
        return False


def _ray() -> ModuleType:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would tell its makers
    try:
        import ray
    except ImportError:
        raise PartwholeError(
            "A cluster needs Ray; install it with `pip install 'partwhole[scale]'`."
        ) from None
    return ray
