// The library checks of streams: products of matrices of small integers, which every float32 and every tf32
// arithmetic computes exactly, compared bit for bit with the host's float64 results. Work that ignores its
// stream often finds its inputs already there and passes. So, where the library has the functions for it, the
// inputs start as zeros and their values arrive late on the stream.
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/findings/finding.h"
#include "impl_loader/caller/check_context.h"
#include "impl_loader/caller/library_check.h"
#include "impl_loader/caller/stream_delay.h"

namespace diopi::loader {
namespace {

constexpr int kSteps = 10;
constexpr int64_t kSize = 65;  // side of the matrices, not a multiple of a tile
constexpr int kRounds = 8;     // of each thread
// How long the inputs are delayed on their stream, where the library has the functions for that.
constexpr double kLateSeconds = 0.5e-3;
constexpr double kVeryLateSeconds = 4e-3;

// x0 in {-1, 0, 1}, and ten matrices with two entries of +-1 in each column: products stay within 2^10.
class Matrices {
 public:
  explicit Matrices(uint32_t seed) : state_(seed) {
    start = Random([this](int64_t, int64_t) { return static_cast<double>(Next() % 3) - 1; });
    for (int step = 0; step < kSteps; ++step) {
      std::vector<double>& factor = factors.emplace_back(kSize * kSize, 0.0);
      for (int64_t column = 0; column < kSize; ++column) {
        for (int entry = 0; entry < 2; ++entry) {
          factor[static_cast<size_t>((Next() % kSize) * kSize + column)] = Next() % 2 == 0 ? 1 : -1;
        }
      }
    }
    product = start;
    for (const std::vector<double>& factor : factors) product = Multiply(product, factor);
  }

  std::vector<double> start;
  std::vector<std::vector<double>> factors;
  std::vector<double> product;  // of all matrices, in float64

 private:
  uint32_t Next() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 16;
  }
  template <typename F>
  static std::vector<double> Random(F element) {
    std::vector<double> values;
    for (int64_t row = 0; row < kSize; ++row) {
      for (int64_t column = 0; column < kSize; ++column) values.push_back(element(row, column));
    }
    return values;
  }
  static std::vector<double> Multiply(const std::vector<double>& a, const std::vector<double>& b) {
    return Random([&](int64_t row, int64_t column) {
      double sum = 0;
      for (int64_t k = 0; k < kSize; ++k) {
        sum += a[static_cast<size_t>(row * kSize + k)] * b[static_cast<size_t>(k * kSize + column)];
      }
      return sum;
    });
  }
  uint32_t state_;
};

// One chain of dependent products on one stream.
class Chain {
 public:
  Chain(VendorLibrary* vendor, CheckedFunction matmul, const Matrices& matrices)
      : matmul_(matmul), matrices_(matrices), context_(vendor), delay_(vendor->functions()) {}

  // Makes the stream and the tensors, and queues the inputs, delayed by `late` seconds if that is possible.
  LibraryCheck Begin(double late) {
    if (const int32_t code = context_.MakeStream(); code != 0) return StepFailed("make_stream", code);
    for (int i = 0; i < 2; ++i) values_.push_back(context_.NewTensor({kSize, kSize}));
    Input(values_[0], matrices_.start);
    for (const std::vector<double>& factor : matrices_.factors) {
      factors_.push_back(context_.NewTensor({kSize, kSize}));
      Input(factors_.back(), factor);
    }
    if (values_[1] == nullptr || out_of_memory_) return NoMemory();
    int32_t code = context_.Upload(*values_[1]);
    for (const Placed& input : inputs_) {
      if (code == 0) code = late > 0 ? PutAside(input) : context_.Upload(*input.tensor);
    }
    if (code == 0) code = context_.context().Synchronize();
    if (code == 0 && late > 0) {
      delay_.Hold(context_.context().stream, late);
      for (const Placed& input : inputs_) {
        if (code == 0) code = context_.context().CopyOnDevice(input.aside->storage, input.tensor->storage);
      }
    }
    return code == 0 ? Passing() : StepFailed("copy_in", code);
  }

  // Queues one product.
  LibraryCheck Step(size_t step) {
    diopiTensor* out = values_[(step + 1) % 2];
    const CheckedCall call = CallChecked(
        matmul_, &context_,
        {static_cast<void*>(out), static_cast<void*>(values_[step % 2]), static_cast<void*>(factors_[step])});
    return call.outcome == v1::OUTCOME_PASS ? Passing() : Checked(call.outcome, call.found);
  }

  // Waits for the stream, and compares.
  LibraryCheck End() {
    diopiTensor* result = values_[kSteps % 2];
    int32_t code = context_.context().Synchronize();
    if (code != 0) return SyncFailed(matmul_.name(), code);
    code = context_.Download(*result);
    if (code == 0) code = context_.context().Synchronize();
    if (code != 0) return StepFailed("copy_out", code);
    return Compare(*result);
  }

  bool CanBeLate() const { return delay_.Possible(); }

 private:
  struct Placed {
    diopiTensor* tensor = nullptr;
    diopiTensor* aside = nullptr;
  };

  static void Fill(diopiTensor* tensor, const std::vector<double>& values) {
    auto* to = reinterpret_cast<float*>(tensor->storage.mirror);
    for (size_t i = 0; i < values.size(); ++i) to[i] = static_cast<float>(values[i]);
  }

