"""Writes types.world and grid.rql-test: every operator on every type, null and collection.

The expectations are computed here from the rules of the query language, independently of the
engine: nothing below reads its answers. Run in this folder: python3 grid.py
"""

import random
import re
from decimal import Decimal
from fractions import Fraction
import struct

RANDOM = random.Random(20)


def f32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


# A value is None, or a pair of a type and what it holds.
class V(tuple):
    __slots__ = ()

    def __new__(cls, kind, value):
        return tuple.__new__(cls, (kind, value))


INT, FLOAT, DOUBLE, DECIMAL = "int", "float", "double", "decimal"
NUMBERS = [INT, FLOAT, DOUBLE, DECIMAL]
OID = [bytes([0] * 11 + [1]), bytes([0xFF] + [0] * 11)]
UUID = [bytes([0] * 15 + [1]), bytes([0xFE] + [0] * 15)]
NAN = float("nan")


def i(x): return V("int", x)
def f(x): return V("float", f32(x))
def d(x): return V("double", x)
def c(x): return V("decimal", Decimal(x))
def s(x): return V("string", x)
def b(x): return V("data", x.encode())
def t(x, y): return V("date", (x, y))
def o(x): return V("objectID", OID[x])
def u(x): return V("uuid", UUID[x])
def tf(x): return V("bool", x)


# Five objects: for each type five required and five optional values.
SCALARS = {
    "bool": ([tf(False), tf(True), tf(True), tf(False), tf(True)],
             [tf(False), None, tf(True), None, tf(True)]),
    "int": ([i(-3), i(0), i(7), i(2), i(9007199254740993)],
            [i(7), None, i(-3), i(2), None]),
    "float": ([f(-1.5), f(0.1), f(2), f(0), f(7)], [f(2), f(NAN), None, f(0.1), None]),
    "double": ([d(-1.5), d(0.1), d(2.0), d(0.0), d(9007199254740992.0)],
               [d(2.0), d(NAN), None, d(0.1), None]),
    "decimal": ([c("-1.5"), c("0.1"), c("2"), c("0"), c("9007199254740993")],
                [c("2.00"), None, c("0.1"), None, c("-1.5")]),
    "string": ([s(""), s("a"), s("Ab"), s("åsa"), s("7")],
               [s("ab"), None, s(""), s("A"), None]),
    "data": ([b(""), b("a"), b("ab"), b("Ab"), b("b")], [b("ab"), None, b(""), b("a"), None]),
    "date": ([t(-1, -5), t(0, 0), t(5, 1), t(5, 0), t(0, -5)],
             [t(5, 1), None, t(0, 0), t(-1, -5), None]),
    "objectID": ([o(0), o(1), o(0), o(1), o(0)], [o(0), None, o(1), None, o(0)]),
    "uuid": ([u(0), u(1), u(0), u(1), u(0)], [u(0), None, u(1), None, u(0)]),
    "mixed": ([None, i(2), s("a"), d(2.5), tf(True)], None),
}

# The collections of the five objects, by places in the optional or required values.
SHAPES = [[0], [], [1, 2, 0], [3, 4], [2, 2, 4]]
MIXED_LISTS = [[i(2), s("a"), None], [], [d(2.0), b("a")], [s("A"), t(0, 0), tf(True)],
               [i(2), d(0.5)]]
KEYS = ["a", "b", "c"]

# Properties: name -> (type, is optional, collection, values of the objects).
PROPERTIES = {}


def order(x, y):
    """The order of two values in a test: -1, 0, 1, or None where they have none."""
    if x is None or y is None:
        return 0 if x is None and y is None else None
    if x[0] in NUMBERS and y[0] in NUMBERS:
        p, q = number(x, y[0] == DECIMAL), number(y, x[0] == DECIMAL)
        if p is None or q is None:
            return None
        return (p > q) - (p < q)
    if x[0] != y[0] or x[0] in ("list", "map"):
        return None
    p, q = x[1], y[1]
    if x[0] == "string":
        p, q = p.encode(), q.encode()
    return (p > q) - (p < q)


def number(value, as_decimal):
    kind, x = value
    if kind in (FLOAT, DOUBLE):
        if x != x:
            return None
        if x in (float("inf"), float("-inf")):
            return x
        if as_decimal:
            return Fraction(Decimal(("%.6e" if kind == FLOAT else "%.14e") % x))
    return Fraction(x)


RANKS = ["bool", "number", "string", "data", "date", "objectID", "uuid"]


