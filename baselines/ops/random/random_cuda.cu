// random_ and randperm: integers.
#include "baselines/ops/random/integer_range.h"
#include "baselines/ops/random/random_cuda.h"
#include "baselines/ops/support/cuda/sort.h"

namespace diopi::ops::cuda {
namespace {

DIOPI_HD uint64_t BitsAt(const Words4& words, int64_t lane) {
  return static_cast<uint64_t>(words.word[2 * lane]) << 32 | words.word[2 * lane + 1];
}

struct DrawIntegers {
  Stream stream;
  int64_t n;
  IntegerRange range;
  Out<int64_t> out;
  DIOPI_HD void operator()(int64_t thread) const {
    const Words4 words = stream.Draw(thread);
    for (int64_t lane = 0; lane < 2 && thread * 2 + lane < n; ++lane) {
      const uint64_t bits = BitsAt(words, lane);
      out.Set(thread * 2 + lane, range.At(range.count == 0 ? bits : bits % range.count));
    }
  }
};

// Random keys; sorting by them shuffles their values.
struct DrawKeys {
  Stream stream;
  int64_t n;
  KeyedValues<uint64_t> pairs;
  DIOPI_HD void operator()(int64_t thread) const {
    const Words4 words = stream.Draw(thread);
    for (int64_t lane = 0; lane < 2 && thread * 2 + lane < n; ++lane) {
      pairs.keys[thread * 2 + lane] = BitsAt(words, lane);
      pairs.values[thread * 2 + lane] = thread * 2 + lane;
    }
  }
};

struct TakeShuffled {
  const int64_t* values;
  Out<int64_t> out;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, values[i]); }
};

void Randperm(diopiContextHandle_t ctx, const Tensor& out, int64_t n, diopiGeneratorHandle_t generator) {
  Check(n >= 0, "n must not be negative, got ", n);
  CheckShape(out, Shape{n}, "out");
  const Queue queue(ctx);
  const Stream stream = TakeBlock(generator);
  if (n == 0) return;
  KeyedValues<uint64_t> pairs{queue.Buffer<uint64_t>(n), queue.Buffer<int64_t>(n)};
  ForEach(queue, Threads(n, 2), DrawKeys{stream, n, pairs});
  pairs = SortByKey(queue, pairs, n, 64);
  ForEach(queue, n, TakeShuffled{pairs.values, Out<int64_t>(out)});
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiRandomInp, a) {
  using namespace diopi::ops;
  const Tensor out(a.inout);
  const IntegerRange range(out.dtype(), a.from, a.to);
  const cuda::Stream stream = cuda::TakeBlock(a.generator);
  cuda::ForEach(cuda::Queue(a.ctx), cuda::Threads(out.numel(), 2),
                cuda::DrawIntegers{stream, out.numel(), range, cuda::Out<int64_t>(out)});
}

DIOPI_KERNEL(diopiRandperm, a) {
  using namespace diopi::ops;
  cuda::Randperm(a.ctx, a.out, a.n, a.generator);
}
