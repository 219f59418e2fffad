"""How training went: the curves of a run, each with what it shows."""

from __future__ import annotations

from partwhole.estimators.base import AnyEstimator
from partwhole.losses.head_tail import knowing_all, knowing_nothing
from partwhole.views.plots import CaptionedPlot, History, curves, information_curve

LOSSES = {"loss": "loss", "supervised": "from labels", "unsupervised": "without labels, before its weight"}


def training_plots(estimator: AnyEstimator) -> list[CaptionedPlot]:
    """The curves that the run logged; none for a method that is not trained epoch by epoch."""
    history = estimator.history_
    if not history:
        return []
    losses = {name: title for name, title in LOSSES.items() if name in history[-1]}
    plots = [CaptionedPlot(curves(history, losses), "Loss, which training lowers.")]
    if "validation" in history[-1]:
        text = "Error on labelled graphs that were held out, by which the epoch is chosen."
        plots.append(CaptionedPlot(curves(history, {"validation": "held out"}), text))
    if all("mutual_information" in row for row in history):
        plots.append(_information(estimator, history))
    if all("agreement" in row for row in history):
        figure = curves(history, {"agreement": "agreement"})
        figure.update_yaxes(type="linear", range=[0, 1.02])
        text = (
            "How far the network agrees with what can be said of graphs without learning: 1 where both find "
            "the same graphs alike. Training raises it."
        )
        plots.append(CaptionedPlot(figure, text))
    if "largest" in history[-1]:
        figure = curves(history, {"largest": "largest subgraph", "smallest": "smallest subgraph"})
        figure.update_yaxes(type="linear", dtick=0.2, range=[0, 1.02], tickformat=".0%")
        text = "Share of a graph's nodes in its largest and in its smallest subgraph, mean over graphs."
        plots.append(CaptionedPlot(figure, text))
    return plots


def _information(estimator: AnyEstimator, history: History) -> CaptionedPlot:
    name: str = estimator.about_["options"].get("estimator", "jsd")
    nothing, everything = knowing_nothing(name), knowing_all(name)
    last = history[-1]["mutual_information"]
    most = "" if everything is None else f" The most that there can be is {abs(everything):.3g}."
    if last > nothing:
        way = "" if everything is None else f", {(last - nothing) / (everything - nothing):.0%} of the way"
        meaning = f"At the end it is above{way}: what is compared tells about each other."
    else:
        meaning = (
            "At the end it is below: pairs are scored high or low with more confidence than is right; more "
            "epochs may help."
        )
    text = (
        f"Estimate of the mutual information ({name}) that training raises. On the dashed line nothing is "
        f"known: all pairs have the same score.{most} {meaning}"
    )
    return CaptionedPlot(information_curve(history, nothing), text)
