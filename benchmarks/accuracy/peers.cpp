// accuracy_peers: the errors of what else there is for e^x - 1 or Elu with alpha 1, measured as accuracy_exhaustive measures this
// library's: the same inputs, the same reference. Those that were not found at build time, or that Python does not have, are named as
// missing.
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gnu/libc-version.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef ACTINIDE_HAVE_EIGEN
#include <Eigen/Core>
#endif
#ifdef ACTINIDE_HAVE_SLEEF
#include <sleef.h>
#endif
#ifdef ACTINIDE_HAVE_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>
#endif
#ifdef ACTINIDE_HAVE_XNNPACK
#include <xnnpack.h>
#endif

#include "error_bins.h"
#include "sweep.h"

namespace actinide::test {
namespace {

const char usage[] = R"(accuracy_peers [OPTION VALUE]...
  --type TYPE     f32 or f64 alone
  --shards N      one input in N, 16 if not given
  --seed S        chooses which, 1 if not given
  --csv FILE      writes the largest error by bins of x, 16 an octave, from -2^-30 to -20
  --python FILE   the Python whose NumPy, ONNX Runtime and PyTorch are measured
)";

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "%s\n%s", why.c_str(), usage);
  std::exit(2);
}

/// What an operator of the table calls. `compute` has (const T* x, T* y, n); it may read and write some elements more. If it is for x < 0
/// alone, others are left as they are.
template <typename T, auto compute, bool is_elu>
actinide_status call(const void* x, void* y, std::size_t n, const float*) {
  static std::vector<T> in, out;
  in.resize(n + 64);
  out.resize(n + 64);
  std::memcpy(in.data(), x, n * sizeof(T));
  if (!compute(in.data(), out.data(), n)) return ACTINIDE_UNSUPPORTED;
  if (!is_elu) {
    for (std::size_t i = 0; i < n; ++i) out[i] = in[i] < 0 ? out[i] : in[i];
  }
  std::memcpy(y, out.data(), n * sizeof(T));
  return ACTINIDE_OK;
}

template <typename T>
bool by_libm(const T* x, T* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = std::expm1(x[i]);
  return true;
}

template <typename T>
bool by_exp(const T* x, T* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = std::exp(x[i]) - 1;
  return true;
}

#ifdef ACTINIDE_HAVE_EIGEN
template <typename T>
bool by_eigen(const T* x, T* y, std::size_t n) {
  using Array = Eigen::Array<T, Eigen::Dynamic, 1>;
  const auto size = static_cast<Eigen::Index>(n);
  Eigen::Map<Array>(y, size) = Eigen::Map<const Array>(x, size).expm1();
  return true;
}
#endif

#ifdef ACTINIDE_HAVE_SLEEF
bool by_sleef_f32(const float* x, float* y, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 8) _mm256_storeu_ps(y + i, Sleef_expm1f8_u10(_mm256_loadu_ps(x + i)));
  return true;
}
bool by_sleef_f64(const double* x, double* y, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 4) _mm256_storeu_pd(y + i, Sleef_expm1d4_u10(_mm256_loadu_pd(x + i)));
  return true;
}
#endif

#ifdef ACTINIDE_HAVE_ONEDNN
bool by_onednn(const float* x, float* y, std::size_t n) {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  static dnnl::stream stream(engine);
  const dnnl::memory::desc shape({static_cast<dnnl::memory::dim>(n)}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::eltwise_forward::primitive_desc elu(engine, dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_elu, shape, shape,
                                                  1.0f);
#else
  const dnnl::eltwise_forward::primitive_desc elu({dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_elu, shape, 1.0f}, engine);
#endif
  const dnnl::memory source(shape, engine, const_cast<float*>(x)), destination(shape, engine, y);
  dnnl::eltwise_forward(elu).execute(stream, {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, destination}});
  stream.wait();
  return true;
}
#endif

#ifdef ACTINIDE_HAVE_XNNPACK
bool by_xnnpack(const float* x, float* y, std::size_t n) {
  static xnn_operator_t elu = [] {
    xnn_operator_t made = nullptr;
    if (xnn_initialize(nullptr) == xnn_status_success) (void)xnn_create_elu_nc_f32(1, 1, 1, 1.0f, 0, &made);
    return made;
  }();
  return elu != nullptr && xnn_setup_elu_nc_f32(elu, n, x, y, nullptr) == xnn_status_success &&
         xnn_run_operator(elu, nullptr) == xnn_status_success;
}
#endif

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
bool by_python(const T* x, T* y, std::size_t n) {
  return python_peer->compute(x, y, n, sizeof(T));
}

using Call = decltype(Operator::call);

struct Peer {
  std::string name;
  Call f32, f64;  ///< null if it has none
  const char* missing = nullptr;
};

#define TEXT_OF(macro) TEXT_OF_VALUE(macro)
#define TEXT_OF_VALUE(value) #value

