#!/usr/bin/env python3
"""This library beside ONNX Runtime, JAX and PyTorch, those that can be imported, one thread, in turns. Writes JSON for report.py.

    python3 benchmarks/python_peers.py build/bench/benchmarks/libactinide_for_python.so [THREADS]

With a number of threads: those that can be told how many, f32, with one thread and with so many.
"""

import ctypes
import functools
import json
import os
import random
import subprocess
import sys
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("OMP_NUM_THREADS", sys.argv[2] if len(sys.argv) > 2 else "1")

SIZES = (16, 4096, 1 << 16, 1 << 20, 1 << 24)
SIZES_ON_THREADS = (4096, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 20, 1 << 22, 1 << 24)
ROUNDS = 9
SECONDS = 0.01  # of one round


def by_actinide(library, numpy, threads=1):
    functions = ctypes.CDLL(library)
    functions.actinide_threads_for_python.restype = ctypes.c_void_p
    executor = functions.actinide_threads_for_python(ctypes.c_size_t(threads)) if threads > 1 else None

    def prepare(op, kind, x, alpha):
        function = getattr(functions, f"actinide_{op}_{kind}_on")
        function.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_float)
        y = numpy.empty_like(x)
        arguments = (executor, x.ctypes.data, y.ctypes.data, ctypes.c_size_t(x.size), ctypes.c_float(alpha))
        return lambda: function(*arguments), lambda: y

    return "Actinide", prepare


