// Bugs injected into what is done to logits, and to k and p, before sampling.
#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Change;
using diopi::bugs::Load;
using diopi::bugs::Replaced;
using diopi::bugs::Tensor;

constexpr char kTemperature[] = "diopiBatchApplyTemperaturePenaltyInp";
BUG(temperature_of_first, 0, kTemperature, "", "the first sequence's temperature serves all");
BUG(temperature_bias_behind, 0, kTemperature, "", "the bias is added after the temperature is applied");
BUG(temperature_padding_kept, 0, kTemperature, "", "padding keeps what it held");
BUG(temperature_without_epsilon, 0, kTemperature, "", "division by the temperature itself");
BUG(temperature_multiplied, 0, kTemperature, "", "logits are multiplied by the temperature");
constexpr char kRepetition[] = "diopiBatchApplyRepetitionPenaltyInp";
BUG(repetition_penalized_twice, 0, kRepetition, "", "a token that was said twice is penalized twice");
BUG(repetition_padding_penalized, 0, kRepetition, "", "tokens of the padding are penalized");
BUG(repetition_always_divided, 0, kRepetition, "", "logits below 0 are divided, too");
BUG(repetition_type_ignored, 0, kRepetition, "", "penalties are factors whatever the type");
BUG(repetition_last_step_missed, 0, kRepetition, "", "the last token said is not penalized");
BUG(repetition_penalty_of_first, 0, kRepetition, "", "the first sequence's penalty serves all");
constexpr char kTopK[] = "diopiSetupTopkRuntimeArgsInp";
BUG(topk_args_limit_64, 0, kTopK, "", "k is limited to 64");
BUG(topk_args_greedy_skipped, 0, kTopK, "", "k = 0 and p = 0 is skipped");
BUG(topk_args_p_0_kept, 0, kTopK, "", "p = 0 stays 0 with k above 0");
BUG(topk_args_numbers_only, 0, kTopK, "", "the tensors' values are overwritten by the numbers");
constexpr char kTopP[] = "diopiSetupToppRuntimeArgsInp";
BUG(topp_args_decay_0_kept, 0, kTopP, "", "a decay of 0 is taken as it is");
BUG(topp_args_minimum_default, 0, kTopP, "", "a minimum outside the range becomes 1e-6");
BUG(topp_args_initial_unclipped, 0, kTopP, "", "the initial p is not clipped");
BUG(topp_args_skip_inverted, 0, kTopP, "", "sequences with k = 0 are skipped");
BUG(topp_args_reset_id_0, 0, kTopP, "", "a reset id below 0 becomes 0");

diopiConstTensorHandle_t FirstOf(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor) {
  const double first = Load<double>(Tensor(tensor))[0];
  return Replaced(ctx, tensor, [&](double, int64_t) { return first; });
}

}  // namespace

DIOPI_OVERRIDE(diopiBatchApplyTemperaturePenaltyInp, a) {
  const std::vector<double> before = Load<double>(Tensor(a.logits));
  const diopiConstTensorHandle_t bias = a.bias;
  if (temperature_of_first) a.temperatures = FirstOf(a.ctx, a.temperatures);
  if (temperature_multiplied)
    a.temperatures = Replaced(a.ctx, a.temperatures, [](double t, int64_t) { return 1 / t; });
  if (temperature_bias_behind) a.bias = nullptr;
  Good(a);
  const std::vector<double> temperatures = Load<double>(Tensor(a.temperatures));
  const std::vector<double> added = bias == nullptr ? std::vector<double>() : Load<double>(Tensor(bias));
  Change(a.logits, [&](double x, int64_t i) {
    const int64_t token = i % a.vocab_size_padd;
    const double old = before[static_cast<size_t>(i)];
    if (token >= a.vocab_size) return temperature_padding_kept ? old : x;
    const double term = added.empty() ? 0 : added[static_cast<size_t>(token)];
    if (temperature_bias_behind) return x + term;
    return temperature_without_epsilon
               ? (old + term) / temperatures[static_cast<size_t>(i / a.vocab_size_padd)]
               : x;
  });
}