def sort_key_compare(x, y):
    """The order of sorting, which is total."""
    def rank(v):
        if v is None:
            return -1
        return RANKS.index("number" if v[0] in NUMBERS else v[0])
    if rank(x) != rank(y):
        return (rank(x) > rank(y)) - (rank(x) < rank(y))
    found = order(x, y)
    if found is None:
        return (x[1] == x[1]) - (y[1] == y[1])
    return found


def sorted_values(values):
    import functools
    return sorted(values, key=functools.cmp_to_key(sort_key_compare))


def equal(x, y):
    return order(x, y) == 0


def holds(op, x, y):
    if op in ("==", "IN"):
        return equal(x, y)
    if op == "!=":
        return not equal(x, y)
    if op in ("<", "<=", ">", ">="):
        found = order(x, y)
        if found is None:
            return False
        return {"<": found < 0, "<=": found <= 0, ">": found > 0, ">=": found >= 0}[op]
    folds = op.endswith("[c]")
    if folds:
        op = op[:-3]
        if x is not None and x[0] == "string":
            x = s(x[1].lower())
        if y is not None and y[0] == "string":
            y = s(y[1].lower())
        if op in ("==", "!="):
            return holds(op, x, y)
    if x is None or y is None or x[0] != y[0] or x[0] not in ("string", "data"):
        return False
    text, pattern = x[1], y[1]
    if op == "BEGINSWITH":
        return text.startswith(pattern)
    if op == "ENDSWITH":
        return text.endswith(pattern)
    if op == "CONTAINS":
        return pattern in text
    if isinstance(text, bytes):
        text, pattern = text.decode("latin-1"), pattern.decode("latin-1")
    expression = "".join({"*": ".*", "?": "."}.get(x, re.escape(x)) for x in pattern)
    return re.fullmatch(expression, text, re.S) is not None


# Constants: text, value, whether infinite or NaN.
class Refused(Exception):
    pass


LITERALS = [
    ("TRUE", tf(True)), ("FALSE", tf(False)), ("0", i(0)), ("2", i(2)), ("-3", i(-3)),
    ("9007199254740993", i(9007199254740993)), ("2f", f(2)), ("0.1f", f(0.1)), ("2.0", d(2.0)),
    ("0.1", d(0.1)), ("2.5", d(2.5)), ("inf", d(float("inf"))), ("nan", d(NAN)), ("'a'", s("a")),
    ("'Ab'", s("Ab")), ("'7'", s("7")), ("''", s("")), ("bin('a')", b("a")), ("T0:0", t(0, 0)),
    ("T5:1", t(5, 1)), ("oid(000000000000000000000001)", o(0)),
    ("uuid(fe000000-0000-0000-0000-000000000000)", u(1)), ("NULL", None),
]


def coerce(text, value, kind):
    """The constant as it is compared with a property of a type; Refused where it is not."""
    if value is None or kind == "mixed":
        return value
    mine, x = value
    if mine in (FLOAT, DOUBLE) and (x != x or x in (float("inf"), float("-inf"))):
        if kind == INT or kind not in NUMBERS:
            raise Refused
        return value
    if mine == "string" and kind in NUMBERS:
        if not re.fullmatch(r"[+-]?\d+(\.\d+)?", x):
            raise Refused
        if kind == INT:
            return i(int(x))
        return {FLOAT: f, DOUBLE: d}[kind](float(x)) if kind != DECIMAL else c(x)
    if mine in NUMBERS and kind in NUMBERS:
        if kind == DECIMAL and mine in (FLOAT, DOUBLE):
            return c(text.rstrip("f"))
        if kind == FLOAT and mine == DOUBLE:
            return f(x)
        return value
    if mine != kind:
        raise Refused
    return value


ORDERED = ["<", "<=", ">", ">="]
TEXTS = ["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE"]


def check(op, kind, value):
    """Refuses what an operator does not take."""
    base = op[:-3] if op.endswith("[c]") else op
    if base in TEXTS:
        if kind not in ("string", "data", "mixed"):
            raise Refused
        if value is None or value[0] not in ("string", "data"):
            raise Refused
    if op.endswith("[c]"):
        if kind not in ("string", "mixed"):
            raise Refused
        if value is not None and value[0] != "string":
            raise Refused


def quantified(quantifier, values, test):
    if quantifier == "ALL":
        return all(test(x) for x in values)
    if quantifier == "NONE":
        return not any(test(x) for x in values)
    return any(test(x) for x in values)


LINES = []


