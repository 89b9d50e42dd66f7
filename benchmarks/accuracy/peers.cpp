// accuracy_peers: the errors of what else there is for e^x - 1 or Elu with alpha 1, measured as accuracy_exhaustive measures this
// library's: the same inputs, the same reference. Those that were not found at build time, or that Python does not have, are named as
// missing.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "peers.h"
#include "sweep_arguments.h"

namespace actinide::test {
const char usage[] = R"(accuracy_peers [OPTION VALUE]...
  --type TYPE     f32 or f64 alone
  --shards N      one input in N, 16 if not given
  --seed S        chooses which, 1 if not given
  --csv FILE      writes the largest error by bins of x, 16 an octave, from -2^-30 to -20
  --isa TARGET    whose instructions the peers are compiled for or limited to, avx2 if not given
  --python FILE   the Python whose NumPy, ONNX Runtime and PyTorch are measured
)";

namespace {

/// Whose turn it is, as an operator of the table calls it.
const peers::Peer* native_peer = nullptr;

actinide_status call_native(const void* x, void* y, std::size_t n, const float* alpha) {
  const peers::Call prepared = native_peer->prepare(x, y, n, *alpha);
  if (prepared.run == nullptr) return ACTINIDE_UNSUPPORTED;
  prepared.run(prepared.state);
  prepared.release(prepared.state);
  return ACTINIDE_OK;
}

/// peers.py, for one package and type.
class PythonPeer {
 public:
  PythonPeer(const std::string& python, const char* package, const char* type) {
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0 || (process_ = fork()) < 0) refuse("no process for Python");
    if (process_ == 0) {
      dup2(there[0], STDIN_FILENO);
      dup2(back[1], STDOUT_FILENO);
      for (const int end : {there[0], there[1], back[0], back[1]}) close(end);
      execlp(python.c_str(), python.c_str(), "-B", ACTINIDE_PEERS_SCRIPT, package, type, static_cast<char*>(nullptr));
      _exit(127);
    }
    close(there[0]);
    close(back[1]);
    to_ = fdopen(there[1], "wb");
    from_ = fdopen(back[0], "rb");
    char line[256];
    if (std::fgets(line, sizeof line, from_) != nullptr) name_.assign(line, std::strcspn(line, "\n"));
  }
  ~PythonPeer() {
    std::fclose(to_);
    std::fclose(from_);
    waitpid(process_, nullptr, 0);
  }
  PythonPeer(const PythonPeer&) = delete;
  PythonPeer& operator=(const PythonPeer&) = delete;

  /// Empty if it is missing.
  const std::string& name() const { return name_; }

  bool compute(const void* x, void* y, std::size_t n, std::size_t size) const {
    const auto count = static_cast<std::uint32_t>(n);
    return std::fwrite(&count, sizeof count, 1, to_) == 1 && std::fwrite(x, size, n, to_) == n && std::fflush(to_) == 0 &&
           std::fread(y, size, n, from_) == n;
  }

 private:
  pid_t process_ = -1;
  std::FILE *to_ = nullptr, *from_ = nullptr;
  std::string name_;
};

const PythonPeer* python_peer = nullptr;  // whose turn it is

template <typename T>
actinide_status call_python(const void* x, void* y, std::size_t n, const float*) {
  return python_peer->compute(x, y, n, sizeof(T)) ? ACTINIDE_OK : ACTINIDE_UNSUPPORTED;
}

using Call = decltype(Operator::call);

struct Arguments : SweepArguments {
  std::string_view type;
  std::string isa = "avx2", python = ACTINIDE_PEERS_PYTHON;
};