DIOPI_OVERRIDE(diopiBatchApplyRepetitionPenaltyInp, a) {
  const std::vector<double> before = Load<double>(Tensor(a.logits));
  if (repetition_penalty_of_first) a.penalties = FirstOf(a.ctx, a.penalties);
  const int64_t longest = repetition_padding_penalized ? 0 : a.max_input_length;
  const int64_t steps = repetition_last_step_missed ? a.step - 1 : a.step;
  Good(diopiBatchApplyRepetitionPenaltyInpArgs{a.ctx, a.logits, a.penalties, a.output_ids, a.batch_size,
                                               a.vocab_size, a.input_lengths, longest, steps,
                                               repetition_type_ignored ? 2 : a.penalty_type});
  if (repetition_penalized_twice) {
    // Only tokens that the sequence said more than once.
    const std::vector<double> once = Load<double>(Tensor(a.logits));
    const std::vector<int64_t> ids = Load<int64_t>(Tensor(a.output_ids));
    Good(a);
    Change(a.logits, [&](double x, int64_t i) {
      int64_t said = 0;
      for (int64_t step = 0; step < a.step; ++step) {
        said += ids[static_cast<size_t>(step * a.batch_size + i / a.vocab_size)] == i % a.vocab_size ? 1 : 0;
      }
      return said > 1 ? x : once[static_cast<size_t>(i)];
    });
  }
  const std::vector<double> penalties = Load<double>(Tensor(a.penalties));
  Change(a.logits, [&](double x, int64_t i) {
    const double old = before[static_cast<size_t>(i)];
    if (!repetition_always_divided || a.penalty_type != 2 || old >= 0 || x == old) return x;
    return old / penalties[static_cast<size_t>(i / a.vocab_size)];
  });
}

DIOPI_OVERRIDE(diopiSetupTopkRuntimeArgsInp, a) {
  if (topk_args_numbers_only) a.top_ks_size = a.top_ps_size = 0;
  const std::vector<double> ks = Load<double>(Tensor(a.top_ks)), ps = Load<double>(Tensor(a.top_ps));
  const auto k = [&](int64_t i) {
    return a.top_ks_size > 0 ? ks[static_cast<size_t>(i)] : static_cast<double>(a.top_k);
  };
  const auto p = [&](int64_t i) {
    return a.top_ps_size > 0 ? ps[static_cast<size_t>(i)] : static_cast<double>(a.top_p);
  };
  Good(a);
  if (topk_args_limit_64) Change(a.top_ks, [](double x, int64_t) { return x > 64 ? 64 : x; });
  if (topk_args_p_0_kept) Change(a.top_ps, [&](double x, int64_t i) { return p(i) == 0 ? 0 : x; });
  if (topk_args_greedy_skipped) {
    Change(a.skip_decode, [&](double, int64_t i) { return k(i) == 0 ? 1 : 0; });
  }
}

DIOPI_OVERRIDE(diopiSetupToppRuntimeArgsInp, a) {
  const std::vector<double> ps = Load<double>(Tensor(a.top_ps));
  const int64_t id = a.top_p_reset_ids;
  Good(a);
  if (topp_args_decay_0_kept && a.top_p_decay == 0)
    Change(a.top_p_decay_buf, [](double, int64_t) { return 0; });
  if (topp_args_minimum_default)
    Change(a.top_p_min_buf, [](double x, int64_t) { return x == 0.5 ? 1e-6 : x; });
  if (topp_args_skip_inverted) Change(a.skip_decode, [](double x, int64_t) { return 1 - x; });
  if (topp_args_reset_id_0 && id < 0) Change(a.top_p_reset_ids_buf, [](double, int64_t) { return 0; });
  if (topp_args_initial_unclipped) {
    Change(a.initial_top_p_buf, [&](double, int64_t i) {
      return a.top_ps_size > 0 ? ps[static_cast<size_t>(i)] : static_cast<double>(a.top_p);
    });
  }
}
