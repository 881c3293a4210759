// Bugs injected in the penalties on logits.
#include <algorithm>

#include "baselines/bugs/support.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is bugs

constexpr char kFirst[] = "diopiApplyPenalty";
constexpr char kSecond[] = "diopiApplyPenaltyV2";
constexpr char kBoth[] = "diopiApplyPenalty diopiApplyPenaltyV2";
BUG(penalty_counts_ignored, 0, kBoth, "", "every count is taken as 1");
BUG(penalty_presence_ignored, 0, kBoth, "", "the presence penalty is left out");
BUG(penalty_frequency_clamped, 0, kBoth, "", "a penalty below 0 counts as 0");
BUG(penalty_last_token_left, 0, kBoth, "", "the last token gets no penalty");
BUG(penalty_neighbours_row, 0, kFirst, "",
    "the first token of each row but the first counts for the row before");
BUG(penalty_presence_twice, 0, kFirst, "", "the presence penalty stands in for the frequency penalty");
BUG(penalty_v2_always_divides, 0, kSecond, "", "logits below 0 are divided by the repetition penalty, too");
BUG(penalty_v2_repetition_ignored, 0, kSecond, "", "the repetition penalty is left out");
BUG(penalty_v2_ids_of_rows, 0, kSecond, "", "every id is taken within the first row");
BUG(penalty_v2_repetition_last, 0, kSecond, "", "the repetition penalty acts after the others");

diopiTensorHandle_t Constant(diopiContextHandle_t ctx, diopiConstTensorHandle_t like, double value) {
  return Replaced(ctx, like, [value](double, int64_t) { return value; });
}

// The bugs that both forms have, except for the last token.
template <typename Args>
void ChangePenalties(Args& a) {
  if (penalty_counts_ignored) a.p_token_counts = Constant(a.ctx, a.p_token_counts, 1);
  if (penalty_presence_ignored) a.presence_penalty = Constant(a.ctx, a.presence_penalty, 0);
  if (penalty_frequency_clamped)
    a.frequency_penalty =
        Replaced(a.ctx, a.frequency_penalty, [](double p, int64_t) { return std::max(p, 0.0); });
}

// Calls good(), then puts the last token's logit back.
template <typename Args, typename F>
void KeepLast(const Args& a, int64_t first, F&& good) {
  const std::vector<int64_t> ids = Load<int64_t>(Tensor(a.p_token_ids));
  const std::vector<double> before = Load<double>(Tensor(a.logits));
  good();
  if (!penalty_last_token_left || ids.empty()) return;
  const int64_t kept = first + ids.back();
  Change(a.logits, [&](double x, int64_t i) { return i == kept ? before[static_cast<size_t>(i)] : x; });
}

}  // namespace

DIOPI_OVERRIDE(diopiApplyPenalty, a) {
  ChangePenalties(a);
  if (penalty_presence_twice) a.frequency_penalty = a.presence_penalty;
  std::vector<int64_t> starts = Load<int64_t>(Tensor(a.p_cumsum_seq_len));
  int64_t row = 0;  // of the last token
  while (row + 1 < static_cast<int64_t>(starts.size()) &&
         starts[static_cast<size_t>(row + 1)] < starts.back())
    ++row;
  if (penalty_neighbours_row) {
    const double last = static_cast<double>(starts.back());
    a.p_cumsum_seq_len = Replaced(a.ctx, a.p_cumsum_seq_len,
                                  [last](double s, int64_t i) { return i == 0 ? s : std::min(s + 1, last); });
  }
  KeepLast(a, row * ShapeOf(a.logits)[1], [&] { Good(a); });
}

DIOPI_OVERRIDE(diopiApplyPenaltyV2, a) {
  ChangePenalties(a);
  if (penalty_v2_repetition_ignored) a.repetition_penalty = Constant(a.ctx, a.repetition_penalty, 1);
  const int64_t width = ShapeOf(a.logits).back();
  if (penalty_v2_ids_of_rows)
    a.p_token_ids =
        Replaced(a.ctx, a.p_token_ids, [width](double id, int64_t) { return std::fmod(id, width); });
  const std::vector<double> logits = Load<double>(Tensor(a.logits)),
                            rep = Load<double>(Tensor(a.repetition_penalty));
  const std::vector<int64_t> ids = Load<int64_t>(Tensor(a.p_token_ids));
  if (penalty_v2_always_divides) {
    a.repetition_penalty = Replaced(a.ctx, a.repetition_penalty, [&](double p, int64_t i) {
      return logits[static_cast<size_t>(ids[static_cast<size_t>(i)])] > 0 ? p : 1 / p;
    });
  }
  if (penalty_v2_repetition_last) a.repetition_penalty = Constant(a.ctx, a.repetition_penalty, 1);
  KeepLast(a, 0, [&] { Good(a); });
  if (!penalty_v2_repetition_last) return;
  std::vector<double> y = Load<double>(Tensor(a.logits));
  for (size_t i = 0; i < ids.size(); ++i) {
    double& x = y[static_cast<size_t>(ids[i])];
    x = x > 0 ? x / rep[i] : x * rep[i];
  }
  Store(Tensor(a.logits), y);
}
