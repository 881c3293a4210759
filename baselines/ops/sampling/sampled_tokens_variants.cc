// Other right ways to draw a token: other generators, float32 and stored 16-bit weights as in lmdeploy,
// Gumbel noise, random numbers from the other end, and what the header leaves open.
#include <algorithm>
#include <cmath>
#include <random>

#include "baselines/injected/injected.h"
#include "baselines/ops/sampling/token_rows.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kTokenFunctions[] = "diopiTopKSampling diopiTopPSampling";
VARIANT(tokens_mt19937, kTokenFunctions, "", "random numbers of mt19937, 32 bits; no 1e-6 in the softmax");
VARIANT(tokens_like_lmdeploy, kTokenFunctions, "",
        "float32, softmax and its weights stored in the logits' type, which keep them; cuRAND's XORWOW");
VARIANT(tokens_from_below, kTokenFunctions, "", "1 - u in place of u, weights added up in float64");
VARIANT(tokens_only_where_needed, kTokenFunctions, "",
        "no random number is taken where there is one candidate");
VARIANT(top_k_gumbel, "diopiTopKSampling", "", "the greatest logit after Gumbel noise, where p is 1");
VARIANT(top_p_divided, "diopiTopPSampling", "",
        "output_log_probs divided by the sum over the tokens that p admits, as in the header");
VARIANT(top_p_finished_untouched, "diopiTopPSampling", "", "log probabilities of finished sequences stay");
VARIANT(top_p_minimum, "diopiTopPSampling", "", "runtime_top_p is raised to the default minimum, 0.5");

bool AnyTokenVariant() {
  return tokens_mt19937 || tokens_like_lmdeploy || tokens_from_below || tokens_only_where_needed ||
         top_k_gumbel || top_p_divided || top_p_finished_untouched || top_p_minimum;
}

// One sequence's generator: (seed, offset), the offset moves on by one a call.
class OwnGenerator {
 public:
  explicit OwnGenerator(diopiGeneratorHandle_t generator) : generator_(generator) {
    diopiGeneratorGetSeedAndOffset(generator, &seed_, &offset_);
    if (tokens_mt19937)
      engine_.seed(static_cast<uint32_t>(seed_ ^ seed_ >> 32) + static_cast<uint32_t>(offset_));
    if (!tokens_mt19937) StartXorwow();
  }
  // In (0, 1].
  double Next() {
    diopiGeneratorSetSeedAndOffset(generator_, seed_, offset_ + 1);
    const uint32_t bits = tokens_mt19937 ? engine_() : Xorwow();
    const double u = (static_cast<double>(bits) + 1) * 0x1p-32;
    return tokens_from_below ? 1 - u + 0x1p-33 : u;
  }

 private:
  // As cuRAND starts and steps Marsaglia's xorwow; the offset skips that many numbers.
  void StartXorwow() {
    const uint32_t s0 = static_cast<uint32_t>(seed_) ^ 0xAAD26B49U,
                   s1 = static_cast<uint32_t>(seed_ >> 32) ^ 0xF7DCEFDDU;
    const uint32_t t0 = 1099087573U * s0, t1 = 2591861531U * s1;
    weyl_ = 6615241U + t1 + t0;
    const uint32_t start[] = {123456789U + t0, 362436069U ^ t0, 521288629U + t1, 88675123U ^ t1,
                              5783321U + t0};
    std::copy(std::begin(start), std::end(start), state_);
    for (uint64_t i = 0; i < std::min<uint64_t>(offset_, 1 << 16); ++i) Xorwow();
  }
  uint32_t Xorwow() {
    const uint32_t t = state_[0] ^ state_[0] >> 2;
    std::copy(state_ + 1, state_ + 5, state_);
    state_[4] = (state_[4] ^ state_[4] << 4) ^ (t ^ t << 1);
    weyl_ += 362437U;
    return state_[4] + weyl_;
  }

  diopiGeneratorHandle_t generator_;
  uint64_t seed_ = 0, offset_ = 0;
  std::mt19937 engine_;
  uint32_t state_[5] = {}, weyl_ = 0;
};

