// A random number u in (0, 1] draws the first token, from the likeliest on, at which the sum of the weights
// exp(logit) reaches u p S; S is the sum over the k likeliest tokens (top k) or over all (top p). So the last
// token that can be drawn is drawn less often than its weight alone says. Roundings of weights, which float16
// may store, and of their sums move every probability a little: `rounding` bounds by how much, relative to S.
#include "baselines/compare/sampled_tokens.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/counts.h"
#include "baselines/compare/random.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

using Vec = std::vector<double>;

constexpr double kDenominatorEps = 1e-6;  // libraries may add it to the softmax's denominator
constexpr double kDefaultMinimum = 0.5;   // of p, see diopiSetupToppRuntimeArgsInp

// The tokens of one sequence, from the likeliest on.
struct Candidates {
  std::vector<size_t> order;
  Vec log_share;    // of the softmax over the whole vocabulary
  Vec probability;  // of being drawn
  size_t possible = 0;
  double log_kept = 0;  // of the share of the k likeliest tokens, or of all
  // Logarithms of the share of the fewest likeliest tokens that reach p, if rounding makes it a little
  // smaller or larger.
  double log_nucleus[2] = {0, 0};
  bool ambiguous = false;  // equal logits at the limit: one of them is kept, and nobody says which
};

Candidates CandidatesOf(const double* logits, size_t count, size_t limit, double p, double rounding,
                        double gap) {
  Candidates c;
  c.order.resize(count);
  std::iota(c.order.begin(), c.order.end(), size_t{0});
  std::stable_sort(c.order.begin(), c.order.end(), [&](size_t a, size_t b) { return logits[a] > logits[b]; });
  const double greatest = logits[c.order[0]];
  Vec sums;
  double total = 0;
  for (const size_t token : c.order) {
    c.log_share.push_back(logits[token] - greatest);
    sums.push_back(total += std::exp(c.log_share.back()));
  }
  for (double& share : c.log_share) share -= std::log(total);
  const double kept = sums[limit - 1], reach = p * kept;
  c.log_kept = std::log(kept / total);
  const auto alike = [&](size_t i) {  // the tokens at i and i + 1
    return c.log_share[i] - c.log_share[i + 1] < gap;
  };
  c.probability.assign(count, 0);
  for (size_t i = 0; i < limit; ++i) {
    const double before = i > 0 ? sums[i - 1] : 0;
    if (before > reach * (1 + rounding) || !(sums[i] > before || i == 0)) break;
    c.possible = i + 1;
    c.probability[i] = std::max(0.0, std::min(sums[i], reach) - before) / reach;
  }
  const size_t last = c.possible - 1;
  for (const size_t larger : {0, 1}) {
    const double goal = std::min(reach * (larger == 0 ? 1 - rounding : 1 + rounding), kept);
    const auto reached = std::lower_bound(sums.begin(), sums.end(), goal);
    c.log_nucleus[larger] = std::log(*reached / total);
  }
  c.ambiguous = (limit < count && alike(limit - 1)) || (last + 1 < limit && alike(last)) ||
                (last > 0 && reach < sums[last] * (1 - rounding) && alike(last - 1));
  return c;
}

std::string EqualAtLimit(size_t b) {
  return absl::StrFormat("sequence %d: logits at the limit are as good as equal", b);
}

// What becomes of a sequence.
enum class Fate { kSkipped, kFinished, kDrawn };

