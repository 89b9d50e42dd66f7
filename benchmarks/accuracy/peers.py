"""Elu by a Python package, for accuracy_peers: peers.py PACKAGE TYPE

Says its name and version in a line, or ends without one. Then reads numbers of elements (4 bytes) with as many elements after each, and
answers with the results.
"""

import struct
import sys

import numpy


def by_numpy(_):
    return f"NumPy {numpy.__version__} expm1", lambda x: numpy.where(x < 0, numpy.expm1(x), x)


def by_onnxruntime(dtype):
    import onnx
    import onnxruntime

    element = {"f32": onnx.TensorProto.FLOAT, "f64": onnx.TensorProto.DOUBLE}[dtype]
    x, y = (onnx.helper.make_tensor_value_info(name, element, ["n"]) for name in "xy")
    graph = onnx.helper.make_graph([onnx.helper.make_node("Elu", ["x"], ["y"], alpha=1.0)], "elu", [x], [y])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return f"ONNX Runtime {onnxruntime.__version__} Elu", lambda x: session.run(None, {"x": x})[0]


def by_torch(_):
    import torch

    torch.set_num_threads(1)
    return f"PyTorch {torch.__version__} elu", lambda x: torch.nn.functional.elu(torch.from_numpy(x)).numpy()


PACKAGES = {"numpy": by_numpy, "onnxruntime": by_onnxruntime, "torch": by_torch}


def main():
    package, dtype = sys.argv[1:]
    try:
        name, elu = PACKAGES[package](dtype)
    except Exception as error:  # whatever the package raises: it is missing, or it has no such type
        print(f"{package} {dtype}: {str(error).splitlines()[0]}", file=sys.stderr)
        return
    numpy.seterr(all="ignore")
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sink.write(f"{name}\n".encode())
    sink.flush()
    element = numpy.dtype({"f32": "<f4", "f64": "<f8"}[dtype])
    while head := source.read(4):
        (count,) = struct.unpack("<I", head)
        x = numpy.frombuffer(bytearray(source.read(count * element.itemsize)), element)
        sink.write(numpy.ascontiguousarray(elu(x), element).tobytes())
        sink.flush()


if __name__ == "__main__":
    main()
