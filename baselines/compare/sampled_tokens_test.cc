#include "baselines/compare/sampled_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using Vec = std::vector<double>;

constexpr int64_t kVocabulary = 8;
// Weights 1, 1/2, 1/4, ...; their order is not that of the tokens.
const Vec kPlaces = {3, 0, 6, 1, 7, 2, 5, 4};

// A batch of equal logits, and what a library made of it.
struct Batch {
  explicit Batch(int64_t sequences, bool top_k, int64_t k, double p) : n(sequences), of_top_k(top_k) {
    const auto size = static_cast<size_t>(n);
    Vec logits;
    for (size_t b = 0; b < size; ++b) {
      for (const double place : kPlaces) logits.push_back(-place * std::log(2.0));
    }
    inputs["logits"] = Tensor(D::float32, {n, kVocabulary}, logits);
    inputs["output_ids"] = Tensor(D::int32, {2, n}, Vec(2 * size, -7));
    inputs["end_ids"] = Row(D::int32, Vec(size, 4));
    inputs["finished"] = Row(D::bool_, Vec(size, 0));
    inputs["skip_decode"] = Row(D::bool_, Vec(size, 0));
    inputs["sequence_lengths"] = Row(D::int32, Vec(size, 11));
    inputs["runtime_top_p"] = Row(D::float32, Vec(size, p));
    if (of_top_k) inputs["runtime_top_k"] = Row(D::int32, Vec(size, static_cast<double>(k)));
    inputs["cum_log_probs"] = Row(D::float32, Vec(size, -2));
    inputs["output_log_probs"] = Row(D::float32, Vec(size, 5));
    tokens.assign(size, 0);
  }

  void Mark(const std::string& key, size_t b) {
    StoreDouble(D::bool_, inputs[key].data.data(), static_cast<int64_t>(b), 1);
  }
  bool Is(const std::string& key, size_t b) const { return inputs.at(key).data[b] != 0; }

  v1::Case CaseOf(const std::string& output, D::Code dtype) const {
    v1::Case c = OneOutput(D::float32, v1::Judge::RANDOM);
    c.mutable_args(0)->set_name(output);
    c.mutable_args(0)->mutable_tensor()->set_dtype(dtype);
    c.mutable_judges(0)->set_output(output);
    c.mutable_judges(0)->set_distribution(v1::Judge::TOKENS);
    AddInt(&c, "batch_size", n);
    AddInt(&c, "vocab_size_padded", kVocabulary);
    AddInt(&c, "step", 1);
    return c;
  }

  v1::Verdict Judge(const std::string& output, const HostTensor& judged) const {
    const v1::Case c = CaseOf(output, judged.dtype);
    Vec ids(2 * static_cast<size_t>(n), -7);
    std::copy(tokens.begin(), tokens.end(), ids.begin() + static_cast<std::ptrdiff_t>(n));
    TensorMap actual = {{"output_ids", Tensor(D::int32, {2, n}, ids)}};
    actual[output] = judged;
    return CompareCase(c, inputs, {{output, judged}}, actual);
  }
  v1::Verdict JudgeTokens() const {
    Vec ids(2 * static_cast<size_t>(n), -7);
    std::copy(tokens.begin(), tokens.end(), ids.begin() + static_cast<std::ptrdiff_t>(n));
    return Judge("output_ids", Tensor(D::int32, {2, n}, ids));
  }
  bool Chance() const {
    v1::Case c;
    AddInt(&c, "batch_size", n);
    AddInt(&c, "vocab_size_padded", kVocabulary);
    AddInt(&c, "step", 1);
    return LeavesTokensToChance(c, inputs);
  }

  int64_t n;
  bool of_top_k;
  TensorMap inputs;
  Vec tokens;
};

double TokenAt(size_t place) {
  return static_cast<double>(std::find(kPlaces.begin(), kPlaces.end(), static_cast<double>(place)) -
                             kPlaces.begin());
}

// The token at which the sum of the weights of the first `limit` places reaches u * p * their sum.
double DrawToken(double u, size_t limit, double p) {
  double total = 0, sum = 0;
  for (size_t i = 0; i < limit; ++i) total += std::exp2(-static_cast<double>(i));
  for (size_t i = 0; i + 1 < limit; ++i) {
    sum += std::exp2(-static_cast<double>(i));
    if (sum >= u * p * total) return TokenAt(i);
  }
  return TokenAt(limit - 1);
}

