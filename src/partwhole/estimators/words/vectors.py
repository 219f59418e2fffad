"""Vectors of words and of documents, by gensim, with one worker so that a seed decides everything."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError

LONGEST = 10_000  # words that gensim takes of a sentence; the rest would be dropped
NEGATIVE = 5  # words drawn against each one


def word2vec(sentences: Iterable[Sequence[str]], width: int, window: int, epochs: int, seed: int) -> Any:
    """Skip-gram with negative sampling; every word counts, however rare."""
    gensim = _gensim()
    require_words(sentences)
    return gensim.models.Word2Vec(
        sentences,
        vector_size=width,
        window=window,
        sg=1,
        negative=NEGATIVE,
        min_count=1,
        sample=0,
        workers=1,
        epochs=epochs,
        seed=seed,
    )


def require_words(texts: Iterable[Sequence[str]]) -> None:
    """Raise where no text has a word."""
    if not any(len(text) for text in texts):
        raise PartwholeError("These graphs have no nodes, so there are no words to learn from; give others.")


class DocumentVectors:
    """Paragraph vectors: `bag` predicts the words of a document by its vector alone (PV-DBOW); otherwise
    by its vector and the words around (PV-DM)."""

    def __init__(self, width: int, epochs: int, seed: int, *, bag: bool, window: int = 5):
        self.width, self.epochs, self.seed, self.bag, self.window = width, epochs, seed, bag, window

    def _empty(self) -> Any:
        return _gensim().models.Doc2Vec(
            vector_size=self.width,
            window=self.window,
            dm=0 if self.bag else 1,
            negative=NEGATIVE,
            min_count=1,
            sample=0,
            workers=1,
            epochs=self.epochs,
            seed=self.seed,
        )

    def fit(self, documents: Sequence[Sequence[str]]) -> DocumentVectors:
        """Learn from the words of each document."""
        require_words(documents)
        tagged = _gensim().models.doc2vec.TaggedDocument
        texts = [tagged(part, [k]) for k, words in enumerate(documents) for part in _parts(words)]
        self.model = self._empty()
        self.model.build_vocab(texts)
        self.model.train(texts, total_examples=len(texts), epochs=self.epochs)
        return self

    def infer(self, words: Sequence[str]) -> np.ndarray:
        """The vector of a document, which depends on its words and the seed alone."""
        from gensim.models.doc2vec import train_document_dbow, train_document_dm

        model = self.model
        known = [word for word in words if word in model.wv.key_to_index]
        random = np.random.default_rng(self.seed)
        model.random = np.random.RandomState(self.seed)  # draws the words against
        vector = ((random.random((1, self.width)) - 0.5) / self.width).astype(np.float32)
        place, work = [0], np.zeros(self.width, np.float32)
        given = {"learn_words": False, "learn_hidden": False, "doctag_vectors": vector}
        given["doctags_lockf"] = np.ones(1, np.float32)
        for alpha in np.linspace(model.alpha, model.min_alpha, self.epochs):
            for part in _parts(known):
                if self.bag:
                    train_document_dbow(model, part, place, alpha, work, **given)
                else:
                    train_document_dm(model, part, place, alpha, work, np.zeros_like(work), **given)
        return vector[0]

    def arrays(self) -> dict[str, np.ndarray]:
        """What `infer` needs, by words in the order of `words`."""
        wv = self.model.wv
        counts = np.array([wv.get_vecattr(word, "count") for word in wv.index_to_key])
        return {
            "words": np.array([int(word, 16) for word in wv.index_to_key], np.uint64).view(np.int64),
            "counts": counts.astype(np.int64),
            "vectors": wv.vectors,
            "outputs": self.model.syn1neg,
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> DocumentVectors:
        """Take back what `arrays` gave."""
        names = [spelled(word) for word in arrays["words"].view(np.uint64)]
        self.model = self._empty()
        self.model.build_vocab_from_freq(dict(zip(names, arrays["counts"].tolist())))
        wv = self.model.wv  # both orders are by falling counts, but equally frequent words may have moved
        wv.index_to_key, wv.key_to_index = names, {name: k for k, name in enumerate(names)}
        wv.vectors[:], self.model.syn1neg[:] = arrays["vectors"], arrays["outputs"]
        return self


def spelled(word: int | np.integer) -> str:
    """A number as a word."""
    return f"{int(word):x}"


def spelled_all(words: np.ndarray) -> np.ndarray:
    """uint64 -> text, each different word made once."""
    different, place = np.unique(words, return_inverse=True)
    return np.array([spelled(word) for word in different], dtype=object)[place.ravel()]


def _parts(words: Sequence[str]) -> list[Sequence[str]]:
    return [words[start : start + LONGEST] for start in range(0, len(words), LONGEST)]


def _gensim() -> Any:
    try:
        import gensim
    except ImportError:
        raise PartwholeError(
            "Word vectors need gensim; install it with `pip install 'partwhole[words]'`."
        ) from None
    logging.getLogger("gensim").setLevel(logging.ERROR)
    return gensim
