# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Expressions of an instance as text, with what is known at compile time folded away."""

import re
from dataclasses import dataclass
from typing import Any

from tree import attributes, body, children, params, type_of

ALIASES = {"i8": "signed char", "u8": "unsigned char", "i16": "short", "u16": "unsigned short",
           "i32": "int", "u32": "unsigned", "i64": "long long", "u64": "unsigned long long",
           "f16": "__half", "bf16": "__nv_bfloat16", "f32": "float", "f64": "double"}
SIZES = {"bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2,
         "unsigned short": 2, "int": 4, "unsigned": 4, "float": 4, "long long": 8,
         "unsigned long long": 8, "size_t": 8, "long": 8, "double": 8, "uint4": 16}
INTEGERS = {"int": (32, True), "unsigned": (32, False), "unsigned short": (16, False),
            "long long": (64, True), "unsigned long long": (64, False),
            "size_t": (64, False), "bool": (1, False)}
PRECEDENCE = {"*": 5, "/": 5, "%": 5, "+": 6, "-": 6, "<<": 7, ">>": 7, "<": 9, "<=": 9, ">": 9,
              ">=": 9, "==": 10, "!=": 10, "&": 11, "^": 12, "|": 13, "&&": 14, "||": 15, "=": 16}
ATOM, UNARY, CONDITIONAL = 0, 3, 16
#: Template parameters that stay a name in the text: the documents' own constant.
BLOCK = {"block_size": "block_size", "thread_count": "block_size"}


#: Class templates that were spelled, with their argument.
STRUCTS = set()
#: Types that functions declare for themselves: Cell -> volatile float.
LOCAL = {}


class Unknown(Exception):
    """Something that this tool does not print."""


@dataclass
class Text:
    """`value`: known at compile time. `named`: it stems from the block size, which keeps its name."""
    text: str
    prec: int = ATOM
    value: Any = None
    named: bool = False
    #: An identifier, a literal, threadIdx.x: it may stand in the place of a parameter.
    simple: bool = False

    def within(self, prec):
        return "(%s)" % self.text if self.prec > prec else self.text


def plain(qualified):
    """A type as CUDA spells it."""
    for name, meant in LOCAL.items():
        qualified = re.sub(r"\b%s\b" % name, meant, qualified)
    t = re.sub(r"(gauntlet::)?(device::)?\b(%s)\b" % "|".join(ALIASES),
               lambda m: ALIASES[m[3]] if "device::" in m[0] or not m[1] else m[0], qualified)
    t = re.sub(r"gauntlet::device::", "", t)
    STRUCTS.update(re.findall(r"\b(Vectors?|Payload)<([^<>]*)>", t))
    t = re.sub(r"\b(Vectors?|Payload)<[^<>]*>", r"\1", t)
    t = t.replace("unsigned int", "unsigned").replace("VolatileHalf", "volatile __half")
    return re.sub(r"\bunsigned long(?! long)", "size_t", t).strip()


def bare(qualified):
    """Without const, volatile and references."""
    return re.sub(r"\b(const|volatile)\b|&", "", plain(qualified)).strip()


def wrapped(value, kind):
    if isinstance(value, bool) and kind != "bool":
        value = int(value)
    if kind not in INTEGERS or not isinstance(value, (int, bool)):
        return value
    bits, signed = INTEGERS[kind]
    if kind == "bool":
        return bool(value)
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def literal(value, kind):
    if isinstance(value, bool):
        return Text("true" if value else "false", value=value, simple=True)
    if kind == "float":
        return Text("%sf" % float(value), value=value, simple=True)
    if kind == "double":
        return Text(repr(float(value)), value=value, simple=True)
    if kind == "unsigned" and value >= 1 << 31:
        return Text("0x%xu" % value, value=value, simple=True)
    text = str(value) + ("ull" if kind == "unsigned long long" and value > 1 << 31 else "")
    return Text(text, UNARY if value < 0 else ATOM, value, simple=True)


