"""No address from outside goes to a redirect but through `own_address`: Django's takes a text for a view's name first.

An expression is from outside where it begins with what a request says: its fields, headers and path. What stands
behind a beginning of ours (`f"{reverse(...)}?{request.GET.urlencode()}"`) leads nowhere else.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# {name of what redirects: which argument is the address}
REDIRECTS = {"redirect": 0, "go": 1, "HttpResponseRedirect": 0, "HttpResponsePermanentRedirect": 0}
HEADERS = {"Location", "HX-Redirect", "HX-Location"}
WORDS = (*(f"{name}(" for name in REDIRECTS), *(f'"{name}"' for name in HEADERS), *(f"'{name}'" for name in HEADERS))
OF_A_REQUEST = {"GET", "POST", "headers", "META", "COOKIES", "path", "path_info", "body"}
# What gives its first argument back, in parts or in another form.
PASSED_ON = {"text_param", "str", "unquote", "urlsplit", "urlparse", "iri_to_uri"}
CHECK = "own_address"


class SourceTexts(dict):
    """{module: its OutsideTexts}, read where they are asked for."""

    def __init__(self, sources: dict[str, str]) -> None:
        self.sources = sources

    def __missing__(self, name: str) -> OutsideTexts:
        self[name] = OutsideTexts(ast.parse(self.sources[name]), self)
        return self[name]

    def lines(self) -> dict[str, list[int]]:
        """Return {module: its lines that redirect to a text from outside}, of those that have any."""
        redirecting = [name for name, source in self.sources.items() if any(word in source for word in WORDS)]
        return {name: lines for name in redirecting if (lines := self[name].lines())}


class OutsideTexts:
    """Which expressions of a module begin with what a request says; `others` has the modules that it imports from."""

    def __init__(self, tree: ast.Module, others: SourceTexts) -> None:
        self.others = others
        self.functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        self.calls = [
            (function, node)
            for function in self.functions.values()
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ]
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        self.imported = {one.asname or one.name: (node.module, one.name) for node in imports for one in node.names}
        self.asked: set[tuple[str, ...]] = set()

    def lines(self) -> list[int]:
        """Return the lines that redirect to a text from outside."""
        places = self.functions.values()
        return sorted({line for place in places for line, to in redirected(place) if self.begins(to, place)})

    def begins(self, node: ast.expr | None, inside: ast.AST) -> bool:
        """Return whether the expression in this function (or module) begins with a text from outside."""
        match node:
            case ast.Attribute(value=ast.Name(id="request"), attr=name):
                return name in OF_A_REQUEST
            case ast.Call(func=ast.Name(id=name), args=args):
                if name in PASSED_ON:
                    return bool(args) and self.begins(args[0], inside)
                return name != CHECK and self.returns(name)
            case ast.Call(func=ast.Attribute(value=value)) | ast.Attribute(value=value) | ast.Subscript(value=value):
                return self.begins(value, inside)
            case ast.JoinedStr(values=[first, *_]) | ast.BinOp(left=first) | ast.FormattedValue(value=first):
                return self.begins(first, inside)
            case ast.BoolOp(values=several):
                return any(self.begins(one, inside) for one in several)
            case ast.IfExp(body=one, orelse=other):
                return self.begins(one, inside) or self.begins(other, inside)
            case ast.NamedExpr(value=value):
                return self.begins(value, inside)
            case ast.Name(id=name):
                return self._is_outside(name, inside)
        return False

    def returns(self, name: str) -> bool:
        """Return whether a function, of this module or imported, returns such a text."""
        if name not in self.functions:
            module, original = self.imported.get(name, ("", ""))
            return module in self.others.sources and self.others[module].returns(original)
        function = self.functions[name]
        returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
        return self._once(("returns", name), lambda: any(self.begins(value, function) for value in returned))

    def _is_outside(self, name: str, inside: ast.AST) -> bool:
        """Whether a name has such a text, by an assignment or as an argument of a call in this module."""
        values = [(value, inside) for value in _assigned(name, inside)]
        if isinstance(inside, ast.FunctionDef):
            values += self._arguments(name, inside)
        key = ("name", name, getattr(inside, "name", ""))
        return self._once(key, lambda: any(self.begins(value, place) for value, place in values))

    def _arguments(self, name: str, function: ast.FunctionDef):
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        for caller, call in self.calls:
            if call.func.id == function.name:
                given = dict(zip(names, call.args, strict=False))
                given |= {word.arg: word.value for word in call.keywords if word.arg}
                yield from [(given[name], caller)] if name in given else []

    def _once(self, key, answer) -> bool:
        if key in self.asked:
            return False
        self.asked.add(key)
        try:
            return answer()
        finally:
            self.asked.discard(key)


def _assigned(name: str, inside: ast.AST):
    for node in ast.walk(inside):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _parts(name, target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                yield from _parts(name, target, value)


def _parts(name: str, target: ast.expr, value: ast.expr):
    match target, value:
        case ast.Name(id=assigned), _ if assigned == name:
            yield value
        case ast.Tuple(elts=targets), ast.Tuple(elts=values):
            for one, other in zip(targets, values, strict=False):
                yield from _parts(name, one, other)


def redirected(function: ast.AST):
    """Yield (line, expression) of all addresses that a function redirects to."""
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in REDIRECTS:
                to = [word.value for word in node.keywords if word.arg in ("to", "redirect_to")]
                yield from ((node.lineno, one) for one in [*args[REDIRECTS[name] :][:1], *to])
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant) and key.value in HEADERS:
                        yield node.lineno, value
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=header))], value=value):
                if header in HEADERS:
                    yield node.lineno, value


@pytest.mark.slow
def test_redirects_to_texts_from_outside_are_checked():
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in (ROOT / "dashboard").rglob("*.py")
    }
    assert SourceTexts({name: path.read_text(encoding="utf-8") for name, path in paths.items()}).lines() == {}


@pytest.mark.parametrize(
    "body",
    [
        "return redirect(request.POST['next'])",
        "return redirect(request.GET.get('next') or '/')",
        "return go(request, text_param(request.POST, 'back', 9).strip())",
        "back = request.POST.get('next', '')\n    return HttpResponseRedirect(redirect_to=back)",
        "if (to := request.headers.get('Referer')):\n        return redirect(to)",
        "to, n = request.GET['to'], 1\n    return redirect(f'{to}?n={n}')",
        "return redirect(_back(request))",
        "return redirect(there(request))",
        "return _lead(request.GET['to'])",
        "return redirect(request.path + '?page=2')",
        "answer = HttpResponse()\n    answer['HX-Redirect'] = request.POST['next']\n    return answer",
        "return HttpResponse(headers={'HX-Redirect': _back(request)})",
        "return redirect(str(request.GET['to']) if request.GET else '/')",
    ],
)
def test_a_text_from_outside_is_seen(body):
    assert list(SourceTexts(_sources(body)).lines()) == ["views"]


@pytest.mark.parametrize(
    "body",
    [
        "return redirect('accounts:root')",
        "return redirect(own_address(request, request.POST['next'], '/'))",
        "return redirect(f\"{reverse('a')}?{request.GET.urlencode()}\")",
        "return redirect(page.url(request.GET['tab']))",
        "return redirect('runs:list', slug=request.GET['slug'])",
        "return redirect(address_of(request.GET['q']))",
    ],
)
def test_an_address_of_ours_is_not(body):
    assert SourceTexts(_sources(body)).lines() == {}


def _sources(body: str) -> dict[str, str]:
    before = [
        "from places import there",
        "def _back(request):\n    return request.POST['next']",
        "def _lead(to):\n    return redirect(to)",
    ]
    views = "\n\n\n".join([*before, f"def view(request):\n    {body}"])
    return {"views": f"{views}\n", "places": "def there(request):\n    return request.headers['Referer']\n"}