using Drawer = std::function<double(double u)>;

void Fill(Batch* batch, uint64_t seed, const Drawer& draw) {
  std::mt19937_64 bits(seed);
  for (double& token : batch->tokens) token = draw(1 - static_cast<double>(bits() >> 11) * 0x1p-53);
}

TEST(SampledTokens, GoodStreamsPass) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    for (const int64_t n : {1, 7, 100, 3000}) {
      Batch top_k(n, true, 3, 0.75);
      Fill(&top_k, seed, [](double u) { return DrawToken(u, 3, 0.75); });
      EXPECT_EQ(top_k.JudgeTokens().outcome(), v1::OUTCOME_PASS) << n << top_k.JudgeTokens().reason();
      Batch top_p(n, false, 0, 0.9);
      Fill(&top_p, seed, [](double u) { return DrawToken(u, kPlaces.size(), 0.9); });
      EXPECT_EQ(top_p.JudgeTokens().outcome(), v1::OUTCOME_PASS) << n << top_p.JudgeTokens().reason();
    }
  }
}

TEST(SampledTokens, WrongDistributionsFail) {
  const auto reason = [](bool top_k, const Drawer& draw) {
    Batch batch(2048, top_k, 3, 0.75);
    Fill(&batch, 5, draw);
    const v1::Verdict verdict = batch.JudgeTokens();
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL);
    return verdict.reason();
  };
  EXPECT_NE(reason(true, [](double u) { return DrawToken(u, 4, 1); }).find("number 4"), std::string::npos);
  EXPECT_NE(reason(true, [](double u) { return DrawToken(u, 3, 1); }).find("number 3"), std::string::npos);
  EXPECT_NE(reason(true, [](double u) { return DrawToken(u, 2, 0.75); }).find("occurs"), std::string::npos);
  EXPECT_NE(reason(true, [](double) { return TokenAt(0); }).find("occurs"), std::string::npos);
  EXPECT_NE(reason(false, [](double u) { return DrawToken(u, 8, 1); }).find("can be drawn"),
            std::string::npos);
  EXPECT_NE(reason(false, [](double) { return 8.0; }).find("outside"), std::string::npos);
}

TEST(SampledTokens, NeighboursMustNotShareTheirRandomNumber) {
  Batch batch(4096, true, 3, 1);
  std::mt19937_64 bits(3);
  for (size_t b = 0; b < batch.tokens.size(); ++b) {
    batch.tokens[b] =
        b % 2 == 1 ? batch.tokens[b - 1] : DrawToken(static_cast<double>(bits() >> 11) * 0x1p-53, 3, 1);
  }
  EXPECT_NE(batch.JudgeTokens().reason().find("correlation"), std::string::npos);
}

