"""What write_cases.py refuses: models whose attributes are not what the operator's list says."""

import sys
import unittest

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


class DocumentExamples(unittest.TestCase):
    def test_16_bit_patterns(self):
        """The printed decimals, read as the nearest value of the type: patterns of alpha * (e^x - 1) in float64, rounded."""
        y = {case.folder: case.y for case in write_cases.document_cases()}
        self.assertEqual(y["documents/test_cc_elu_float16"].view(np.uint16)[0].tolist(), [0xBEEB, 0xBD0F, 0xBA4C])
        self.assertEqual(y["documents/test_cc_elu_bfloat16"].view(np.uint16)[0].tolist(), [0xBF5D, 0xBF22, 0xBEC9])


if __name__ == "__main__":
    unittest.main()