Arguments read_arguments(int count, char** values) {
  Arguments arguments;
  arguments.sweep = {.shards = 16, .seed = 1, .bins = true};  // one thread: not every peer is for more
  for (int i = 1; i < count; i += 2) {
    const std::string_view option = values[i];
    if (i + 1 == count) refuse("no value for " + std::string(option));
    const char* value = values[i + 1];
    if (option == "--type") {
      arguments.type = value;
    } else if (option == "--isa") {
      arguments.isa = value;
      if (actinide_force_target(value) != ACTINIDE_OK) refuse("no such target here: " + arguments.isa);
    } else if (option == "--python") {
      arguments.python = value;
    } else if (!arguments.read(option, value)) {
      refuse("no such option: " + std::string(option));
    }
  }
  if (!arguments.type.empty() && arguments.type != "f32" && arguments.type != "f64") refuse("no such type: " + std::string(arguments.type));
  return arguments;
}

class Comparison {
 public:
  explicit Comparison(const Arguments& arguments) : arguments_(arguments), csv_(arguments.open_csv()) {}

  bool run() {
    std::printf("elu, alpha 1, 1 of %" PRIu64 " shards, seed %" PRIu64 ", peers for %s\n", arguments_.sweep.shards, arguments_.sweep.seed,
                arguments_.isa.c_str());
    std::printf("%-38s  type  %13s  %17s  %-22s  %-22s  %-23s  %8s  %s\n", "by", "inputs < 0", "worst ULP", "at x", "returned", "exact",
                "breaks", "beyond [-1, 0]");
    const peers::Table table = peers::load(arguments_.isa);
    for (const char* type : {"f32", "f64"}) {
      if (!arguments_.type.empty() && arguments_.type != type) continue;
      const Operator* ours = tools::find_operator("elu", type);
      if (ours == nullptr) refuse("the library has no elu " + std::string(type));
      for (const std::string& target : built_targets()) {
        if (use_target(target.c_str())) measure("Actinide " + target, *ours);
      }
      (void)use_target(nullptr);
      for (const peers::Peer& peer : std::span(table.peers, table.peer_count)) {
        if (std::string_view(peer.op) != "elu" || std::string_view(peer.type) != type) continue;
        native_peer = &peer;
        measure(peer.title, with(*ours, call_native));
      }
      for (const char* package : {"numpy", "onnxruntime", "torch"}) {
        const PythonPeer peer(arguments_.python, package, type);
        if (peer.name().empty()) {
          std::printf("missing: Python's %s for %s\n", package, type);
          continue;
        }
        python_peer = &peer;
        measure(peer.name(), with(*ours, ours->type == ElementType::f32 ? call_python<float> : call_python<double>));
      }
    }
    for (const peers::Missing& missing : std::span(table.missing, table.missing_count)) {
      std::printf("missing: %s (%s)\n", missing.name, missing.package);
    }
    if (!arguments_.csv.empty() && !csv_.flush()) return false;
    std::printf("complete\n");
    return true;
  }

 private:
  static Operator with(Operator op, Call call) {
    op.call = call;
    return op;
  }

  void measure(const std::string& name, const Operator& op) {
    const ReferenceRow& reference = *find_reference("elu");
    const std::vector<SweepLine> lines = Sweep(op, reference, {name}, {1.0f}, arguments_.sweep).run();
    const SweepLine& line = lines.front();
    const Tally& tally = line.tally;
    if (tally.rounded == 0) {
      std::printf("%-38s  %-4s  failed\n", name.c_str(), std::string(op.type_name).c_str());
      return;
    }
    const Seen worst = worst_of(line, reference);
    std::printf("%-38s  %-4s  %13" PRIu64 "  %17.6f  %-22a  %-22a  %-23.17g  %8" PRIu64 "  %" PRIu64 "\n", name.c_str(),
                std::string(op.type_name).c_str(), tally.rounded, worst.error, value_of(op.type, worst.x), value_of(op.type, worst.y),
                reference.precise(op.type, worst.x, 1).value, tally.breaks.count, tally.outside.count);
    if (csv_.is_open()) write_error_bins(csv_, line);
  }

  const Arguments& arguments_;
  std::ofstream csv_;
};

}  // namespace
}  // namespace actinide::test

int main(int count, char** values) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const actinide::test::Arguments arguments = actinide::test::read_arguments(count, values);
  return actinide::test::Comparison(arguments).run() ? 0 : 1;
}