def by_onnxruntime(numpy, threads=1):
    import onnx
    import onnxruntime

    def prepare(op, kind, x, alpha):
        element = {"f16": onnx.TensorProto.FLOAT16, "f32": onnx.TensorProto.FLOAT, "f64": onnx.TensorProto.DOUBLE}[kind]
        values = [onnx.helper.make_tensor_value_info(name, element, ["n"]) for name in "xy"]
        node = onnx.helper.make_node({"elu": "Elu", "thresholded_relu": "ThresholdedRelu"}[op], ["x"], ["y"], alpha=alpha)
        model = onnx.helper.make_model(
            onnx.helper.make_graph([node], op, values[:1], values[1:]), opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        # Bound once, so that no call allocates: the fastest way to call it.
        y = numpy.empty_like(x)
        binding = session.io_binding()
        for bind, name, array in ((binding.bind_input, "x", x), (binding.bind_output, "y", y)):
            bind(name, "cpu", 0, x.dtype, x.shape, array.ctypes.data)
        return lambda: session.run_with_iobinding(binding), lambda: y

    return f"ONNX Runtime {onnxruntime.__version__}", prepare


def by_jax(numpy):
    import jax

    jax.config.update("jax_cpu_enable_async_dispatch", False)  # else every call goes through another thread
    formulas = {"elu": lambda x, alpha: jax.nn.elu(x, alpha), "thresholded_relu": lambda x, alpha: jax.numpy.where(x > alpha, x, 0)}

    def prepare(op, kind, x, alpha):
        array = jax.numpy.asarray(x)
        compiled = jax.jit(lambda v: formulas[op](v, alpha))
        compiled(array).block_until_ready()
        return lambda: compiled(array).block_until_ready(), lambda: numpy.asarray(compiled(array))

    return f"JAX {jax.__version__}", prepare


def by_torch(numpy, threads=1):
    import torch

    formulas = {
        "elu": torch.nn.functional.elu,
        "thresholded_relu": lambda x, alpha: torch.nn.functional.threshold(x, alpha, 0.0),
    }

    def prepare(op, kind, x, alpha):
        tensor, formula = torch.from_numpy(x), formulas[op]

        def call():
            torch.set_num_threads(threads)
            return formula(tensor, alpha)

        return call, lambda: call().numpy()

    return f"PyTorch {torch.__version__}", prepare


def in_turns(calls):
    """Name -> seconds a call: the least of rounds, in each of which every one has its turn."""
    counts = {}
    for name, call in calls.items():
        call()
        start = time.perf_counter()
        call()
        counts[name] = max(1, int(SECONDS / max(time.perf_counter() - start, 1e-7)))
    least = dict.fromkeys(calls, float("inf"))
    names = list(calls)
    for _ in range(ROUNDS):
        random.shuffle(names)
        for name in names:
            call, repeats = calls[name], range(counts[name])
            start = time.perf_counter()
            for _ in repeats:
                call()
            least[name] = min(least[name], (time.perf_counter() - start) / counts[name])
    return least


def on_threads(library, threads, package, numpy):
    """Rows of {"op", "n", "seconds": {name: [with one thread, with all]}}. A process for each package: waiting threads of the others would
    take the processors."""
    if package is None:
        rows = None
        for package in ("actinide", "onnxruntime", "torch"):
            done = subprocess.run([sys.executable, "-B", __file__, library, str(threads), package], stdout=subprocess.PIPE, text=True)
            if done.returncode != 0:
                continue
            found = json.loads(done.stdout)
            rows = rows or [{**row, "seconds": {}} for row in found]
            for row, other in zip(rows, found, strict=True):
                row["seconds"].update(other["seconds"])
        return rows
    makers = {"actinide": functools.partial(by_actinide, library), "onnxruntime": by_onnxruntime, "torch": by_torch}
    counts = (1, threads)
    try:
        peers, rows = [makers[package](numpy, count) for count in counts], []
    except ImportError as error:
        sys.exit(f"without {package}: {error}")
    generator = numpy.random.default_rng(1)
    for op in ("elu", "thresholded_relu"):
        for n in SIZES_ON_THREADS:
            x = generator.uniform(-4, 4, n).astype(numpy.float32)
            prepared = {count: prepare(op, "f32", x, 1.0) for count, (_, prepare) in zip(counts, peers, strict=True)}
            seconds = in_turns({count: call for count, (call, _) in prepared.items()})
            rows.append({"op": op, "n": n, "seconds": {peers[0][0]: [seconds[count] for count in counts]}})
    return rows


def main():
    try:
        import numpy
    except ImportError:
        json.dump({"missing": {f"NumPy of {sys.executable}": "and so all Python packages"}, "times": []}, sys.stdout)
        return
    if len(sys.argv) > 2:
        package = sys.argv[3] if len(sys.argv) > 3 else None
        json.dump(on_threads(sys.argv[1], int(sys.argv[2]), package, numpy), sys.stdout)
        return
    peers, missing = [by_actinide(sys.argv[1], numpy)], {}
    for package, make in (("onnxruntime", by_onnxruntime), ("jax", by_jax), ("torch", by_torch)):
        try:
            peers.append(make(numpy))
        except ImportError as error:
            missing[f"Python's {package}"] = f"{sys.executable}: {error}"
    rows, told = [], set()
    generator = numpy.random.default_rng(1)
    for op in ("elu", "thresholded_relu"):
        for kind, dtype in (("f16", numpy.float16), ("f32", numpy.float32), ("f64", numpy.float64)):
            for n in SIZES if len(peers) > 1 else ():
                x = generator.uniform(-4, 4, n).astype(dtype)
                calls, results = {}, {}  # a result keeps the array that its call writes to
                for name, prepare in peers:
                    try:
                        call, result = prepare(op, kind, x, 1.0)
                        call()
                    except Exception as error:  # whatever a package raises that has no such type
                        if (name, op, kind) not in told:
                            print(f"{name} has no {op} {kind}: {str(error).splitlines()[0]}", file=sys.stderr)
                        told.add((name, op, kind))
                        continue
                    calls[name], results[name] = call, result
                for name, result in results.items():
                    if not numpy.allclose(result(), results["Actinide"](), rtol=2e-3, atol=1e-3):
                        sys.exit(f"{name}'s {op} {kind} is something else")
                rows.append({"op": op, "type": kind, "n": n, "seconds": in_turns(calls)})
    json.dump({"missing": missing, "times": rows}, sys.stdout)


if __name__ == "__main__":
    main()