def emit(query, rows):
    if rows is Refused:
        LINES.append(f"{query} ==> error:")
    else:
        LINES.append(f"{query} ==> {' '.join(str(row) for row in rows) or '-'}")


def rows(test):
    return [row + 1 for row in range(5) if test(row)]


def heading(text):
    LINES.extend(["", "# " + text])


def make_world():
    for kind, (required, optional) in SCALARS.items():
        PROPERTIES[kind] = (kind, kind == "mixed", "", required)
        if optional:
            PROPERTIES[kind + "Opt"] = (kind, True, "", optional)
        for suffix, values in [("", required), ("Opt", optional)]:
            if values is None:
                continue
            lists = [[values[place] for place in shape] for shape in SHAPES]
            if kind == "mixed":
                lists = MIXED_LISTS
            is_optional = suffix == "Opt" or kind == "mixed"
            PROPERTIES[kind + suffix + "List"] = (kind, is_optional, "list", lists)
            sets = []
            for one in lists:
                kept = []
                for value in one:
                    if not any(sort_key_compare(value, other) == 0 for other in kept):
                        kept.append(value)
                sets.append(sorted_values(kept))
            PROPERTIES[kind + suffix + "Set"] = (kind, is_optional, "set", sets)
            PROPERTIES[kind + suffix + "Map"] = (kind, is_optional, "map", lists)


def literal(value):
    if value is None:
        return "NULL"
    kind, x = value
    if kind == "bool":
        return "TRUE" if x else "FALSE"
    if kind == "int":
        return str(x)
    if kind == "float":
        return "nanf" if x != x else repr(x) + "f"
    if kind == "double":
        return "nan" if x != x else repr(x)
    if kind == "decimal":
        return f"dec({x})"
    if kind == "string":
        return f"'{x}'"
    if kind == "data":
        return f"bin('{x.decode()}')"
    if kind == "date":
        return f"T{x[0]}:{x[1]}"
    if kind == "objectID":
        return f"oid({x.hex()})"
    h = x.hex()
    return f"uuid({h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]})"


def write_world():
    out = ["# Written by grid.py: every type, optional or not, in a list, a set and a map.",
           "class T", "  _id int key"]
    for name, (kind, is_optional, collection, _) in PROPERTIES.items():
        optional = "?" if is_optional and kind != "mixed" else ""
        out.append(f"  {name} {kind}{optional} {collection}".rstrip())
    for row in range(5):
        out.append("object T")
        out.append(f"  _id = {row + 1}")
        for name, (kind, _, collection, values) in PROPERTIES.items():
            value = values[row]
            if collection == "list":
                text = "[" + ", ".join(literal(x) for x in value) + "]"
            elif collection == "set":
                text = "<" + ", ".join(literal(x) for x in value) + ">"
            elif collection == "map":
                text = "{" + ", ".join(
                    f"{KEYS[n]}: {literal(x)}" for n, x in enumerate(value)) + "}"
            else:
                text = literal(value)
            out.append(f"  {name} = {text}")
    with open("types.world", "w") as file:
        file.write("\n".join(out) + "\n")


def scalars():
    return [(name, p) for name, p in PROPERTIES.items() if p[2] == ""]


def collections():
    return [(name, p) for name, p in PROPERTIES.items() if p[2] != ""]


def constant_tests():
    heading("A property and a constant (3.1-3.4)")
    for name, (kind, _, _, values) in scalars():
        for text, value in LITERALS:
            try:
                fit = coerce(text, value, kind)
            except Refused:
                emit(f"{name} {RANDOM.choice(['==', '!=', '<', '>='])} {text}", Refused)
                continue
            if value is not None and kind in ("bool", "objectID", "uuid", "date", "data"):
                ops = ["==", "!="] + ORDERED
            else:
                ops = RANDOM.sample(["==", "!="] + ORDERED, 4)
            for op in ops:
                emit(f"{name} {op} {text}", rows(lambda row: holds(op, values[row], fit)))
        # The constant on the left.
        for text, value in RANDOM.sample(LITERALS, 4):
            try:
                fit = coerce(text, value, kind)
            except Refused:
                emit(f"{text} == {name}", Refused)
                continue
            op = RANDOM.choice(["==", "!="] + ORDERED)
            emit(f"NOT {text} {op} {name}", rows(lambda row: not holds(op, fit, values[row])))