TEST(SampledTokens, OnlyTheStepsOfRunningSequencesChange) {
  Batch batch(3, true, 1, 1);
  batch.Mark("finished", 1);
  batch.Mark("skip_decode", 2);
  batch.tokens = {TokenAt(0), 4, -7};
  EXPECT_EQ(batch.JudgeTokens().outcome(), v1::OUTCOME_PASS) << batch.JudgeTokens().reason();
  EXPECT_FALSE(batch.Chance());
  const Vec right = batch.tokens;
  for (size_t b = 0; b < right.size(); ++b) {
    batch.tokens = right;
    batch.tokens[b] = TokenAt(1);
    EXPECT_EQ(batch.JudgeTokens().outcome(), v1::OUTCOME_FAIL) << b;
  }
  batch.tokens = right;
  EXPECT_EQ(batch.Judge("sequence_lengths", Row(D::int32, {12, 11, 11})).outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(batch.Judge("sequence_lengths", Row(D::int32, {12, 12, 11})).outcome(), v1::OUTCOME_FAIL);
  EXPECT_EQ(batch.Judge("finished", Row(D::bool_, {0, 1, 0})).outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(batch.Judge("finished", Row(D::bool_, {0, 0, 0})).outcome(), v1::OUTCOME_FAIL);
  EXPECT_EQ(batch.Judge("finished", Row(D::bool_, {1, 1, 0})).outcome(), v1::OUTCOME_FAIL);
}

TEST(SampledTokens, LogProbsBelongToTheTokenDrawn) {
  Batch batch(2, true, 2, 1);
  batch.tokens = {TokenAt(0), TokenAt(1)};
  EXPECT_TRUE(batch.Chance());
  const double total = 2 - std::exp2(-7);  // of all weights; the two likeliest have 1.5
  const Vec shares = {std::log(1 / total), std::log(0.5 / total)};
  const auto sums = [&](double first, double second) {
    return batch.Judge("cum_log_probs", Row(D::float32, {first, second})).outcome();
  };
  EXPECT_EQ(sums(shares[0] - 2, shares[1] - 2), v1::OUTCOME_PASS);
  EXPECT_EQ(sums(shares[1] - 2, shares[0] - 2), v1::OUTCOME_FAIL);
  EXPECT_EQ(sums(shares[0], shares[1]), v1::OUTCOME_FAIL);  // not added
  const auto now = [&](double first, double second) {
    return batch.Judge("output_log_probs", Row(D::float32, {first, second})).outcome();
  };
  EXPECT_EQ(now(std::log(1 / 1.5), std::log(0.5 / 1.5)), v1::OUTCOME_PASS);
  EXPECT_EQ(now(shares[0], shares[1]), v1::OUTCOME_FAIL);
}

// Sums of float32 are off by two units in their last place at most, here 1/8 each.
TEST(SampledTokens, LargeSumsOfLogProbsAreRounded) {
  Batch batch(1, true, 2, 1);
  batch.tokens = {TokenAt(0)};
  const double before = -0x1p20;  // the logarithm adds -0.689
  batch.inputs["cum_log_probs"] = Row(D::float32, {before});
  for (const double off : {0.5, 0.625, 0.75, 0.875}) {
    EXPECT_EQ(batch.Judge("cum_log_probs", Row(D::float32, {before - off})).outcome(), v1::OUTCOME_PASS)
        << off;
  }
  for (const double off : {0.375, 1.0}) {
    EXPECT_EQ(batch.Judge("cum_log_probs", Row(D::float32, {before - off})).outcome(), v1::OUTCOME_FAIL)
        << off;
  }
}

TEST(SampledTokens, TopPMayDivideByWhatPAdmitsButNotForSomeSequencesOnly) {
  Batch batch(2, false, 0, 0.7);  // two tokens reach it
  batch.tokens = {TokenAt(0), TokenAt(1)};
  const double total = 2 - std::exp2(-7);
  const auto now = [&](double first, double second) {
    return batch.Judge("output_log_probs", Row(D::float32, {first, second})).outcome();
  };
  EXPECT_EQ(now(std::log(1 / total), std::log(0.5 / total)), v1::OUTCOME_PASS);
  EXPECT_EQ(now(std::log(1 / 1.5), std::log(0.5 / 1.5)), v1::OUTCOME_PASS);
  EXPECT_EQ(now(std::log(1 / total), std::log(0.5 / 1.5)), v1::OUTCOME_FAIL);
  EXPECT_EQ(batch.Judge("runtime_top_p", Row(D::float32, {0.7, 0.7})).outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(batch.Judge("runtime_top_p", Row(D::float32, {0.7, 0.6})).outcome(), v1::OUTCOME_FAIL);
}

TEST(SampledTokens, EqualLogitsAtTheLimitAreAnErrorOfTheCase) {
  Batch batch(1, true, 2, 1);
  batch.inputs["logits"] = Tensor(D::float32, {1, kVocabulary}, {3, 1, 1, 0, 0, 0, 0, 0});
  EXPECT_EQ(batch.JudgeTokens().outcome(), v1::OUTCOME_HARNESS_ERROR);
}

TEST(WhyUndetermined, NamesTheSequenceWhoseLimitLiesBetweenEquals) {
  Batch batch(3, /*top_k=*/true, 2, 1);
  const auto why = [&batch] { return WhyUndetermined(batch.CaseOf("output_ids", D::int32), batch.inputs); };
  EXPECT_EQ(why(), "");
  // The second and the third likeliest token of the last sequence.
  for (const int64_t token : {3, 5})
    StoreDouble(D::float32, batch.inputs["logits"].data.data(), 2 * kVocabulary + token, -0.5);
  EXPECT_EQ(why(), "sequence 2: logits at the limit are as good as equal");
  batch.Mark("finished", 2);
  EXPECT_EQ(why(), "") << "nothing is drawn for it";
  batch.inputs["runtime_top_k"] = Row(D::int32, {2, 0, 2});
  EXPECT_EQ(why(), "sequence 1 has k = 0 and p = 1");
}

}  // namespace
}  // namespace diopi::baselines
