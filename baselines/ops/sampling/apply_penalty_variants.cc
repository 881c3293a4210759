// Penalties as tensor operations whose results are stored, and with the subtractions joined.
#include "baselines/injected/injected.h"
#include "baselines/ops/support/stored.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kBoth[] = "diopiApplyPenalty diopiApplyPenaltyV2";
VARIANT(penalty_stored_steps, kBoth, "", "every step in the logits' type");
VARIANT(penalty_joined, kBoth, "", "the penalties added up, in the logits' type, and subtracted at once");
VARIANT(penalty_fma, kBoth, "", "count and frequency fused with the subtraction");

template <typename C>
C Penalized(diopiDtype_t t, C x, C count, C frequency, C presence) {
  if (penalty_fma) return std::fma(-count, frequency, x) - presence;
  const C product = Stored(t, count * frequency);
  if (penalty_joined) return x - Stored(t, product + presence);
  return Stored(t, x - product) - presence;
}

bool Chosen() {
  return penalty_stored_steps || penalty_joined || penalty_fma;
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiApplyPenalty, a) {
  if (!Chosen()) return Good(a);
  const Tensor logits(a.logits);
  const std::vector<int64_t> ids = Load<int64_t>(Tensor(a.p_token_ids)),
                             starts = Load<int64_t>(Tensor(a.p_cumsum_seq_len));
  DispatchReal(logits.dtype(), [&]<typename C>() {
    const std::vector<C> counts = Load<C>(Tensor(a.p_token_counts)),
                         presence = Load<C>(Tensor(a.presence_penalty)),
                         frequency = Load<C>(Tensor(a.frequency_penalty));
    std::vector<C> x = Load<C>(logits);
    for (size_t row = 0; row < presence.size(); ++row) {
      for (int64_t i = starts[row]; i < starts[row + 1]; ++i) {
        C& logit =
            x[row * static_cast<size_t>(logits.size(1)) + static_cast<size_t>(ids[static_cast<size_t>(i)])];
        logit =
            Penalized(logits.dtype(), logit, counts[static_cast<size_t>(i)], frequency[row], presence[row]);
      }
    }
    Store(logits, x);
  });
}

DIOPI_OVERRIDE(diopiApplyPenaltyV2, a) {
  if (!Chosen()) return Good(a);
  const Tensor logits(a.logits);
  const std::vector<int64_t> ids = Load<int64_t>(Tensor(a.p_token_ids));
  DispatchReal(logits.dtype(), [&]<typename C>() {
    const std::vector<C> counts = Load<C>(Tensor(a.p_token_counts)),
                         presence = Load<C>(Tensor(a.presence_penalty)),
                         frequency = Load<C>(Tensor(a.frequency_penalty)),
                         repetition = Load<C>(Tensor(a.repetition_penalty));
    std::vector<C> x = Load<C>(logits);
    for (size_t i = 0; i < ids.size(); ++i) {
      C& logit = x[static_cast<size_t>(ids[i])];
      const C repeated = Stored(logits.dtype(), logit > 0 ? logit / repetition[i] : logit * repetition[i]);
      logit = Penalized(logits.dtype(), repeated, counts[i], frequency[i], presence[i]);
    }
    Store(logits, x);
  });
}
