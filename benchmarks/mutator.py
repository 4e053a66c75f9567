"""The mutations of a Python file: one operator, number, condition or statement at a time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
ARITHMETIC = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
}
SWAPPED_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutation:
    """One change of one file."""

    file: str
    line: int
    before: str
    """The line as it is."""
    after: str
    """The line as it becomes."""
    source: str
    """The whole changed file."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What an explanation names it by: line numbers change, lines seldom do."""
        return self.file, self.before, self.after

    def __str__(self) -> str:
        return f"{self.file}:{self.line}\n    - {self.before}\n    + {self.after}"


class Mutator:
    """All mutations of one file: changes inside functions, never in texts or annotations, nor in
    what no input can reach: assertions, which narrow types, and the strictness of `zip`."""

    def __init__(self, file: str, source: str) -> None:
        self.file, self.source = file, source
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def mutations(self) -> list[Mutation]:
        found: dict[tuple[int, str], Mutation] = {}
        for start, end, new in self._changes():
            made = self.source[:start] + new + self.source[end:]
            try:
                ast.parse(made)
            except SyntaxError:
                continue
            mutation = self._mutation(start, made)
            if mutation.before != mutation.after:
                found.setdefault((start, new), mutation)
        return list(found.values())

    def _mutation(self, start: int, made: str) -> Mutation:
        line = self.source.count("\n", 0, start)
        after = made.splitlines()[line]
        return Mutation(self.file, line + 1, self._lines[line].strip(), after.strip(), made)

    def _changes(self) -> Iterator[tuple[int, int, str]]:
        for node in ast.walk(ast.parse(self.source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for statement in node.body:
                    yield from self._of(statement)

    def _of(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        """Changes of a node and all below it, as (start, end, new text)."""
        if isinstance(
            node, ast.JoinedStr | ast.FunctionDef | ast.AsyncFunctionDef | ast.Import | ast.Assert
        ) or (isinstance(node, ast.keyword) and node.arg == "strict"):
            return
        if isinstance(node, ast.Raise):
            yield self._whole(node, "pass")
            return
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                yield from self._of(node.value)
            return
        yield from self._own(node)
        for child in ast.iter_child_nodes(node):
            yield from self._of(child)

    def _own(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                old, new = COMPARISONS[type(op)]
                yield from self._between(left, right, old, new)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
                if not (_is_text(left) or _is_text(right)):
                    yield from self._between(left, right, *ARITHMETIC[type(op)])
            case ast.BoolOp(op=op, values=[first, second, *_]):
                words = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                yield from self._between(first, second, *words)
            case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
                start, end = self._span(node)
                yield start, end, self._text(operand)
            case ast.Constant(value=bool() as value):
                yield self._whole(node, str(not value))
            case ast.Constant(value=int() as value):
                yield self._whole(node, str(value + 1))
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield self._whole(test, f"(not ({self._text(test)}))")
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Break() | ast.Continue():
                # Without its free variable `__class__`, the code would not fit the live function.
                yield self._whole(node, "__class__" if "super()" in self._text(node) else "pass")
            case ast.Call(func=ast.Name(id=name) as func) if name in SWAPPED_CALLS:
                yield self._whole(func, SWAPPED_CALLS[name])

    def _between(
        self, left: ast.AST, right: ast.AST, old: str, new: str
    ) -> Iterator[tuple[int, int, str]]:
        start, end = self._span(left)[1], self._span(right)[0]
        at = self.source.find(old, start, end)
        if at >= 0:
            yield at, at + len(old), new

    def _whole(self, node: ast.AST, new: str) -> tuple[int, int, str]:
        return (*self._span(node), new)

    def _text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.source[start:end]

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._at(node.lineno, node.col_offset),
            self._at(node.end_lineno, node.end_col_offset),
        )

    def _at(self, line: int, column: int) -> int:
        """The place of a byte column of a line in the text."""
        text = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(text)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