// The inputs of a case; of each sequence, where there is one.
class Sampling {
 public:
  // False, with the reason, when they are no inputs of such a function.
  bool Load(const v1::Case& c, const TensorMap& inputs, std::string* error) {
    for (auto& [name, size] :
         {std::pair{"batch_size", &batch_}, {"vocab_size_padded", &count_}, {"step", &step_}}) {
      double value = 0;
      if (!NumberOf(c, name, &value)) *error = absl::StrCat("the case has no ", name);
      *size = static_cast<size_t>(value);
    }
    const HostTensor* logits = Find(inputs, "logits");
    for (const char* name : {"logits", "output_ids", "end_ids", "runtime_top_p"}) {
      if (Find(inputs, name) == nullptr) *error = absl::StrCat("the inputs lack ", name);
    }
    if (!error->empty()) return false;
    for (const auto& [key, tensor] : inputs) values_[key] = Numbers(tensor);
    weight_rounding_ = logits->dtype == v1::Dtype::float16 ? 0x1p-8 : 0x1p-18;
    rounding_ = weight_rounding_ + SumRounding();
    top_k_ = values_.contains("runtime_top_k");
    for (const auto& [key, numbers] : values_) {
      const size_t wanted = key == "logits" ? batch_ * count_ : batch_;
      const bool fits =
          key == "output_ids" ? numbers.size() >= (step_ + 1) * batch_ : numbers.size() == wanted;
      if (!fits) *error = absl::StrCat(key, " does not fit the batch");
    }
    for (size_t b = 0; b < batch_ && error->empty(); ++b) {
      const double k = top_k_ ? Of("runtime_top_k", b, 0) : static_cast<double>(count_);
      const double p = Of("runtime_top_p", b, 1);
      if (!(k >= 1 && k <= static_cast<double>(count_) && p > 0 && p <= 1)) {
        *error = absl::StrFormat("sequence %d has k = %g and p = %g", b, k, p);
      }
    }
    return error->empty();
  }

  size_t batch() const { return batch_; }
  size_t count() const { return count_; }
  size_t step() const { return step_; }
  bool top_k() const { return top_k_; }
  double rounding() const { return rounding_; }
  bool in_16_bits() const { return weight_rounding_ > 0x1p-10; }
  // The rounding of a float32 sum over the vocabulary, in any order: at most (n - 1) u.
  double SumRounding() const { return static_cast<double>(count_) * 0x1p-24; }
  const Vec& Before(const std::string& key) const { return values_.at(key); }
  double EndId(size_t b) const { return Of("end_ids", b, 0); }
  double P(size_t b) const { return Of("runtime_top_p", b, 1); }

  Fate FateOf(size_t b) const {
    if (Of("skip_decode", b, 0) != 0) return Fate::kSkipped;
    return Of("finished", b, 0) != 0 ? Fate::kFinished : Fate::kDrawn;
  }

  Candidates CandidatesAt(size_t b) const {
    const size_t limit = top_k_ ? static_cast<size_t>(Of("runtime_top_k", b, 0)) : count_;
    return CandidatesOf(Before("logits").data() + b * count_, count_, limit, P(b), rounding_,
                        4 * weight_rounding_);
  }

  // What two sequences of one distribution have in common.
  Vec KeyOf(size_t b) const {
    const auto row = Before("logits").begin() + static_cast<std::ptrdiff_t>(b * count_);
    Vec key(row, row + static_cast<std::ptrdiff_t>(count_));
    key.push_back(Of("runtime_top_k", b, 0));
    key.push_back(P(b));
    return key;
  }

 private:
  double Of(const std::string& key, size_t b, double fallback) const {
    const auto found = values_.find(key);
    return found == values_.end() ? fallback : found->second[b];
  }

  size_t batch_ = 0, count_ = 0, step_ = 0;
  bool top_k_ = false;
  double weight_rounding_ = 0, rounding_ = 0;
  std::map<std::string, Vec> values_;
};

// The sequences of one distribution, and how often each place in the order was drawn.
struct Group {
  Candidates candidates;
  Counts counts{0};
  double draws = 0;
};

class Checker {
 public:
  Checker(const Sampling& sampling, const Job& job)
      : sampling_(sampling), job_(job), y_(Numbers(job.actual)) {}