class Expressions:
    """Needs of its heir: tree, env (id -> Text), used (lines that were read), call(node)."""

    def expr(self, node):
        kind = node["kind"]
        if "range" in node and "offset" in node["range"].get("begin", {}):
            self.read(node)
        handler = getattr(self, "on_" + kind, None)
        if handler is None:
            raise Unknown("%s in %s" % (kind, self.tree.path))
        return handler(node)

    def _inner(self, node):
        return self.expr(children(node)[-1])

    on_ParenExpr = _inner
    on_ExprWithCleanups = on_MaterializeTemporaryExpr = on_ConstantExpr = _inner
    on_CXXBindTemporaryExpr = _inner

    def on_SubstNonTypeTemplateParmExpr(self, node):
        inner = self._inner(node)
        name = children(node)[0].get("name", "")
        if name in BLOCK and inner.value:
            return Text(BLOCK[name], value=inner.value, named=True, simple=True)
        return inner

    def on_ImplicitCastExpr(self, node):
        inner, kind = self._inner(node), node.get("castKind")
        target = bare(type_of(node))
        if inner.value is not None and kind in ("IntegralCast", "IntegralToBoolean"):
            inner = Text(inner.text, inner.prec, wrapped(inner.value, target), inner.named,
                         inner.simple)
        return inner

    def on_IntegerLiteral(self, node):
        value = int(node["value"])
        text = self.tree.source(node)
        if not re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*", text):
            return literal(value, bare(type_of(node)))
        return Text(text, value=value, simple=True)

    def on_CXXBoolLiteralExpr(self, node):
        return literal(bool(node["value"]), "bool")

    def on_FloatingLiteral(self, node):
        return literal(float(node["value"]), bare(type_of(node)))

    def on_UnaryExprOrTypeTraitExpr(self, node):
        what = node.get("argType") or children(node)[0]["type"]
        name = bare(what.get("desugaredQualType", what["qualType"]))
        if node["name"] != "sizeof" or name not in SIZES:
            raise Unknown("%s of %s" % (node["name"], name))
        return literal(SIZES[name], "size_t")

    def on_DeclRefExpr(self, node):
        decl = node["referencedDecl"]
        known = self.env.get(decl["id"])
        if known is not None:
            return known
        full = self.tree.nodes.get(decl["id"], decl)
        if full["kind"] in ("VarDecl", "VarTemplateSpecializationDecl") and full.get("constexpr"):
            return self.constant(full)
        if full["kind"] == "EnumConstantDecl":
            return Text(full["name"])
        name = {"__nv_relaxed": "__NV_ATOMIC_RELAXED",
                "__nv_device": "__NV_THREAD_SCOPE_DEVICE"}.get(decl["name"], decl["name"])
        return Text(name, simple=True)

    def constant(self, decl):
        init = [n for n in children(decl) if "Attr" not in n["kind"] and "Template" not in n["kind"]]
        result = self.expr(init[-1])
        if result.value is None:
            return Text(decl["name"], simple=True)
        if result.named or result.simple:
            return result
        return literal(wrapped(result.value, bare(type_of(decl))), bare(type_of(decl)))

    def on_MemberExpr(self, node):
        base = self._inner(node)
        return Text(base.within(1) + ("->" if node.get("isArrow") else ".") + node["name"], 1,
                    simple=base.simple and not node.get("isArrow"))

    def on_ArraySubscriptExpr(self, node):
        array, index = map(self.expr, children(node))
        return Text("%s[%s]" % (array.within(1), index.text), 1)

    def on_UnaryOperator(self, node):
        inner, op = self._inner(node), node["opcode"]
        if op == "~" and inner.value is not None and inner.text.isalnum():
            return Text("~" + inner.text, UNARY, wrapped(~inner.value, bare(type_of(node))))
        if inner.value is not None and op in "!-~" and not (inner.named and op != "!"):
            value = {"!": lambda v: not v, "-": lambda v: -v, "~": lambda v: ~v}[op](inner.value)
            kind = bare(type_of(node))
            return literal(wrapped(value, kind), kind)
        if node.get("isPostfix"):
            return Text(inner.within(1) + op, 1)
        if op == "*" and inner.text.startswith("&") and inner.prec == UNARY:
            return Text(inner.text[1:], 1)
        return Text(op + inner.within(UNARY), UNARY)

    def on_BinaryOperator(self, node):
        op = node["opcode"]
        a, b = children(node)
        left = self.expr(a)
        kind = bare(type_of(node))
        if op in ("&&", "||"):
            decides = op == "||"
            if left.value is not None:
                return literal(decides, "bool") if bool(left.value) == decides else self.expr(b)
            right = self.expr(b)
            if right.value is not None:
                return literal(decides, "bool") if bool(right.value) == decides else left
        else:
            right = self.expr(b)
        if left.value is not None and right.value is not None and op != "=":
            zero = op in ("!=", "==", ">") and right.value == 0  # a block is never 0
            if not (left.named or right.named) or zero:
                return literal(wrapped(value_of(op, left.value, right.value), kind), kind)
            text = self.joined(op, left, right, a, b)
            text.value, text.named = wrapped(value_of(op, left.value, right.value), kind), True
            return text
        return self.joined(op, left, right, a, b)

    def joined(self, op, left, right, a, b):
        prec = PRECEDENCE[op]
        texts = [left.within(prec if op != "=" else prec - 1), right.within(prec - (op != "="))]
        # What is known is unsigned where its type is; a literal of it must say so beside an int.
        for this, that, k in ((left, (a, b), 0), (right, (b, a), 1)):
            if this.value is not None and re.fullmatch(r"\d+", this.text) and op in "+-*/%&":
                own, other = bare(type_of(that[0])), bare(type_of(strip(that[1])))
                if "unsigned" in own and other in ("int", "short"):
                    texts[k] += "u"
                if own == "unsigned long long" and SIZES.get(other, 8) < 8:
                    texts[k] += "ull"
        mixed = {">>", "<<", "&", "|", "^"}
        for k, t in enumerate((left, right)):  # parentheses that compilers ask for
            if t.prec in (6, 7, 11, 12, 13) and t.prec != prec and op in mixed | {"&&", "||"} and (
                    op in mixed) and not texts[k].startswith("("):
                texts[k] = "(%s)" % texts[k]
        return Text("%s %s %s" % (texts[0], op, texts[1]), prec)

    def on_CompoundAssignOperator(self, node):
        left, right = map(self.expr, children(node))
        return Text("%s %s %s" % (left.text, node["opcode"], right.text), 16)

    def on_ConditionalOperator(self, node):
        condition, then, other = children(node)
        test = self.expr(condition)
        if test.value is not None:
            return self.expr(then if test.value else other)
        self.unconditional += 1
        try:
            a, b = self.expr(then), self.expr(other)
        finally:
            self.unconditional -= 1
        return Text("%s ? %s : %s" % (test.within(15), a.within(15), b.within(16)), CONDITIONAL)

    def cast(self, node, spelling="static_cast"):
        inner = self._inner(node)
        target, source = plain(type_of(node)), plain(type_of(strip(children(node)[-1])))
        if bare(target) == bare(source) if "*" not in target else target == source:
            return inner
        if array_of(source) == target:
            return inner
        if inner.value is not None and not inner.named:
            value = inner.value
            if target in ("float", "double"):
                return literal(float(value), target)
            if target in INTEGERS:
                made = literal(wrapped(int(value), target), target)
                if target == "unsigned long long" and not made.text.endswith("ull"):
                    made.text += "ull"
                return made
        return Text("%s<%s>(%s)" % (spelling, target, inner.text), 1)

    def on_CXXStaticCastExpr(self, node):
        return self.cast(node)

    def on_CXXReinterpretCastExpr(self, node):
        return self.cast(node, "reinterpret_cast")

    def on_CXXConstCastExpr(self, node):
        return self.cast(node, "const_cast")

    on_CXXFunctionalCastExpr = on_CXXStaticCastExpr

    def on_InitListExpr(self, node):
        inner = children(node)
        kind = bare(type_of(node))
        if kind in SIZES and len(inner) == 1:
            value = self.expr(inner[0])
            if value.value is None and bare(type_of(strip(inner[0]))) != kind:
                return Text("static_cast<%s>(%s)" % (kind, value.text), 1)
            return literal(value.value, kind) if isinstance(value.value, int) and (
                kind in ("float", "double")) else value
        if not inner or all(n["kind"] == "ImplicitValueInitExpr" for n in inner):
            return Text("{}")
        return Text("{%s}" % ", ".join(self.expr(n).text for n in inner))

    def on_CXXConstructExpr(self, node):
        inner = [n for n in children(node) if n["kind"] != "CXXDefaultArgExpr"]
        return self.expr(inner[0]) if inner else Text("")

    def on_CXXDefaultArgExpr(self, node):
        return Text("")


