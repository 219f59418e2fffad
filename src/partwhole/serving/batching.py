"""Graphs that wait at the same time, of whichever requests, are answered by one pass over all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")


class BatchQueue(Generic[Q, A]):
    """`answer(questions)` runs in one thread, with all questions that wait for it, at most `most`."""

    def __init__(self, answer: Callable[[list[Q]], list[A]], most: int):
        self.answer, self.most = answer, most
        self.questions: asyncio.Queue[tuple[Q, asyncio.Future[A]]] = asyncio.Queue()
        self.thread = ThreadPoolExecutor(1)
        self.worker: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to answer, in the loop that runs."""
        self.worker = asyncio.create_task(self._work())

    def stop(self) -> None:
        """End without answering those that still wait."""
        if self.worker is not None:
            self.worker.cancel()
        self.thread.shutdown(wait=False, cancel_futures=True)

    async def ask(self, question: Q) -> A:
        """The answer, or the error that this question alone gives."""
        future: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self.questions.put_nowait((question, future))
        return await future

    async def _work(self) -> None:
        while True:
            pairs = [await self.questions.get()]
            while len(pairs) < self.most and not self.questions.empty():
                pairs.append(self.questions.get_nowait())
            await self._answer(pairs)

    async def _answer(self, pairs: list[tuple[Q, asyncio.Future[A]]]) -> None:
        """In one pass. A question that cannot be answered must not spoil the others: halves are tried until
        it is alone."""
        pairs = [(question, future) for question, future in pairs if not future.done()]  # others gave up
        if not pairs:
            return
        questions, futures = zip(*pairs)
        loop = asyncio.get_running_loop()
        try:
            answers = await loop.run_in_executor(self.thread, self.answer, list(questions))
        except Exception as error:
            if len(pairs) > 1:
                half = len(pairs) // 2
                await self._answer(pairs[:half])
                await self._answer(pairs[half:])
            elif not futures[0].done():
                futures[0].set_exception(error)
            return
        for future, answer in zip(futures, answers, strict=True):
            if not future.done():
                future.set_result(answer)
