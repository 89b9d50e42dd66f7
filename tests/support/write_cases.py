"""Writes the conformance cases as folders that `actinide verify` reads (the format stands in tools/case_folder.h).

Published cases: the node tests of the `onnx` package, the models that it ships as files, and the examples of the ONNX operator documents.
Where an operator's element type has no published case, cases of ours, with values from exact arithmetic, labelled as ours.
"""

import argparse
import re
import shutil
import warnings
from collections import namedtuple
from pathlib import Path

import ml_dtypes
import mpmath
import numpy as np
import onnx
from onnx.backend.test.loader import load_model_tests

from exact import FORMATS, convert, decode, encode, neighbour

DTYPES = {"f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16), "f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}
TYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}

# folder: below the output; attributes: those that are given, by name; tolerance: lines of case.txt
Case = namedtuple("Case", "folder operator type attributes source origin tolerance x y")

EXACT = {"max_ulp": "0"}


def read_table(path):
    """Operators of the list: {"elu": {"types": ["f16", ...], "attributes": {"alpha": 1.0}}}, from the build's operator_table.inc."""
    operators = {}
    for line in Path(path).read_text().splitlines():
        row = re.fullmatch(r"ACTINIDE_ROW\((\w+), (\w+), .*ATTRIBUTES\((.*)\)\)", line)
        if not row:
            raise SystemExit(f"write_cases: {path}: not a row of the operator table: {line}")
        attributes = {name: float(value) for name, value in re.findall(r'\{"(\w+)", ([-+.\de]+)f\}', row[3])}
        operators.setdefault(row[1], {"types": [], "attributes": attributes})["types"].append(row[2])
    return operators


# --- Published: the onnx package ------------------------------------------------------------------------------------------------------


def published_tolerance(operator, type_name, alpha, test):
    """The tightest bound that the way the values were made allows.

    Elu in float32: they are alpha * (exp(x) - 1), each step rounded. NumPy's vector exp is within 3 ULP, and for x < 0 one ULP of it is at
    most 2^-24: the subtraction is exact or nearly so and keeps that error, which alpha scales. On top of it the product is rounded
    (2^-24 of the result) and our own error is below 2 ULP (2^-22 of the result).
    ThresholdedRelu returns x or 0: exact. Operators that are not listed here have the tolerance of ONNX's own test runner.
    """
    if operator == "thresholded_relu":
        return EXACT
    if (operator, type_name) == ("elu", "f32"):
        return {"rtol": "3e-07", "atol": f"{3 * 2.0**-24 * abs(alpha):.2g}"}
    return {"rtol": repr(test.rtol), "atol": repr(test.atol)}


def model_attributes(name, node, known):
    """Attributes of a node. One that is not stored as a float is an error, not a number to be guessed."""
    attributes = {}
    for attribute in node.attribute:
        if attribute.name not in known:
            raise SystemExit(f"write_cases: {name}: {node.op_type} has an attribute {attribute.name} that the list does not have")
        if attribute.type != onnx.AttributeProto.FLOAT:
            kind = onnx.AttributeProto.AttributeType.Name(attribute.type)
            raise SystemExit(f"write_cases: {name}: attribute {attribute.name} is stored as {kind}, not as FLOAT")
        attributes[attribute.name] = attribute.f
    return attributes


def model_case(folder, operator, known, test, model, x, y):
    if len(model.graph.node) != 1:
        raise SystemExit(f"write_cases: {test.name}: one node expected, there are {len(model.graph.node)}")
    attributes = model_attributes(test.name, model.graph.node[0], known)
    type_name = TYPE_NAMES[x.dtype]
    tolerance = published_tolerance(operator, type_name, {**known, **attributes}.get("alpha", 0.0), test)
    origin = f"onnx {onnx.__version__}, {folder}"
    return Case(f"{folder}/{test.name}", operator, type_name, attributes, "published", origin, tolerance, x, y)


def node_cases(operators, skipped):
    """The node tests, whose names are test_NAME and test_NAME_...; the `_expanded` ones test the function bodies, which have many nodes, and
    are skipped: their names go to the list `skipped`."""
    np.random.seed(0)  # the package draws inputs when it is loaded
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        tests = load_model_tests(kind="node")
    for operator, row in operators.items():
        onnx_name = operator.replace("_", "")
        for test in sorted(tests, key=lambda t: t.name):
            if not re.fullmatch(rf"test_{onnx_name}(_.*)?", test.name):
                continue
            if "_expanded" in test.name:
                skipped.append(test.name)
                continue
            (x,), (y,) = test.data_sets[0]
            yield model_case("node", operator, row["attributes"], test, test.model, x, y)


