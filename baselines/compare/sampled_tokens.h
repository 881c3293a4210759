// TOKENS: functions that draw a token for each sequence of a batch from its logits, among the k likeliest
// (diopiTopKSampling) or the likeliest whose probabilities reach p (diopiTopPSampling), and that keep the
// sequences' states. Which token is drawn is judged by its distribution; everything that follows from it,
// given the tokens that the library drew, exactly or to within the rounding of a logarithm.
#ifndef BASELINES_COMPARE_SAMPLED_TOKENS_H_
#define BASELINES_COMPARE_SAMPLED_TOKENS_H_

#include <string>

#include "baselines/compare/expect.h"

namespace diopi::baselines {

// What the first check of the output that failed found. `harness_error`: the case's inputs do not determine
// the distribution.
std::optional<v1::Finding> CheckSampledTokens(const Job& job, std::string* harness_error);

// Why the inputs do not determine which tokens may be drawn: logits at the limit that are as good as equal,
// or a k or p out of range. Empty where they do, and for cases without judges of this kind.
std::string WhyUndetermined(const v1::Case& c, const TensorMap& inputs);

// Whether the case has judges of this kind, and whether chance decides any of its tokens: it does not where
// every sequence is finished, skipped or has a single candidate.
bool IsTokenSampling(const v1::Case& c);
bool LeavesTokensToChance(const v1::Case& c, const TensorMap& inputs);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_SAMPLED_TOKENS_H_