  std::optional<v1::Finding> Run(std::string* harness_error) {
    if (!GroupSequences(harness_error)) return std::nullopt;
    const std::string& key = job_.output.key;
    if (key == "output_ids") return Tokens();
    if (y_.size() != sampling_.batch())
      return Found(F::NUMBER_PER_SEQUENCE).Of(static_cast<int64_t>(sampling_.batch()));
    if (key == "finished" || key == "sequence_lengths") return States(key == "finished");
    if (key == "runtime_top_p") return Thresholds();
    if (key == "cum_log_probs") return LogProbs(true, false);
    if (key == "output_log_probs") {
      const std::optional<v1::Finding> found = LogProbs(false, false);
      const bool other_reading = found.has_value() && !sampling_.top_k();
      return other_reading && !LogProbs(false, true).has_value() ? std::nullopt : found;
    }
    *harness_error = absl::StrCat("output ", key, " is none of those that follow from a token");
    return std::nullopt;
  }

 private:
  bool GroupSequences(std::string* harness_error) {
    const HostTensor* ids = Find(job_.all_actual, "output_ids");
    if (ids == nullptr ||
        NumElements(ids->shape) != static_cast<int64_t>(sampling_.Before("output_ids").size())) {
      *harness_error = "the token ids are not among the outputs";
      return false;
    }
    ids_ = Numbers(*ids);
    group_of_.resize(sampling_.batch());
    for (size_t b = 0; b < sampling_.batch(); ++b) {
      if (sampling_.FateOf(b) != Fate::kDrawn) continue;
      const auto [found, is_new] = groups_.try_emplace(sampling_.KeyOf(b));
      if (is_new) found->second.candidates = sampling_.CandidatesAt(b);
      if (is_new && found->second.candidates.ambiguous) {
        *harness_error = EqualAtLimit(b);
        return false;
      }
      group_of_[b] = &found->second;
    }
    return true;
  }

  double Token(size_t b) const { return ids_[sampling_.step() * sampling_.batch() + b]; }

  // The place of the token in its sequence's order; none where it is not possible.
  std::optional<size_t> PlaceOf(size_t b) const {
    const Candidates& c = group_of_[b]->candidates;
    const auto end = c.order.begin() + static_cast<std::ptrdiff_t>(c.possible);
    const auto found =
        std::find_if(c.order.begin(), end, [&](size_t t) { return static_cast<double>(t) == Token(b); });
    if (found == end) return std::nullopt;
    return static_cast<size_t>(found - c.order.begin());
  }

  std::optional<v1::Finding> Tokens() {
    const Vec& before = sampling_.Before("output_ids");
    for (size_t i = 0; i < before.size(); ++i) {
      const size_t b = i % sampling_.batch();
      const bool now = i / sampling_.batch() == sampling_.step();
      const Fate fate = now ? sampling_.FateOf(b) : Fate::kSkipped;
      if (fate == Fate::kDrawn) {
        if (std::optional<v1::Finding> wrong = Possible(b); wrong.has_value()) return wrong;
        continue;
      }
      const double expected = fate == Fate::kFinished ? sampling_.EndId(b) : before[i];
      if (ids_[i] == expected) continue;
      return Found(F::TOKEN_WRONG)
          .Index(static_cast<int64_t>(b))
          .Count(static_cast<int64_t>(i / sampling_.batch()))
          .Got(absl::StrFormat("%g", ids_[i]))
          .Expected(absl::StrFormat("%g", expected))
          .Word(fate == Fate::kFinished ? "ends_again"
                : now                   ? "sequence_skipped"
                                        : "present_step_only");
    }
    return Distribution();
  }

  std::optional<v1::Finding> Possible(size_t b) const {
    if (PlaceOf(b).has_value()) return std::nullopt;
    const Candidates& c = group_of_[b]->candidates;
    const auto token = std::find_if(c.order.begin(), c.order.end(),
                                    [&](size_t t) { return static_cast<double>(t) == Token(b); });
    const std::string got = absl::StrFormat("%g", Token(b));
    if (token == c.order.end()) return Found(F::TOKEN_OUTSIDE).Index(static_cast<int64_t>(b)).Got(got);
    return Found(F::TOKEN_NOT_AMONG)
        .Index(static_cast<int64_t>(b))
        .Got(got)
        .Count(token - c.order.begin() + 1)
        .Limit(absl::StrFormat("%d", c.possible));
  }

