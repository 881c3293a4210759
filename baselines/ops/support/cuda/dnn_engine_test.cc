#include "baselines/ops/support/cuda/dnn_engine.h"

#include <gtest/gtest.h>

namespace diopi::ops::cuda {
namespace {

TEST(EngineAllowed, OnlyWhatIsDeterministicAndAsPreciseAsItsDtype) {
  constexpr auto kFloat = diopi_dtype_float32;
  const struct {
    std::vector<EngineNote> notes;
    diopiDtype_t dtype;
    bool tf32, allowed;
  } kCases[] = {
      {{}, kFloat, false, true},
      {{EngineNote::kStrictNanPropagation}, kFloat, false, true},
      {{EngineNote::kTensorCore}, kFloat, false, false},
      {{EngineNote::kTensorCore}, kFloat, true, true},
      {{EngineNote::kTensorCore}, diopi_dtype_float16, false, true},
      {{EngineNote::kTensorCore}, diopi_dtype_bfloat16, false, true},
      {{EngineNote::kTensorCore}, diopi_dtype_float64, false, true},
      {{EngineNote::kTensorCore, EngineNote::kDownConvertInputs}, kFloat, true, false},
      {{EngineNote::kTensorCore, EngineNote::kReducedPrecisionReduction}, diopi_dtype_float16, true, false},
      {{EngineNote::kNondeterministic}, kFloat, true, false},
      {{EngineNote::kStrictNanPropagation, EngineNote::kNondeterministic}, kFloat, true, false},
      {{EngineNote::kFft}, kFloat, true, false},
      {{EngineNote::kWinograd}, kFloat, true, false},
      {{static_cast<EngineNote>(6)}, kFloat, true, false},   // Winograd's tiles
      {{static_cast<EngineNote>(10)}, kFloat, true, false},  // of a later cuDNN
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(EngineAllowed(c.notes, c.dtype, c.tf32), c.allowed)
        << "case " << &c - kCases << ": " << c.notes.size() << " notes, tf32 " << c.tf32;
  }
}

// Without a driver cuDNN proposes no engine that it would compile, so that no test of plans shows the order.
TEST(PutCompiledLast, KeepsTheOrderOtherwise) {
  std::vector<int> engines = {-1, 5, -3, 2, 7};  // below 0: compiled in the call
  PutCompiledLast(&engines, [](int engine) { return engine < 0; });
  EXPECT_EQ(engines, (std::vector<int>{5, 2, 7, -1, -3}));
}

}  // namespace
}  // namespace diopi::ops::cuda