def read_tensor(path):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return onnx.numpy_helper.to_array(tensor)


def file_cases(operators):
    """Models of one node that the package ships as files, converted from PyTorch."""
    kind = "pytorch-converted"
    for test in sorted(load_model_tests(kind=kind), key=lambda t: t.name):
        model = onnx.load(Path(test.model_dir, "model.onnx"))
        op_types = [node.op_type.lower() for node in model.graph.node]
        for operator, row in operators.items():
            if op_types != [operator.replace("_", "")]:
                continue
            data = Path(test.model_dir, "test_data_set_0")
            x, y = read_tensor(data / "input_0.pb"), read_tensor(data / "output_0.pb")
            yield model_case(kind, operator, row["attributes"], test, model, x, y)


# --- Published: the examples of the operator documents --------------------------------------------------------------------------------

ELU = "ONNX documentation, Elu version 6"
THRESHOLDED_RELU = "ONNX documentation, ThresholdedRelu version 10"
X = [[-2.0, -1.0, -0.5], [0.5, 1.0, 2.0]]

# name, origin, operator, type, attributes, x, y: as they stand there. The numbers are printed in full or to the last digit that matters,
# so the nearest value of the type is the one that was meant.
DOCUMENT_EXAMPLES = [
    ("test_cc_elu", ELU, "elu", "f32", {"alpha": 2.0}, X, [[-1.7293295, -1.2642411, -0.78693867], [0.5, 1.0, 2.0]]),
    ("test_cc_elu_bfloat16", ELU, "elu", "bf16", {"alpha": 1.0}, X, [[-0.863281, -0.632812, -0.392578], [0.5, 1, 2]]),
    ("test_cc_elu_default", ELU, "elu", "f32", {}, X, [[-0.86466473, -0.63212055, -0.39346933], [0.5, 1.0, 2.0]]),
    ("test_cc_elu_example", ELU, "elu", "f32", {"alpha": 2.0}, [-1.0, 0.0, 1.0], [-1.2642411, 0.0, 1.0]),
    ("test_cc_elu_float16", ELU, "elu", "f16", {"alpha": 2.0}, X, [[-1.7295, -1.265, -0.787], [0.5, 1.0, 2.0]]),
    ("test_cc_thresholdedrelu", THRESHOLDED_RELU, "thresholded_relu", "f32", {"alpha": 2.0},
     [[-1.0, 0.0, 1.0], [2.0, 2.5, 3.0]], [[0.0, 0.0, 0.0], [0.0, 2.5, 3.0]]),
    ("test_cc_thresholdedrelu_default", THRESHOLDED_RELU, "thresholded_relu", "f32", {},
     [[-1.0, 0.0, 0.5], [1.0, 1.5, 2.0]], [[0.0, 0.0, 0.0], [0.0, 1.5, 2.0]]),
    ("test_cc_thresholdedrelu_example", THRESHOLDED_RELU, "thresholded_relu", "f32", {"alpha": 2.0},
     np.full((3, 4, 5), 3.0), np.full((3, 4, 5), 3.0)),
]


def document_cases():
    for name, origin, operator, type_name, attributes, x, y in DOCUMENT_EXAMPLES:
        # Elu in float32 was printed to all its digits, within our limit of 2 ULP; the 16-bit ones must come out to the bit.
        tolerance = {"max_ulp": "2"} if (operator, type_name) == ("elu", "f32") else EXACT
        x, y = np.array(x, DTYPES[type_name]), np.array(y, DTYPES[type_name])
        yield Case(f"documents/{name}", operator, type_name, attributes, "published", origin, tolerance, x, y)


# --- Ours -----------------------------------------------------------------------------------------------------------------------------


def elu(x, alpha):
    return x if x >= 0 else alpha * mpmath.expm1(x)


def thresholded_relu(x, alpha):
    return x if x > alpha else mpmath.mpf(0)