def list_tests():
    heading("A property and a list of constants (3.7, 4.3)")
    for name, (kind, _, _, values) in scalars():
        for _ in range(4):
            chosen = RANDOM.sample(LITERALS, 3)
            fits = []
            bad = False
            for text, value in chosen:
                try:
                    fits.append(coerce(text, value, kind))
                except Refused:
                    # Elements of another type are left out; infinities are refused.
                    bad = bad or (value[0] == DOUBLE and (value[1] != value[1]
                                  or value[1] == float("inf")))
            texts = ", ".join(text for text, _ in chosen)
            quantifier = RANDOM.choice(["", "", "ANY ", "ALL ", "NONE "])
            if quantifier == "ALL " and len(fits) != 3:
                quantifier = "NONE "
            query = f"{name} IN {quantifier}{{{texts}}}"
            if bad:
                emit(query, Refused)
                continue
            emit(query, rows(lambda row: quantified(
                quantifier.strip(), fits, lambda y: holds("==", values[row], y))))
        for _ in range(3):
            op = RANDOM.choice(["==", "!="] + ORDERED)
            quantifier = RANDOM.choice(["", "ALL ", "NONE ", "ANY ", "SOME "])
            fitting = []
            for text, value in LITERALS:
                try:
                    fitting.append((text, coerce(text, value, kind)))
                except Refused:
                    pass
            chosen = RANDOM.sample(fitting, 2)
            texts = ", ".join(text for text, _ in chosen)
            emit(f"{name} {op} {quantifier}{{{texts}}}", rows(lambda row: quantified(
                quantifier.strip(), [y for _, y in chosen],
                lambda y: holds(op, values[row], y))))


def between_tests():
    heading("BETWEEN (3.6)")
    bounds = {
        "int": [("-3", i(-3)), ("2.5", d(2.5)), ("7", i(7))],
        "float": [("-1.5", f(-1.5)), ("0.1", f(0.1)), ("2", i(2))],
        "double": [("-2", i(-2)), ("0.1", d(0.1)), ("2.0", d(2.0))],
        "decimal": [("-1.5", c("-1.5")), ("0.1", c("0.1")), ("2", i(2))],
        "date": [("T-1:-5", t(-1, -5)), ("T0:0", t(0, 0)), ("T5:0", t(5, 0))],
        "string": [("''", s("")), ("'B'", s("B")), ("'b'", s("b"))],
        "mixed": [("0", i(0)), ("2.0", d(2.0)), ("9", i(9))],
    }
    for name, (kind, _, collection, values) in PROPERTIES.items():
        if kind not in bounds:
            continue
        (low, x), (high, y) = RANDOM.sample(bounds[kind], 2)

        def inside(value):
            return value is not None and holds(">=", value, x) and holds("<=", value, y)

        def below(value):
            return value is not None and holds(">=", value, x) and holds("<", value, y)
        if collection == "":
            emit(f"{name} BETWEEN {{{low}, {high}}}", rows(lambda row: inside(values[row])))
            emit(f"NOT {name} BETWEEN {{{low}, {high}}}",
                 rows(lambda row: not inside(values[row])))
            emit(f"{name} BETWEEN {{{low}, NULL}}", Refused)
            emit(f"{name} BETWEEN {{{low}, <{high}}}", rows(lambda row: below(values[row])))
        else:
            emit(f"ALL {name} BETWEEN {{{low}, {high}}}",
                 rows(lambda row: all(inside(v) for v in values[row])))
            quantifier = RANDOM.choice(["", "ANY ", "NONE "])
            emit(f"{quantifier}{name} BETWEEN {{{low}, {high}}}", rows(lambda row: quantified(
                quantifier.strip(), values[row], inside)))
            emit(f"{name} BETWEEN {{{low}, <{high}}}",
                 rows(lambda row: any(below(v) for v in values[row])))