  void Input(diopiTensor* tensor, const std::vector<double>& values) {
    diopiTensor* aside = CanBeLate() ? context_.NewTensor({kSize, kSize}) : tensor;
    out_of_memory_ = out_of_memory_ || tensor == nullptr || aside == nullptr;
    if (out_of_memory_) return;
    Fill(tensor, values);
    Fill(aside, values);
    inputs_.push_back({tensor, aside});
  }

  // Moves the values to memory beside the tensor, and sets the tensor to zeros.
  int32_t PutAside(const Placed& input) {
    std::memset(input.tensor->storage.mirror, 0, input.tensor->storage.bytes);
    const int32_t code = context_.Upload(*input.tensor);
    return code == 0 ? context_.Upload(*input.aside) : code;
  }

  LibraryCheck Compare(const diopiTensor& result) const {
    const auto* found = reinterpret_cast<const float*>(result.storage.mirror);
    size_t wrong = 0;
    size_t first = 0;
    for (size_t i = 0; i < matrices_.product.size(); ++i) {
      if (static_cast<double>(found[i]) == matrices_.product[i]) continue;
      if (wrong++ == 0) first = i;
    }
    if (wrong == 0) return Passing();
    return Wrong("product", absl::StrCat(wrong, " of ", matrices_.product.size(), " elements of the last of ",
                                         kSteps, " products are wrong, the first at ", first, ": got ",
                                         found[first], ", expected ", matrices_.product[first]));
  }

  CheckedFunction matmul_;
  const Matrices& matrices_;
  CheckContext context_;
  StreamDelay delay_;
  std::vector<diopiTensor*> values_;  // the running product, in turn
  std::vector<diopiTensor*> factors_;
  std::vector<Placed> inputs_;
  bool out_of_memory_ = false;
};

CheckedFunction FindMatmul(VendorLibrary* vendor) {
  return FindFirst(vendor, {"diopiMatmul", "diopiMm"});
}

LibraryCheck NoMatmul() {
  return Checked(v1::OUTCOME_NOT_IMPLEMENTED, Found(v1::Finding::NO_PRODUCTS));
}

LibraryCheck RunChain(Chain* chain, double late) {
  LibraryCheck check = chain->Begin(late);
  for (size_t step = 0; step < kSteps && Passed(check); ++step) check = chain->Step(step);
  return Passed(check) ? chain->End() : check;
}

}  // namespace

LibraryCheck CheckStreamChain(VendorLibrary* vendor) {
  const CheckedFunction matmul = FindMatmul(vendor);
  if (matmul.symbol == nullptr) return NoMatmul();
  const Matrices matrices(1);
  // Once as usual and once with delayed inputs: work that does not wait shows in the second run at least.
  for (const double late : {0.0, kVeryLateSeconds}) {
    Chain chain(vendor, matmul, matrices);
    if (late > 0 && !chain.CanBeLate()) break;
    LibraryCheck check = RunChain(&chain, late);
    if (Passed(check)) continue;
    check = late > 0 ? In("delayed_inputs", "with delayed inputs on the stream", check)
                     : In("chain", "ten dependent products", check);
    return WithLastError(check, vendor);
  }
  return Passing();
}

LibraryCheck CheckInterleavedStreams(VendorLibrary* vendor) {
  const CheckedFunction matmul = FindMatmul(vendor);
  if (matmul.symbol == nullptr) return NoMatmul();
  const Matrices matrices[] = {Matrices(2), Matrices(3)};
  // Waits for each stream first, in turn.
  for (const size_t first : {size_t{0}, size_t{1}}) {
    Chain chains[] = {{vendor, matmul, matrices[0]}, {vendor, matmul, matrices[1]}};
    const bool late = chains[0].CanBeLate();
    LibraryCheck check = Passing();
    for (const size_t i : {first, 1 - first}) {
      const double seconds = i == first ? kLateSeconds : kVeryLateSeconds;
      if (Passed(check)) check = chains[i].Begin(late ? seconds : 0);
    }
    for (size_t step = 0; step < kSteps && Passed(check); ++step) {
      check = chains[0].Step(step);
      if (Passed(check)) check = chains[1].Step(step);
    }
    for (const size_t i : {first, 1 - first}) {
      if (Passed(check))
        check = In("interleaved", absl::StrCat("stream ", i + 1, " of two"), chains[i].End());
    }
    if (!Passed(check)) return WithLastError(check, vendor);
  }
  return Passing();
}

LibraryCheck CheckStreamThreads(VendorLibrary* vendor) {
  const CheckedFunction matmul = FindMatmul(vendor);
  if (matmul.symbol == nullptr) return NoMatmul();
  const Matrices matrices[] = {Matrices(4), Matrices(5)};
  LibraryCheck found[2] = {Passing(), Passing()};
  std::atomic<bool> failed{false};
  std::barrier together(2);
  const auto work = [&](size_t thread) {
    // Both threads read `stop` between the same two barriers, so that none waits for one that has left.
    for (int round = 0; round < kRounds; ++round) {
      together.arrive_and_wait();
      const bool stop = failed;
      together.arrive_and_wait();
      if (stop) return;
      Chain chain(vendor, matmul, matrices[thread]);
      found[thread] = In("threads", absl::StrCat("thread ", thread + 1, " of two, round ", round + 1),
                         RunChain(&chain, 0));
      if (!Passed(found[thread])) failed = true;
    }
  };
  std::thread other([&] { work(1); });
  work(0);
  other.join();
  return WithLastError(Passed(found[0]) ? found[1] : found[0], vendor);
}

}  // namespace diopi::loader