float StoredWeight(float x, diopiDtype_t dtype) {
  return dtype == diopi_dtype_float16 ? static_cast<float>(FromFloat16(ToFloat16(static_cast<double>(x))))
                                      : x;
}

// The weights as lmdeploy has them: probabilities in the logits' type.
WeightedRow<float> StoredRow(const std::vector<double>& logits, int64_t b, int64_t count,
                             diopiDtype_t dtype) {
  WeightedRow<float> row = WeightedRowOf<float>(logits, b, count);
  float all = tokens_mt19937 ? 0.0F : 1e-6F;
  for (float& weight : row.weights)
    all += weight = tokens_like_lmdeploy ? StoredWeight(weight, dtype) : weight;
  for (float& weight : row.weights) {
    weight /= all;
    if (tokens_like_lmdeploy) weight = StoredWeight(weight, dtype);
  }
  row.all = 1;
  return row;
}

size_t PlaceByGumbel(const WeightedRow<float>& row, size_t count, OwnGenerator* generator) {
  size_t best = 0;
  double greatest = -HUGE_VAL;
  for (size_t i = 0; i < count; ++i) {
    const double noisy =
        std::log(static_cast<double>(row.weights[i])) - std::log(-std::log(generator->Next() - 0x1p-33));
    if (noisy > greatest) best = i;
    greatest = std::max(greatest, noisy);
  }
  return best;
}

template <typename Args>
void DrawTokens(const Args& a) {
  TokenState<Args> state(a);
  constexpr bool kTopK = requires {
    a.runtime_top_k;
  };
  std::vector<int64_t> ks(static_cast<size_t>(a.batch_size), a.vocab_size_padded);
  if constexpr (kTopK) ks = Load<int64_t>(Tensor(a.runtime_top_k));
  for (int64_t b = 0; b < a.batch_size; ++b) {
    const auto i = static_cast<size_t>(b);
    if (state.skipped[i] == 0 && state.finished[i] != 0) {
      state.ids[static_cast<size_t>(a.step * a.batch_size + b)] = state.ends[i];
      if (!kTopK && !top_p_finished_untouched) state.log_probs[i] = 0;
    }
    if (!state.Draws(b)) continue;
    const auto p = static_cast<float>(state.ps[i]);
    const WeightedRow<float> row = StoredRow(state.logits, b, a.vocab_size_padded, Tensor(a.logits).dtype());
    const auto count = static_cast<size_t>(ks[i]);
    const float kept = kTopK ? row.Sum(count) : 1.0F;
    OwnGenerator generator(a.generators[b]);
    const bool one = tokens_only_where_needed && (count == 1 || row.weights[0] >= p * kept);
    size_t place = one ? 0 : row.Reach(count, static_cast<float>(generator.Next()) * p * kept);
    while (place > 0 && !(row.weights[place] > 0)) --place;
    if (kTopK && top_k_gumbel && p == 1.0F) place = PlaceByGumbel(row, count, &generator);
    float divisor = kTopK ? kept : 1.0F;
    if (!kTopK && top_p_divided) divisor = row.Sum(row.Reach(count, p) + 1);
    state.SetToken(b, static_cast<int64_t>(row.order[place]),
                   static_cast<double>(std::log(row.weights[place])), static_cast<double>(std::log(divisor)));
  }
  state.Write();
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiTopKSampling, a) {
  if (!AnyTokenVariant()) return Good(a);
  if (*a.workspace_size < 0) {
    *a.workspace_size = a.batch_size * a.vocab_size_padded;
    return;
  }
  DrawTokens(a);
}

DIOPI_OVERRIDE(diopiTopPSampling, a) {
  if (!AnyTokenVariant()) return Good(a);
  if (*a.workspace_size < 0 || *a.persistent_workspace_size < 0) {
    *a.workspace_size = *a.persistent_workspace_size = a.batch_size * (a.vocab_size_padded + 2);
    return;
  }
  DrawTokens(a);
  const Tensor threshold(a.runtime_top_p);
  std::vector<double> ps = Load<double>(threshold);
  for (double& p : ps) p = top_p_minimum ? std::max(p, 0.5) : p;
  Store(threshold, ps);
}