def text_tests():
    heading("String operators (3.8)")
    patterns = [("''", s("")), ("'a'", s("a")), ("'A?'", s("A?")), ("'*'", s("*")),
                ("'?s*'", s("?s*")), ("bin('a')", b("a")), ("bin('b')", b("b")), ("NULL", None),
                ("7", i(7)), ("'AB'", s("AB"))]
    for name, (kind, _, collection, values) in PROPERTIES.items():
        is_text = kind in ("string", "data", "mixed")
        chosen = patterns if is_text and collection == "" else RANDOM.sample(patterns, 4)
        if not is_text:
            chosen = chosen[:1]
        for text, value in chosen:
            op = RANDOM.choice(TEXTS) + RANDOM.choice(["", "", "[c]"])
            if op.startswith("LIKE") and kind in ("data", "mixed") and value and value[0] == "data":
                op = "CONTAINS"
            quantifier = "" if collection == "" else RANDOM.choice(["", "ANY ", "ALL ", "NONE "])
            query = f"{quantifier}{name} {op} {text}"
            try:
                check(op, kind, value)
                fit = coerce(text, value, kind)
            except Refused:
                emit(query, Refused)
                continue
            emit(query, rows(lambda row: quantified(
                quantifier.strip(), values[row] if collection else [values[row]],
                lambda x: holds(op, x, fit))))
    for name, (kind, _, collection, values) in PROPERTIES.items():
        if kind != "string":
            continue
        for op in ["==[c]", "!=[c]"]:
            for text, value in [("'AB'", s("AB")), ("'ÅSA'", s("ÅSA")), ("NULL", None)]:
                quantifier = "" if collection == "" else RANDOM.choice(["", "ALL ", "NONE "])
                emit(f"{quantifier}{name} {op} {text}", rows(lambda row: quantified(
                    quantifier.strip(), values[row] if collection else [values[row]],
                    lambda x: holds(op, x, value))))


def collection_tests():
    heading("Quantifiers on collections (4.2)")
    for name, (kind, _, _, values) in collections():
        for _ in range(5):
            text, value = RANDOM.choice(LITERALS)
            op = RANDOM.choice(["==", "!="] + ORDERED)
            quantifier = RANDOM.choice(["", "ANY ", "SOME ", "ALL ", "NONE "])
            try:
                fit = coerce(text, value, kind)
            except Refused:
                emit(f"{quantifier}{name} {op} {text}", Refused)
                continue
            emit(f"{quantifier}{name} {op} {text}", rows(lambda row: quantified(
                quantifier.strip(), values[row], lambda x: holds(op, x, fit))))
        fitting = []
        for text, value in LITERALS:
            try:
                fitting.append((text, coerce(text, value, kind)))
            except Refused:
                pass
        # Both sides quantified, and neither: position by position.
        for _ in range(2):
            chosen = RANDOM.sample(fitting, 2)
            texts = ", ".join(text for text, _ in chosen)
            op = RANDOM.choice(["==", "!="] + ORDERED)
            left = RANDOM.choice(["ANY ", "ALL ", "NONE "])
            right = RANDOM.choice(["", "ANY ", "ALL ", "NONE "])
            emit(f"{left}{name} {op} {right}{{{texts}}}", rows(lambda row: quantified(
                left.strip(), values[row], lambda x: quantified(
                    right.strip(), [y for _, y in chosen], lambda y: holds(op, x, y)))))
        own = values[RANDOM.choice([0, 2, 3])]
        texts = ", ".join(literal(x) for x in own)
        if "dec(" in texts:
            texts = re.sub(r"dec\(([^)]*)\)", r"\1", texts)
        if "nan" not in texts:
            def same(row, op):
                return len(values[row]) == len(own) and all(
                    holds(op, x, y) for x, y in zip(values[row], own))
            emit(f"{name} == {{{texts}}}", rows(lambda row: same(row, "==")))
            emit(f"{name} != {{{texts}}}", rows(lambda row: not same(row, "==")))
            emit(f"{{{texts}}} IN {name}", rows(lambda row: any(
                equal(x, y) for x in values[row] for y in own)))
            emit(f"{name} <= {{{texts}}}", rows(lambda row: same(row, "<=")))


def size(value):
    if value is None or value[0] not in ("string", "data"):
        return None
    return i(len(value[1].encode() if value[0] == "string" else value[1]))


def count_tests():
    heading("Counts and lengths (4.6)")
    for name, (kind, _, collection, values) in PROPERTIES.items():
        spelling = RANDOM.choice([".@count", ".@size", "[SIZE]"])
        if collection:
            count = RANDOM.choice([0, 1, 2, 3])
            op = RANDOM.choice(["==", "!=", ">=", "<"])
            emit(f"{name}{spelling} {op} {count}",
                 rows(lambda row: holds(op, i(len(values[row])), i(count))))
            if collection != "map" and kind in ("string", "data", "mixed"):
                def lengths(row):
                    sizes = [size(x) for x in values[row]]
                    if kind == "mixed":
                        return [x for x in sizes if x is not None]
                    return [x or i(0) for x in sizes]
                for quantifier in ["", "ALL ", "NONE "]:
                    emit(f"{quantifier}{name}.length > 1", rows(lambda row: quantified(
                        quantifier.strip(), lengths(row), lambda x: holds(">", x, i(1)))))
            elif collection != "map":
                emit(f"{name}.length > 1", Refused)
        elif kind in ("string", "data", "mixed"):
            for test in ["== 0", "> 1", "== NULL", "!= 1"]:
                op, text = test.split()
                value = None if text == "NULL" else i(int(text))
                emit(f"{name}{spelling} {test}",
                     rows(lambda row: holds(op, size(values[row]), value)))
        else:
            emit(f"{name}{spelling} == 1", Refused)