  std::optional<v1::Finding> Distribution() {
    const double groups = static_cast<double>(groups_.size());
    Counts all(sampling_.count());
    double draws = 0;
    Vec z;
    bool light = true;  // the tails of the standardised places
    for (auto& [key, group] : groups_) group.counts = Counts(sampling_.count());
    for (size_t b = 0; b < sampling_.batch(); ++b) {
      Group* group = group_of_[b];
      if (group == nullptr) continue;
      const size_t place = *PlaceOf(b);
      ++group->draws;
      ++group->counts.seen[place];
      ++all.seen[place];
      light = Standardised(group->candidates.probability, place, &z) && light;
    }
    for (auto& [key, group] : groups_) {
      group.counts.Add(group.candidates.probability, group.draws);
      all.Add(group.candidates.probability, group.draws);
      draws += group.draws;
      const std::optional<v1::Finding> wrong = group.counts.Check("place", 2 * groups, Room(group.draws));
      if (wrong.has_value()) return Found(F::OF_SEQUENCES_ALIKE).Part(*wrong);
    }
    const std::optional<v1::Finding> wrong = all.Check("place", 2, Room(draws));
    if (wrong.has_value()) return Found(F::OF_ALL_SEQUENCES).Part(*wrong);
    return light ? CheckLags(z) : std::nullopt;
  }

  // How far rounding may move the expected count of a token.
  double Room(double draws) const { return 4 * sampling_.rounding() * draws; }

  // The place with mean 0 and variance 1, for sequences of which more than one place is likely. False where
  // rare places make the tails heavy.
  static bool Standardised(const Vec& p, size_t place, Vec* z) {
    double mean = 0, square = 0, fourth = 0;
    for (size_t i = 0; i < p.size(); ++i) mean += p[i] * static_cast<double>(i);
    for (size_t i = 0; i < p.size(); ++i) {
      const double off = static_cast<double>(i) - mean;
      square += p[i] * off * off;
      fourth += p[i] * off * off * off * off;
    }
    if (square < 1e-6) return true;
    z->push_back((static_cast<double>(place) - mean) / std::sqrt(square));
    return fourth <= 4 * square * square;
  }

  // What is wrong with the value that follows from the token of sequence b.
  Found WrongValue(size_t b, std::string got, std::string expected) const {
    const Fate fate = sampling_.FateOf(b);
    return Found(F::SEQUENCE_VALUE)
        .Name(job_.output.key)
        .Index(static_cast<int64_t>(b))
        .Got(std::move(got))
        .Expected(std::move(expected))
        .Off(absl::StrFormat("%g", Token(b)))
        .Word(fate == Fate::kSkipped    ? "skipped"
              : fate == Fate::kFinished ? "finished_before"
                                        : "");
  }

  std::optional<v1::Finding> States(bool finished) const {
    const Vec& before = sampling_.Before(job_.output.key);
    for (size_t b = 0; b < sampling_.batch(); ++b) {
      const Fate fate = sampling_.FateOf(b);
      const bool ends = Token(b) == sampling_.EndId(b);
      double expected = before[b];
      if (fate == Fate::kDrawn) expected = finished ? (ends ? 1 : 0) : before[b] + 1;
      const bool odd = finished && static_cast<unsigned char>(job_.actual.data[b]) > 1;
      if (y_[b] == expected && !odd) continue;
      return WrongValue(b, ElementText(job_.actual, static_cast<int64_t>(b)),
                        absl::StrFormat("%g", expected));
    }
    return std::nullopt;
  }

  // The numbers by which p would change are no arguments: it stays, or is raised to the default minimum.
  std::optional<v1::Finding> Thresholds() const {
    for (size_t b = 0; b < sampling_.batch(); ++b) {
      const double p = sampling_.P(b);
      if (y_[b] == p || y_[b] == std::max(p, kDefaultMinimum)) continue;
      return Found(F::SEQUENCE_VALUE)
          .Name("runtime_top_p")
          .Index(static_cast<int64_t>(b))
          .Got(absl::StrFormat("%.9g", y_[b]))
          .Expected(absl::StrFormat("%.9g", p));
    }
    return std::nullopt;
  }