def strip(node):
    while node["kind"] in ("ImplicitCastExpr", "ParenExpr", "ConstantExpr", "ExprWithCleanups",
                           "MaterializeTemporaryExpr"):
        node = children(node)[-1]
    return node


def array_of(source):
    """float[256] as a pointer."""
    found = re.fullmatch(r"(.*?)\s*\[\d*\]", source)
    return found[1] + " *" if found else None


def value_of(op, a, b):
    whole = isinstance(a, int) and isinstance(b, int)
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b,
            "/": lambda: a // b if whole else a / b, "%": lambda: a % b, "<<": lambda: a << b,
            ">>": lambda: a >> b, "&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b,
            "<": lambda: a < b, ">": lambda: a > b, "<=": lambda: a <= b, ">=": lambda: a >= b,
            "==": lambda: a == b, "!=": lambda: a != b}[op]()


def declared(kind, name, value=None):
    """`float a[4]`, `float (&w)[32]`, `const float* in = ...`."""
    array = re.match(r"^(.*?)\s*(\(&\))?\s*(\[[^\]]*\])$", kind)
    if array and array[2]:
        text = "%s (&%s)%s" % (array[1], name, array[3])
    elif array:
        text = "%s %s%s" % (array[1], name, array[3])
    else:
        text = "%s %s" % (kind, name)
    text = re.sub(r"\s*\*\s*", "* ", text)
    return text if not value else "%s = %s" % (text, value)