def aggregate(function, kind, values):
    kept = [x for x in values if x is not None
            and not (x[0] in (FLOAT, DOUBLE) and x[1] != x[1])]
    if function in ("@min", "@max"):
        if not kept:
            return None
        found = sorted_values(kept)
        return found[0] if function == "@min" else found[-1]
    kept = [x for x in kept if x[0] in NUMBERS]
    if function == "@avg" and not kept:
        return None
    if kind in (DECIMAL, "mixed"):
        total = Decimal(0)
        for x in kept:
            total += Decimal(x[1]) if x[0] in (INT, DECIMAL) else Decimal(
                ("%.6e" if x[0] == FLOAT else "%.14e") % x[1])
        return c(total if function == "@sum" else total / len(kept))
    if kind == INT:
        total = sum(x[1] for x in kept)
        if function == "@sum":
            return i(total)
        return d(total / len(kept))
    total = 0.0
    for x in kept:
        total += x[1]
    return d(total if function == "@sum" else total / len(kept))


def aggregate_tests():
    heading("Aggregates (4.7)")
    for name, (kind, _, collection, values) in PROPERTIES.items():
        for function in ["@min", "@max", "@sum", "@avg"]:
            if collection == "" or kind not in NUMBERS + ["mixed"]:
                if RANDOM.random() < 0.5:
                    emit(f"{name}.{function} == 2", Refused)
                continue
            for op, text, value in [("==", "NULL", None), (">", "1", i(1)), ("<=", "2.5", d(2.5))]:
                result = {row: aggregate(function, kind, values[row]) for row in range(5)}
                fit = value
                kinds = {INT: {"@avg": DOUBLE}}.get(kind, {}).get(function, kind)
                if kinds == DECIMAL and value is not None and value[0] == DOUBLE:
                    fit = c(text)
                emit(f"{name}.{function} {op} {text}",
                     rows(lambda row: holds(op, result[row], fit)))


def property_tests():
    heading("A property and another (3.3)")
    names = [name for name, _ in scalars()]
    for left in names:
        for right in RANDOM.sample(names, 9):
            a, b_ = PROPERTIES[left], PROPERTIES[right]
            op = RANDOM.choice(["==", "!="] + ORDERED)
            comparable = (a[0] == b_[0] or "mixed" in (a[0], b_[0])
                          or a[0] in NUMBERS and b_[0] in NUMBERS)
            if not comparable:
                emit(f"{left} {op} {right}", Refused)
                continue
            emit(f"{left} {op} {right}", rows(lambda row: holds(op, a[3][row], b_[3][row])))
    for left in RANDOM.sample([name for name, _ in collections()], 12):
        right = RANDOM.choice([name for name, _ in collections()])
        emit(f"{left} == {right}", Refused)
    for name, (kind, _, _, values) in collections():
        quantifier = RANDOM.choice(["", "ALL ", "NONE "])
        op = RANDOM.choice(["==", "!=", "<", ">="])
        other = kind + RANDOM.choice(["", "Opt"] if kind != "mixed" else [""])
        emit(f"{quantifier}{name} {op} {other}", rows(lambda row: quantified(
            quantifier.strip(), values[row],
            lambda x: holds(op, x, PROPERTIES[other][3][row]))))
        emit(f"{other} IN {name}", rows(lambda row: any(
            equal(PROPERTIES[other][3][row], x) for x in values[row])))


TYPE_NAMES = {
    "null": ["null"], "int": ["int", "Integer", "int16", "int32", "int64", "short", "long", "byte",
                              "char"],
    "bool": ["bool", "Boolean"], "string": ["string", "STRING"],
    "data": ["binary", "data", "bindata", "bytearray", "byte[]"],
    "date": ["date", "datetimeoffset", "timestamp"], "float": ["float"], "double": ["double"],
    "decimal": ["decimal", "decimal128"], "link": ["objectlink", "link"],
    "objectID": ["objectid"], "uuid": ["uuid", "guid"], "map": ["object", "dictionary"],
    "list": ["array", "list"], "numeric": ["numeric"], "collection": ["collection"],
}