  // How far the logarithm of a probability may be off.
  double Tolerance(double log_share) const {
    const double size = 2 + std::fabs(log_share);
    const double sum = sampling_.SumRounding();
    if (!sampling_.in_16_bits()) return 2 * kDenominatorEps + 0x1p-20 * size + sum;
    return sum + 0x1p-9 * size +
           0x1p-23 * std::exp(std::min(-log_share, 40.0));  // 16 bits, subnormal ones too
  }

  // Sums of logarithms, or those of this step: of the softmax's probability; top k divides the latter by that
  // of all k, and so may top p (`of_nucleus`) by that of all tokens that p admits.
  std::optional<v1::Finding> LogProbs(bool sums, bool of_nucleus) const {
    const Vec& before = sampling_.Before(job_.output.key);
    for (size_t b = 0; b < sampling_.batch(); ++b) {
      const Fate fate = sampling_.FateOf(b);
      const bool drawn = fate == Fate::kDrawn;
      if (drawn && !PlaceOf(b).has_value()) continue;  // Possible() tells
      if (!drawn && y_[b] == before[b]) continue;
      double expected = before[b], tolerance = 0;
      if (drawn || (fate == Fate::kFinished && !sampling_.top_k())) {
        // The end of a finished sequence has the probability 1 among its masked logits.
        const double share = drawn ? group_of_[b]->candidates.log_share[*PlaceOf(b)] : 0;
        expected = (sums ? before[b] : 0) + share;
        if (drawn && !sums && sampling_.top_k()) expected -= group_of_[b]->candidates.log_kept;
        tolerance = Tolerance(share) + (sums ? 0x1p-22 * std::fabs(before[b]) : 0);
      }
      if (drawn && of_nucleus) {
        const auto& [smaller, larger] = group_of_[b]->candidates.log_nucleus;
        expected = std::clamp(y_[b], expected - larger, expected - smaller);
      }
      if (std::fabs(y_[b] - expected) <= tolerance) continue;
      return WrongValue(b, absl::StrFormat("%.9g", y_[b]), absl::StrFormat("%.9g", expected))
          .Limit(absl::StrFormat("%.2g", tolerance));
    }
    return std::nullopt;
  }

  const Sampling& sampling_;
  const Job& job_;
  Vec y_, ids_;
  std::map<Vec, Group> groups_;
  std::vector<Group*> group_of_;
};

}  // namespace

std::optional<v1::Finding> CheckSampledTokens(const Job& job, std::string* harness_error) {
  Sampling sampling;
  if (!sampling.Load(job.c, job.inputs, harness_error)) return std::nullopt;
  return Checker(sampling, job).Run(harness_error);
}

bool IsTokenSampling(const v1::Case& c) {
  return std::any_of(c.judges().begin(), c.judges().end(),
                     [](const v1::Judge& judge) { return judge.distribution() == v1::Judge::TOKENS; });
}

std::string WhyUndetermined(const v1::Case& c, const TensorMap& inputs) {
  Sampling sampling;
  std::string error;
  if (!IsTokenSampling(c) || !sampling.Load(c, inputs, &error)) return error;
  for (size_t b = 0; b < sampling.batch(); ++b) {
    if (sampling.FateOf(b) == Fate::kDrawn && sampling.CandidatesAt(b).ambiguous) return EqualAtLimit(b);
  }
  return "";
}

bool LeavesTokensToChance(const v1::Case& c, const TensorMap& inputs) {
  Sampling sampling;
  std::string error;
  if (!sampling.Load(c, inputs, &error)) return false;
  for (size_t b = 0; b < sampling.batch(); ++b) {
    if (sampling.FateOf(b) != Fate::kDrawn) continue;
    const Candidates candidates = sampling.CandidatesAt(b);
    if (candidates.possible > 1 && candidates.probability[0] < 1 - 4 * sampling.rounding()) return true;
  }
  return false;
}

}  // namespace diopi::baselines
