"""Makes docs/operators/<operator>.md of the list, the formula's header, the limits, exact arithmetic and the measured tables."""

import math
import pathlib
import re
import struct
import sys

import markdown

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from exact import FORMATS, is_nan  # noqa: E402
from write_special import OPERATORS  # noqa: E402

C_TYPES = {"f16": "uint16_t", "bf16": "uint16_t", "f32": "float", "f64": "double"}
X = ("-inf", "-1", "-2^-149", "-0.0", "+0.0", "2^-149", "1", "2", "+inf", "NaN")
ALPHA = ("1", "2", "-1", "+0.0", "-0.0", "+inf", "-inf", "NaN")
EDGES = {"+inf": 0x7F800000, "-inf": 0xFF800000, "NaN": 0x7FC00000, "2^-149": 1, "-2^-149": 0x80000001, "+0.0": 0, "-0.0": 0x80000000}


def paragraphs(header):
    """The comment at the top of a formula's header."""
    comment = [line[2:].removeprefix(" ") for line in header.partition("#pragma once")[0].splitlines()]
    return [paragraph.strip("\n") for paragraph in "\n".join(comment).split("\n\n")]


def paragraph(header, beginning):
    return next((p for p in paragraphs(header) if p.startswith(beginning)), "")


def pattern_of(name):
    return EDGES[name] if name in EDGES else struct.unpack("<I", struct.pack("<f", float(name)))[0]


def text_of(pattern):
    """A float32 as this page writes it."""
    if is_nan(FORMATS["f32"], pattern):
        return "NaN"
    for name, value in EDGES.items():
        if pattern == value:
            return name
    value = struct.unpack("<f", struct.pack("<I", pattern))[0]
    mantissa, exponent = math.frexp(value)
    return f"{'-' if value < 0 else ''}2^{exponent - 1}" if abs(mantissa) == 0.5 and exponent < -24 else f"{value:.6g}"


def edge_table(operator):
    """Results for f32, from exact arithmetic, never from the library."""
    if operator not in OPERATORS:
        sys.exit(f"{operator} has no special values yet: add them to tests/support/write_special.py")
    evaluate = OPERATORS[operator][0]
    lines = [f"| x | {' | '.join(f'alpha {alpha}' for alpha in ALPHA)} |", "|---" * (len(ALPHA) + 1) + "|"]
    for x in X:
        results = [text_of(evaluate(FORMATS["f32"], pattern_of(alpha), pattern_of(x), {})[1]) for alpha in ALPHA]
        lines.append(f"| {x} | {' | '.join(results)} |")
    return "\n".join(lines)


def functions(operator, types, attributes):
    parameters = "".join(f", float {name}" for name, _ in attributes)
    lines = [f"actinide_status actinide_{operator}_{t}(const {C_TYPES[t]}* x, {C_TYPES[t]}* y, size_t n{parameters});" for t in types]
    return "\n".join([*lines, f"actinide_status actinide_{operator}(const DLTensor* x, DLTensor* y{parameters});"])


def speed(onnx, benchmarks):
    """The rows of this operator in the report's first tables."""
    parts = []
    for table in markdown.tables(benchmarks)[:2]:
        rows = [row for row in table[1:] if re.match(rf"{onnx}\b|memcpy$", row[0])]
        parts.append("\n".join(f"| {' | '.join(cells)} |" for cells in (table[0], ["---"] * len(table[0]), *rows)))
    measured = re.search(r" on (\d{4}-\d\d-\d\d): ([^,]*?)(?: \(|,)", benchmarks)
    return parts, f"{measured[2]}, one thread, {measured[1]}, `make bench`"


def page(operator, declaration, targets, header, limits, benchmarks):
    """`declaration`: types, attributes as pairs, ONNX name. `limits`: a table, or nothing. `benchmarks`: the report, or nothing."""
    types, attributes, onnx = declaration
    title = re.match(r"(\w+): ONNX operator, (versions? .*?) \((\S+)\)\n\n(.*?)\n\n", "\n\n".join(paragraphs(header)) + "\n\n", re.DOTALL)
    formula = "\n".join(line.removeprefix("  ") for line in title[4].splitlines())
    how = paragraph(header, "How: ").removeprefix("How: ")
    how, _, widths = how.partition("\n  ")
    cost = paragraph(header, "Cost ")
    sections = [f"""# {onnx}

[ONNX {title[1]}]({title[3]}), {title[2]}.

```text
{formula}
```

{paragraph(header, "Attribute")}

| types | {' '.join(types)} |
|---|---|
| targets | {' '.join(targets)} |

```c
{functions(operator, types, attributes)}
```

The last is for [tensors of any rank and strides](../../README.md#n-d-tensors). Each of the others has a twin with the suffix `_on` and an
executor as its first argument, and each a twin whose name begins with `actinide_cuda_`, with a stream as its last. In C++ all are
`actinide::{operator}(x, y, {{{', '.join(f'.{name} = {default}f' for name, default in attributes)}}})`.

## How it is computed

By {how}
"""]
    if widths:
        rows = [re.split(r": ", part, maxsplit=1) for part in re.split(r"\s{4,}|\n\s*", widths.strip())]
        sections[0] += "\n" + "\n".join(f"- {name}: {rest}" for name, rest in rows) + "\n"
    sections[0] += f"\n{cost}\n\nThe formula stands in [{operator}.h](../../generators/activations/{operator}.h).\n"
    edges, _, more_edges = paragraph(header, "Edges").partition("\n")
    if more_edges:
        more_edges = "\n```text\n" + "\n".join(line.removeprefix("  ") for line in more_edges.splitlines()) + "\n```\n"
    sections.append(f"""## Edge values

f32, from exact arithmetic. 2^-149 is the smallest subnormal; for those on 32-bit NEON see [the README](../../README.md#accuracy).

{edge_table(operator)}

{edges}
{more_edges}""")
    if limits:
        sections.append(f"""## Accuracy

Limits in ULP where a result has to be rounded, and the worst that is known; alpha "any" is any finite one but 0. How they were found stands in
[accuracy.md](../accuracy.md).

{limits}""")
    else:
        sections.append("## Accuracy\n\nEvery result is exact.\n")
    if benchmarks:
        (by_type, small), machine = speed(onnx, benchmarks)
        sections.append(f"""## Speed

Nanoseconds an element, 4096 elements in cache:

{by_type}

Nanoseconds a call, of small tensors:

{small}

{machine}. Peers, sizes and placements stand in [benchmarks](../benchmarks/README.md), estimates for ARM cores in [arm.md](../arm.md).
""")
    return "\n".join(sections)