def type_tests():
    heading("@type (6)")

    def is_of(value, name):
        kind = "null" if value is None else value[0]
        if name == "numeric":
            return kind in NUMBERS
        return kind == name

    for name, spellings in TYPE_NAMES.items():
        for spelling in spellings:
            values = PROPERTIES["mixed"][3]
            op = RANDOM.choice(["==", "!=", "IN"])
            text = f"{{'{spelling}'}}" if op == "IN" else f"'{spelling}'"
            emit(f"mixed.@type {op} {text}",
                 rows(lambda row: is_of(values[row], name) != (op == "!=")))
            suffix = RANDOM.choice(["List", "Set", "Map"])
            quantifier = RANDOM.choice(["", "ALL ", "NONE "])
            many = PROPERTIES["mixed" + suffix][3]
            emit(f"{quantifier}mixed{suffix}.@type == '{spelling}'", rows(
                lambda row: quantified(
                    quantifier.strip(), many[row], lambda x: is_of(x, name))))
    for name, (kind, _, collection, _) in PROPERTIES.items():
        if kind != "mixed" and RANDOM.random() < 0.3:
            emit(f"{name}.@type == 'int'", Refused)
    for op in ["<", ">=", "==[c]", "BEGINSWITH"]:
        emit(f"mixed.@type {op} 'int'", Refused)
    emit("mixed.@type == 7", Refused)
    emit("mixed.@type == 'whatever'", Refused)
    emit("mixed.@type == string", Refused)
    for other, (kind, _, collection, values) in scalars():
        if kind != "mixed":
            emit(f"mixed.@type == {other}.@type", rows(
                lambda row: (None if PROPERTIES["mixed"][3][row] is None else
                             PROPERTIES["mixed"][3][row][0])
                == (None if values[row] is None else values[row][0])))


def arithmetic_tests():
    heading("Arithmetic (3.11)")

    def apply(op, x, y):
        if x is None or y is None or x[0] not in NUMBERS or y[0] not in NUMBERS:
            return None
        kinds = (x[0], y[0])
        p, q = x[1], y[1]
        if DECIMAL in kinds:
            def dec(v):
                return v[1] if v[0] == DECIMAL else Decimal(v[1]) if v[0] == INT else Decimal(
                    ("%.6e" if v[0] == FLOAT else "%.14e") % v[1])
            if any(v != v for v in (p, q)):
                return d(NAN)
            p, q = dec(x), dec(y)
            return c({"+": p + q, "-": p - q, "*": p * q}[op])
        if kinds == (INT, INT):
            if op == "/":
                quotient = abs(p) // abs(q)
                return i(quotient if (p < 0) == (q < 0) else -quotient)
            return i({"+": p + q, "-": p - q, "*": p * q}[op])
        if op == "/":
            result = float(p) / float(q)
        else:
            p, q = float(p), float(q)
            result = {"+": p + q, "-": p - q, "*": p * q}[op]
        return d(result) if DOUBLE in kinds else f(result)

    for name, (kind, _, collection, values) in PROPERTIES.items():
        if kind not in NUMBERS + ["mixed"]:
            if RANDOM.random() < 0.5:
                emit(f"{name} + 1 == 2", Refused)
            continue
        ops = ["+", "-", "*"] + (["/"] if kind not in (DECIMAL, "mixed") else [])
        for op in ops:
            text, operand = RANDOM.choice([("2", i(2)), ("4", i(4)), ("0.5", d(0.5))])
            if kind in (DECIMAL, "mixed"):
                text, operand = "2", i(2)
            test, against, wanted = RANDOM.choice(
                [("==", "4", i(4)), (">", "1", i(1)), ("!=", "NULL", None), ("<=", "-1", i(-1))])
            quantifier = "" if collection == "" else RANDOM.choice(["", "ALL ", "NONE "])
            emit(f"{quantifier}{name} {op} {text} {test} {against}", rows(lambda row: quantified(
                quantifier.strip(), values[row] if collection else [values[row]],
                lambda x: holds(test, apply(op, x, operand), wanted))))


