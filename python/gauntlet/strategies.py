# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies for the sizes of a spec: they shrink, as check's own draws do."""
import ast
import re
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple, Union

from gauntlet._program import GauntletError
from gauntlet._spec_text import statements, text_of

try:
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError("gauntlet.strategies needs Hypothesis: pip install hypothesis") from error

# Sizes that a spec need not state (docs/own_kernels.md).
_usual = {"n": "0..4096", "rows": "1..64", "columns": "1..1024"}


def sizes(spec: Union[str, Path]) -> "st.SearchStrategy[Dict[str, int]]":
    """Dictionaries of the spec's free sizes, and of `block` where the launch draws it, that its
    `require` accepts: `@given(gauntlet.strategies.sizes("my_sum.gauntlet"))`."""
    lines = statements(text_of(spec))
    free = {found[1]: _domain(found[2]) for one in lines if (found := re.match(r"size\s+(\w+)\s*=\s*(.+)", one))}
    made = [(found[1], _expression(found[2])) for one in lines if (found := re.match(r"let\s+(\w+)\s*=\s*(.+)", one))]
    words = set(re.findall(r"[A-Za-z_]\w*", "\n".join(one for one in lines if not one.startswith(("kernel", "flags")))))
    free.update({name: _domain(usual) for name, usual in _usual.items()
                 if name in words and name not in free and name not in dict(made)})
    required = [one.split(None, 1)[1] for one in lines if one.startswith("require")]
    contract = [_expression(one) for one in required]
    block = re.search(r"\bblock=(\d+)\.\.(\d+)", "\n".join(one for one in lines if one.startswith("launch")))
    if block and "block" not in free:
        # A multiple of 32 is one in 32: Hypothesis would give up before it has drawn enough of them.
        of_block = [_expression(one) for one in required if set(re.findall(r"[A-Za-z_]\w*", one)) == {"block"}]
        free["block"] = st.sampled_from([
            size for size in range(int(block[1]), int(block[2]) + 1) if all(one({"block": size}) for one in of_block)])

    def accepted(drawn: Dict[str, int]) -> bool:
        known = dict(drawn)
        for name, value in made:
            known[name] = value(known)
        return all(condition(known) for condition in contract)

    return st.fixed_dictionaries(free).filter(accepted)


def _domain(text: str) -> "st.SearchStrategy[int]":
    bounds = re.fullmatch(r"\s*(\d+)\s*\.\.\s*(\d+)\s*", text)
    if bounds:
        return st.integers(int(bounds[1]), int(bounds[2]))
    if not re.fullmatch(r"\s*\d+(?:\s*,\s*\d+)*\s*", text):
        raise GauntletError(f"size ... = {text}: write FIRST..LAST or a list of numbers")
    return st.sampled_from([int(one) for one in text.split(",")])


def _expression(text: str) -> Callable[[Dict[str, int]], Any]:
    """C's integers in Python: of sizes, which are not negative. What it does not know is refused."""
    python = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
    try:
        tree = ast.parse(python.strip(), mode="eval").body
    except SyntaxError as error:
        raise GauntletError(f"'{text}' cannot be read here; give the sizes by hand") from error
    return lambda known: _value(tree, known, text)


def _value(node: ast.expr, known: Dict[str, int], text: str) -> Any:
    def of(one: ast.expr) -> Any:
        return _value(one, known, text)

    operators: Dict[Any, Callable[[int, int], Any]] = {
        ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
        ast.Div: lambda a, b: a // b, ast.Mod: lambda a, b: a % b, ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b,
        ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b}
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, ast.BoolOp):
        some = (of(one) for one in node.values)
        return all(some) if isinstance(node.op, ast.And) else any(some)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        return not of(node.operand) if isinstance(node.op, ast.Not) else -of(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in operators:
        return operators[type(node.op)](of(node.left), of(node.right))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in operators:
        return operators[type(node.ops[0])](of(node.left), of(node.comparators[0]))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        name, given = node.func.id, node.args
        if name == "ceil" and len(given) == 1 and isinstance(given[0], ast.BinOp) and isinstance(given[0].op, ast.Div):
            return -(-of(given[0].left) // of(given[0].right))
        functions: Dict[str, Tuple[int, Callable[..., Any]]] = {
            "min": (2, min), "max": (2, max), "abs": (1, abs), "log2": (1, lambda a: a.bit_length() - 1)}
        if name in functions and len(given) == functions[name][0]:
            return functions[name][1](*map(of, given))
    raise GauntletError(f"'{text}' cannot be computed here; give the sizes by hand")