std::vector<Peer> native_peers() {
  return {
      {std::string("glibc ") + gnu_get_libc_version() + " expm1", call<float, by_libm<float>, false>, call<double, by_libm<double>, false>},
      {std::string("glibc ") + gnu_get_libc_version() + " exp(x) - 1", call<float, by_exp<float>, false>,
       call<double, by_exp<double>, false>},
#ifdef ACTINIDE_HAVE_EIGEN
      {"Eigen " TEXT_OF(EIGEN_WORLD_VERSION) "." TEXT_OF(EIGEN_MAJOR_VERSION) "." TEXT_OF(EIGEN_MINOR_VERSION) " expm1",
       call<float, by_eigen<float>, false>, call<double, by_eigen<double>, false>},
#else
      {"Eigen", nullptr, nullptr, "libeigen3-dev"},
#endif
#ifdef ACTINIDE_HAVE_SLEEF
      {"SLEEF " TEXT_OF(SLEEF_VERSION_MAJOR) "." TEXT_OF(SLEEF_VERSION_MINOR) "." TEXT_OF(SLEEF_VERSION_PATCHLEVEL) " expm1 u10",
       call<float, by_sleef_f32, false>, call<double, by_sleef_f64, false>},
#else
      {"SLEEF", nullptr, nullptr, "libsleef-dev"},
#endif
#ifdef ACTINIDE_HAVE_ONEDNN
      {"oneDNN " TEXT_OF(DNNL_VERSION_MAJOR) "." TEXT_OF(DNNL_VERSION_MINOR) "." TEXT_OF(DNNL_VERSION_PATCH) " eltwise_elu",
       call<float, by_onednn, true>, nullptr},
#else
      {"oneDNN", nullptr, nullptr, "libdnnl-dev"},
#endif
#ifdef ACTINIDE_HAVE_XNNPACK
      {"XNNPACK elu", call<float, by_xnnpack, true>, nullptr},
#else
      {"XNNPACK", nullptr, nullptr, "libxnnpack-dev and libpthreadpool-dev"},
#endif
  };
}

struct Arguments {
  std::string_view type, csv;
  std::string python = ACTINIDE_PEERS_PYTHON;
  SweepOptions sweep{.shards = 16, .seed = 1, .bins = true};  // one thread: not every peer is for more
};

std::uint64_t number(const char* text) {
  char* rest = nullptr;
  const std::uint64_t value = std::strtoull(text, &rest, 0);
  if (rest == text || *rest != '\0') refuse("not a number: " + std::string(text));
  return value;
}

Arguments read_arguments(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i < count; i += 2) {
    const std::string_view option = values[i];
    if (i + 1 == count) refuse("no value for " + std::string(option));
    const char* value = values[i + 1];
    if (option == "--type") {
      arguments.type = value;
    } else if (option == "--shards") {
      arguments.sweep.shards = number(value);
      if (arguments.sweep.shards == 0 || arguments.sweep.shards > 1 << 20) refuse("--shards is from 1 to 2^20");
    } else if (option == "--seed") {
      arguments.sweep.seed = number(value);
    } else if (option == "--csv") {
      arguments.csv = value;
    } else if (option == "--python") {
      arguments.python = value;
    } else {
      refuse("no such option: " + std::string(option));
    }
  }
  if (!arguments.type.empty() && arguments.type != "f32" && arguments.type != "f64") refuse("no such type: " + std::string(arguments.type));
  return arguments;
}

class Comparison {
 public:
  explicit Comparison(const Arguments& arguments) : arguments_(arguments) {
    if (arguments.csv.empty()) return;
    csv_.open(std::string(arguments.csv));
    if (!csv_) refuse("cannot write " + std::string(arguments.csv));
    csv_ << error_bins_head;
  }

  bool run() {
    std::printf("elu, alpha 1, 1 of %" PRIu64 " shards, seed %" PRIu64 "\n", arguments_.sweep.shards, arguments_.sweep.seed);
    std::printf("%-31s  type  %13s  %17s  %-22s  %-22s  %-23s  %8s  %s\n", "by", "inputs < 0", "worst ULP", "at x", "returned", "exact",
                "breaks", "beyond [-1, 0]");
    const std::vector<Peer> peers = native_peers();
    for (const char* type : {"f32", "f64"}) {
      if (!arguments_.type.empty() && arguments_.type != type) continue;
      const Operator* ours = tools::find_operator("elu", type);
      if (ours == nullptr) refuse("the library has no elu " + std::string(type));
      for (const std::string& target : built_targets()) {
        if (use_target(target.c_str())) measure("Actinide " + target, *ours);
      }
      (void)use_target(nullptr);
      const bool is_f32 = ours->type == ElementType::f32;
      for (const Peer& peer : peers) {
        if (const Call by = is_f32 ? peer.f32 : peer.f64) measure(peer.name, with(*ours, by));
      }
      for (const char* package : {"numpy", "onnxruntime", "torch"}) {
        const PythonPeer peer(arguments_.python, package, type);
        if (peer.name().empty()) {
          std::printf("missing: Python's %s for %s\n", package, type);
          continue;
        }
        python_peer = &peer;
        measure(peer.name(), with(*ours, is_f32 ? call<float, by_python<float>, true> : call<double, by_python<double>, true>));
      }
    }
    for (const Peer& peer : peers) {
      if (peer.missing != nullptr) std::printf("missing: %s (Debian's %s)\n", peer.name.c_str(), peer.missing);
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
      std::printf("%-31s  %-4s  failed\n", name.c_str(), std::string(op.type_name).c_str());
      return;
    }
    const Seen worst = worst_of(line, reference);
    std::printf("%-31s  %-4s  %13" PRIu64 "  %17.6f  %-22a  %-22a  %-23.17g  %8" PRIu64 "  %" PRIu64 "\n", name.c_str(),
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