def descriptor_tests():
    heading("SORT and DISTINCT (7)")
    import functools
    for name, (kind, _, collection, values) in PROPERTIES.items():
        if collection:
            emit(f"TRUEPREDICATE SORT({name} ASC)", Refused)
            continue
        for direction, sign in [("ASC", 1), ("DESCENDING", -1)]:
            ordered = sorted(range(5), key=functools.cmp_to_key(
                lambda a, b_: sign * sort_key_compare(values[a], values[b_])))
            emit(f"TRUEPREDICATE SORT({name} {direction})", [row + 1 for row in ordered])
            emit(f"TRUEPREDICATE SORT({name} {direction}) LIMIT(2)",
                 [row + 1 for row in ordered[:2]])
        kept = []
        for row in range(5):
            if not any(sort_key_compare(values[row], values[other]) == 0 for other in kept):
                kept.append(row)
        emit(f"TRUEPREDICATE DISTINCT({name})", [row + 1 for row in kept])
    emit("TRUEPREDICATE SORT(intMap['a'] ASC)", [
        row + 1 for row in sorted(range(5), key=functools.cmp_to_key(lambda a, b_: sort_key_compare(
            *((PROPERTIES["intMap"][3][x] or [None])[0] for x in (a, b_)))))])


def element_tests():
    heading("One element (4.8)")
    for name, (kind, _, collection, values) in collections():
        text, value = RANDOM.choice([(x, y) for x, y in LITERALS if y is None or y[0] == kind]
                                    if kind != "mixed" else LITERALS[:3])
        fit = coerce(text, value, kind)
        if collection == "list":
            for place, at in [("[0]", 0), ("[FIRST]", 0), ("[LAST]", -1), ("[2]", 2)]:
                def element(row):
                    one = values[row]
                    return [one[at]] if (len(one) > at if at >= 0 else one) else []
                emit(f"{name}{place} == {text}",
                     rows(lambda row: any(equal(x, fit) for x in element(row))))
            emit(f"{name}['a'] == {text}", Refused)
        elif collection == "set":
            emit(f"{name}[0] == {text}", Refused)
            emit(f"{name}['a'] == {text}", Refused)
        else:
            def entry(row, at):
                return values[row][at] if len(values[row]) > at else None
            emit(f"{name}['a'] == {text}", rows(lambda row: equal(entry(row, 0), fit)))
            emit(f"{name}.b != {text}", rows(lambda row: not equal(entry(row, 1), fit)))
            emit(f"{name}['c'] == NULL", rows(lambda row: entry(row, 2) is None))
            emit(f"{name}['c'] != NULL", rows(lambda row: entry(row, 2) is not None))
            emit(f"{name}[0] == {text}", Refused)
            emit(f"{name}[LAST] == {text}", Refused)
            key = RANDOM.choice(KEYS)
            emit(f"{name}.@keys == '{key}'", rows(lambda row: len(values[row]) > KEYS.index(key)))
            emit(f"ALL {name}.@values == {text}",
                 rows(lambda row: all(equal(x, fit) for x in values[row])))
            emit(f"NONE {name}[*] == {text}",
                 rows(lambda row: not any(equal(x, fit) for x in values[row])))


def argument_tests():
    heading("The same constants as arguments (1.7, 3.2)")
    for name, (kind, _, collection, values) in PROPERTIES.items():
        for _ in range(2):
            text, value = RANDOM.choice(LITERALS)
            if value and value[0] in (FLOAT, DOUBLE) and kind == DECIMAL and value[1] == value[1] \
                    and value[1] != float("inf"):
                text, value = "2", i(2)
            op = RANDOM.choice(["==", "!="] + ORDERED)
            quantifier = RANDOM.choice(["", "ALL ", "NONE "]) if collection else ""
            try:
                fit = coerce(text, value, kind)
            except Refused:
                emit(f"{name} {op} $0 :: {text}", Refused)
                continue
            emit(f"{quantifier}{name} {op} $0 :: {text}", rows(lambda row: quantified(
                quantifier.strip(), values[row] if collection else [values[row]],
                lambda x: holds(op, x, fit))))


make_world()
write_world()
LINES.append("# Written by grid.py, which computes the expectations from the rules.")
LINES.append("@world types")
LINES.append("@class T")
for tests in [constant_tests, list_tests, between_tests, text_tests, collection_tests, count_tests,
              aggregate_tests, property_tests, type_tests, arithmetic_tests, descriptor_tests,
              element_tests, argument_tests]:
    tests()
unique, seen = [], set()
for line in LINES:
    if " ==> " in line:
        if line in seen:
            continue
        seen.add(line)
    unique.append(line)
with open("grid.rql-test", "w") as file:
    file.write("\n".join(unique) + "\n")