# Formula of the specification in exact arithmetic, called with x and the attributes by name; a case for each dictionary of attributes, {} for
# an operator that has none; the tolerance by type. Several attributes should have different values, so that none can stand for another.
Ours = namedtuple("Ours", "formula attributes tolerance")
OURS = {
    "elu": Ours(elu, (dict(alpha="1"), dict(alpha="0.1"), dict(alpha="2")), {"f32": {"max_ulp": "2"}, "f64": {"max_ulp": "2"}}),
    "thresholded_relu": Ours(thresholded_relu, (dict(alpha="1"), dict(alpha="0.7"), dict(alpha="-1")), {}),
}


def our_inputs(fmt, attributes):
    """Patterns: a line of both signs, each attribute with its neighbours, and tiny numbers; in rows of 7, an odd number of them, so that every
    target has a tail."""
    line = [encode(fmt, mpmath.mpf(i) * 4 / 13) for i in range(-13, 14)]
    near = [neighbour(fmt, value, steps) for value in attributes for steps in (-1, 0, 1)]
    tiny = [encode(fmt, mpmath.mpf(text)) for text in ("-0.000244140625", "-0.01", "-0.1", "0.000244140625", "-20")]
    patterns = line + near + tiny
    return patterns + line[: (7 - len(patterns)) % 14]


def our_cases(operators, published):
    """Cases for every element type that has no published one."""
    covered = {(case.operator, case.type) for case in published}
    for operator, row in operators.items():
        for type_name in row["types"]:
            if (operator, type_name) in covered:
                continue
            if operator not in OURS:
                raise SystemExit(f"write_cases: {operator} {type_name} has no published case: add the formula to OURS")
            ours, fmt, dtype = OURS[operator], FORMATS[type_name], DTYPES[type_name]
            for texts in ours.attributes:
                if set(texts) != set(row["attributes"]):
                    raise SystemExit(f"write_cases: OURS has the attributes {sorted(texts)} for {operator}, the list {sorted(row['attributes'])}")
                # They are float32, rounded to the element type.
                given = {name: encode(FORMATS["f32"], mpmath.mpf(text)) for name, text in texts.items()}
                cast = {name: convert(FORMATS["f32"], pattern, fmt) for name, pattern in given.items()}
                values = {name: decode(fmt, pattern) for name, pattern in cast.items()}
                x = our_inputs(fmt, cast.values())
                y = [encode(fmt, ours.formula(decode(fmt, v), **values)) for v in x]
                x, y = (np.array(patterns, f"u{dtype.itemsize}").view(dtype).reshape(-1, 7) for patterns in (x, y))
                attributes = {name: float(decode(FORMATS["f32"], pattern)) for name, pattern in given.items()}
                origin = f"mpmath {mpmath.__version__}, formula of the specification"
                folder = "_".join(["ours/" + operator, type_name, *(word for pair in texts.items() for word in pair)])
                yield Case(folder, operator, type_name, attributes, "ours", origin, ours.tolerance.get(type_name, EXACT), x, y)


# --- Writing --------------------------------------------------------------------------------------------------------------------------


def write_case(root, case):
    folder = root / case.folder
    folder.mkdir(parents=True)
    lines = {"operator": case.operator, "type": case.type}
    lines |= {name: f"{float(value).hex()}" for name, value in case.attributes.items()}
    lines |= {"source": case.source, "origin": case.origin, **case.tolerance}
    (folder / "case.txt").write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
    for name, array in (("x", case.x), ("y", case.y)):
        if array.dtype != DTYPES[case.type]:
            raise SystemExit(f"write_cases: {case.folder}: {name} is {array.dtype}, not {case.type}")
        stored = array.view(np.uint16) if case.type == "bf16" else array
        np.save(folder / f"{name}.npy", stored)


def write_all(root, cases):
    for old in list(root.glob("**/case.txt")):  # cases of an earlier run, and nothing else
        shutil.rmtree(old.parent)
    for case in cases:
        write_case(root, case)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", required=True, help="operator_table.inc of the build")
    parser.add_argument("--stamp", required=True, help="file to write at the end, with the names of what was skipped")
    parser.add_argument("folder", help="where to write")
    arguments = parser.parse_args()
    operators = read_table(arguments.table)
    skipped = []
    published = [*node_cases(operators, skipped), *file_cases(operators), *document_cases()]
    cases = published + list(our_cases(operators, published))
    write_all(Path(arguments.folder), cases)
    Path(arguments.stamp).write_text(f"skipped by name: {', '.join(skipped)} (function bodies of several nodes)\n" if skipped else "")


if __name__ == "__main__":
    main()
