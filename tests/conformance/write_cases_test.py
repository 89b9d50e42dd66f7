"""What write_cases.py refuses: models whose attributes are not what the operator's list says."""

import sys
import unittest
from unittest import mock

sys.path.insert(0, sys.argv.pop(1))

import numpy as np
from onnx import helper

import write_cases

KNOWN = {"alpha": 1.0}


class ModelAttributes(unittest.TestCase):
    def attributes(self, **attributes):
        return write_cases.model_attributes("a_case", helper.make_node("Elu", ["x"], ["y"], **attributes), KNOWN)

    def test_float(self):
        self.assertEqual(self.attributes(alpha=2.0), {"alpha": 2.0})

    def test_absent(self):
        self.assertEqual(self.attributes(), {})

    def test_int_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "a_case: attribute alpha is stored as INT, not as FLOAT"):
            self.attributes(alpha=2)

    def test_floats_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "a_case: attribute alpha is stored as FLOATS, not as FLOAT"):
            self.attributes(alpha=[2.0])

    def test_unknown_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "a_case: Elu has an attribute gamma"):
            self.attributes(gamma=2.0)


class OurCases(unittest.TestCase):
    """Operators with another number of attributes than those of the list."""

    def cases(self, ours, attributes):
        operators = {"an_operator": {"types": ["f16", "bf16", "f32", "f64"], "attributes": attributes}}
        with mock.patch.dict(write_cases.OURS, {"an_operator": ours}):
            return list(write_cases.our_cases(operators, []))

    def test_no_attribute(self):
        cases = self.cases(write_cases.Ours(lambda x: -x, ({},), {}), {})
        self.assertEqual([c.folder for c in cases], [f"ours/an_operator_{t}" for t in ("f16", "bf16", "f32", "f64")])
        for case in cases:
            self.assertEqual((case.attributes, case.x.shape), ({}, (5, 7)))
            np.testing.assert_array_equal(case.y, -case.x)

    def test_two_attributes(self):
        ours = write_cases.Ours(lambda x, low, high: min(max(x, low), high), (dict(high="3", low="-0.5"), dict(low="1", high="2")), {})
        cases = self.cases(ours, {"low": 0.0, "high": 1.0})
        self.assertEqual([c.folder for c in cases[:2]], ["ours/an_operator_f16_high_3_low_-0.5", "ours/an_operator_f16_low_1_high_2"])
        for case in cases:
            low, high = (case.attributes[name] for name in ("low", "high"))
            self.assertIn((low, high), [(-0.5, 3.0), (1.0, 2.0)])
            self.assertEqual(case.x.shape, (7, 7))
            np.testing.assert_array_equal(case.y.astype(float), np.clip(case.x.astype(float), low, high))
            self.assertTrue({low, high} <= set(case.x.astype(float).ravel()))

    def test_attributes_that_are_not_the_lists(self):
        with self.assertRaisesRegex(SystemExit, r"OURS has the attributes \['beta'\] for an_operator, the list \['alpha'\]"):
            self.cases(write_cases.Ours(lambda x, beta: x, (dict(beta="1"),), {}), {"alpha": 1.0})


class DocumentExamples(unittest.TestCase):
    def test_16_bit_patterns(self):
        """The printed decimals, read as the nearest value of the type: patterns of alpha * (e^x - 1) in float64, rounded."""
        y = {case.folder: case.y for case in write_cases.document_cases()}
        self.assertEqual(y["documents/test_cc_elu_float16"].view(np.uint16)[0].tolist(), [0xBEEB, 0xBD0F, 0xBA4C])
        self.assertEqual(y["documents/test_cc_elu_bfloat16"].view(np.uint16)[0].tolist(), [0xBF5D, 0xBF22, 0xBEC9])


if __name__ == "__main__":
    unittest.main()
