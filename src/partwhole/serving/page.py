"""The page and what it loads, from the package itself."""

from collections.abc import Callable
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from partwhole.serving.problems import problem

# Nothing from elsewhere and no script in what is shown; Plotly makes its shaders and styles as it goes.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:"
)
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": POLICY,
}

router = APIRouter(include_in_schema=False)


@router.get("/")
async def page() -> HTMLResponse:
    """The page itself, which asks the API for all that it shows."""
    return HTMLResponse(_file("serving", "page.html"), headers=SAFE)


@router.get("/assets/{name}")
async def asset(name: str) -> Response:
    """A style or script of the page; no other file of the machine can be asked for."""
    if name not in ASSETS:
        return problem(404, "There is no such file.")
    media_type, content = ASSETS[name]
    return Response(content(), media_type=media_type, headers=SAFE | {"Cache-Control": "max-age=3600"})


def _file(package: str, name: str) -> str:
    return files(f"partwhole.{package}").joinpath(name).read_text()


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


ASSETS: dict[str, tuple[str, Callable[[], str]]] = {
    "style.css": ("text/css", lambda: _file("views", "style.css") + _file("serving", "page.css")),
    "map.js": ("text/javascript", lambda: _file("views", "map.js")),
    "page.js": ("text/javascript", lambda: _file("serving", "page.js")),
    "plotly.js": ("text/javascript", _plotly),
}
