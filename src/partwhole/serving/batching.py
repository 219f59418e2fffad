"""Requests that come at the same time are answered by one pass over all their graphs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")


class BatchQueue(Generic[Q, A]):
    """`answer(questions)` runs in one thread, with all questions that wait when it is free."""

    def __init__(self, answer: Callable[[list[Q]], list[A]], most: int):
        self.answer, self.most = answer, most
        self.questions: asyncio.Queue[tuple[Q, asyncio.Future[A]]] = asyncio.Queue()
        self.thread = ThreadPoolExecutor(1)
        self.worker: asyncio.Task[None] | None = None

    def start(self) -> None:
        self.worker = asyncio.create_task(self._work())

    def stop(self) -> None:
        if self.worker is not None:
            self.worker.cancel()
        self.thread.shutdown(wait=False, cancel_futures=True)

    async def ask(self, question: Q) -> A:
        future: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self.questions.put_nowait((question, future))
        return await future

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            pairs = [await self.questions.get()]
            while len(pairs) < self.most and not self.questions.empty():
                pairs.append(self.questions.get_nowait())
            pairs = [(question, future) for question, future in pairs if not future.done()]  # given up
            if not pairs:
                continue
            try:
                answers = await loop.run_in_executor(self.thread, self.answer, [q for q, _ in pairs])
            except Exception:  # of one of them; the others must not suffer for it
                await self._one_by_one(pairs)
                continue
            for (_, future), answer in zip(pairs, answers, strict=True):
                if not future.done():
                    future.set_result(answer)

    async def _one_by_one(self, pairs: list[tuple[Q, asyncio.Future[A]]]) -> None:
        loop = asyncio.get_running_loop()
        for question, future in pairs:
            try:
                (answer,) = await loop.run_in_executor(self.thread, self.answer, [question])
            except Exception as error:  # told to the one who asked
                if not future.done():
                    future.set_exception(error)
            else:
                if not future.done():
                    future.set_result(answer)
