// Other right ways: lists of words and ids as the header describes them, rows cleared, logits changed in
// other orders of operations.
#include <algorithm>
#include <cmath>

#include "baselines/injected/injected.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(gather_output_cleared, "diopiGatherOutput", "", "rows are cleared first");
VARIANT(embedding_lookup_columns, "diopiEmbeddingLookupPosEncoding", "",
        "all_ids is [batch_size, session], as in the header");
VARIANT(stop_words_shorter_only, "diopiStopWordsCriterion", "",
        "only words of fewer than step + 1 tokens are looked for, as in the header");
VARIANT(ban_words_whole, "diopiBanBadWordsInp", "",
        "the whole word must end at this step, and have fewer than step + 1 tokens, as in the header");
VARIANT(topk_args_tensors_above_1, "diopiSetupTopkRuntimeArgsInp", "",
        "tensors count where they have more than one element, as in lmdeploy");
constexpr char kTemperature[] = "diopiBatchApplyTemperaturePenaltyInp";
VARIANT(temperature_divides, kTemperature, "",
        "division by the temperature, as in the public implementation");
VARIANT(temperature_double, kTemperature, "", "in the next wider type");
constexpr char kRepetition[] = "diopiBatchApplyRepetitionPenaltyInp";
VARIANT(repetition_by_clamping, kRepetition, "",
        "min(x, 0) * penalty + max(x, 0) / penalty, as in the public implementation");
VARIANT(repetition_double, kRepetition, "", "in the next wider type");

// Drops the words of more than `longest` tokens: their last token becomes -2, which nobody says.
diopiConstTensorHandle_t WordsUpTo(diopiContextHandle_t ctx, diopiConstTensorHandle_t lists, int64_t length,
                                   int64_t longest) {
  const Tensor view(lists);
  std::vector<int64_t> values = Load<int64_t>(view);
  for (auto list = values.begin(); list != values.end(); list += 2 * length) {
    for (int64_t word = 0; word < length; ++word) {
      const int64_t end = list[length + word], start = word > 0 ? list[length + word - 1] : 0;
      if (end - start > longest) list[end - 1] = -2;
    }
  }
  diopiTensorHandle_t copy = RequireTensor(ctx, view.shape(), view.dtype());
  Store(Tensor(copy), values);
  return copy;
}

template <typename W>
W Penalized(const W& x, const W& penalty, int64_t type) {
  if (type == 1) return x - penalty;
  if (repetition_by_clamping) return std::min(x, W(0)) * penalty + std::max(x, W(0)) / penalty;
  return x < 0 ? x * penalty : x / penalty;
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiGatherOutput, a) {
  const Tensor out(a.output_ids);
  if (gather_output_cleared) Store(out, std::vector<int64_t>(static_cast<size_t>(out.numel()), 0));
  Good(a);
}

DIOPI_OVERRIDE(diopiEmbeddingLookupPosEncoding, a) {
  const Tensor view(a.all_ids);
  if (!embedding_lookup_columns || view.size(0) != a.batch_size) return Good(a);
  const std::vector<int64_t> ids = Load<int64_t>(view);
  std::vector<int64_t> turned(ids.size());
  const int64_t steps = view.size(1);
  for (int64_t i = 0; i < view.numel(); ++i) {
    turned[static_cast<size_t>(i % steps * a.batch_size + i / steps)] = ids[static_cast<size_t>(i)];
  }
  diopiTensorHandle_t copy = RequireTensor(a.ctx, {steps, a.batch_size}, view.dtype());
  Store(Tensor(copy), turned);
  a.all_ids = copy;
  Good(a);
}

DIOPI_OVERRIDE(diopiStopWordsCriterion, a) {
  if (stop_words_shorter_only) a.stop_words = WordsUpTo(a.ctx, a.stop_words, a.stop_words_len, a.step);
  Good(a);
}

DIOPI_OVERRIDE(diopiBanBadWordsInp, a) {
  if (!ban_words_whole) return Good(a);
  const Tensor view(a.logits);
  const std::vector<double> before = Load<double>(view);
  const std::vector<int64_t> ids = Load<int64_t>(Tensor(a.output_ids));
  a.bad_words = WordsUpTo(a.ctx, a.bad_words, a.bad_words_len, a.step);
  Good(a);
  // The reference looked at the steps before this one. What it banned stays banned only if it is this step's
  // token.
  std::vector<double> logits = Load<double>(view);
  for (size_t i = 0; i < logits.size(); ++i) {
    const int64_t b = static_cast<int64_t>(i) / a.vocab_size, token = static_cast<int64_t>(i) % a.vocab_size;
    if (ids[static_cast<size_t>(a.step * a.batch_size + b)] != token) logits[i] = before[i];
  }
  Store(view, logits);
}

DIOPI_OVERRIDE(diopiSetupTopkRuntimeArgsInp, a) {
  if (topk_args_tensors_above_1) {
    a.top_ks_size = std::max<int64_t>(a.top_ks_size - 1, 0);
    a.top_ps_size = std::max<int64_t>(a.top_ps_size - 1, 0);
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiBatchApplyTemperaturePenaltyInp, a) {
  if (!temperature_divides && !temperature_double) return Good(a);
  const Tensor logits(a.logits);
  const std::vector<double> bias = a.bias != nullptr ? Load<double>(Tensor(a.bias)) : std::vector<double>();
  std::vector<double> values = Load<double>(logits);
  const std::vector<double> temperatures = Load<double>(Tensor(a.temperatures));
  Good(a);
  const std::vector<double> good = Load<double>(logits);
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t token = static_cast<int64_t>(i) % a.vocab_size_padd;
    const double t = temperatures[i / static_cast<size_t>(a.vocab_size_padd)];
    const double added = bias.empty() ? 0 : bias[static_cast<size_t>(token)];
    if (token >= a.vocab_size) {
      values[i] = good[i];
    } else if (temperature_double) {
      values[i] = (values[i] + added) / (t + 1e-6);
    } else {
      const float sum = static_cast<float>(values[i]) + static_cast<float>(added);
      values[i] = static_cast<double>(sum / (static_cast<float>(t) + 1e-6F));
    }
  }
  Store(logits, values);
}

DIOPI_OVERRIDE(diopiBatchApplyRepetitionPenaltyInp, a) {
  if (!repetition_by_clamping && !repetition_double) return Good(a);
  const Tensor logits(a.logits);
  const std::vector<double> before = Load<double>(logits), penalties = Load<double>(Tensor(a.penalties));
  const std::vector<int64_t> ids = Load<int64_t>(Tensor(a.output_ids)),
                             lengths = Load<int64_t>(Tensor(a.input_lengths));
  std::vector<double> values = before;
  for (int64_t step = 0; step < a.step; ++step) {
    for (int64_t b = 0; b < a.batch_size; ++b) {
      if (step >= lengths[static_cast<size_t>(b)] && step < a.max_input_length) continue;
      const auto at =
          static_cast<size_t>(b * a.vocab_size + ids[static_cast<size_t>(step * a.batch_size + b)]);
      const double penalty = penalties[static_cast<size_t>(b)];
      values[at] = repetition_double
                       ? Penalized(before[at], penalty, a.penalty_type)
                       : static_cast<double>(Penalized(static_cast<float>(before[at]),
                                                       static_cast<float>(penalty), a.penalty_type));
    }
  }
  Store(logits, values);
}
