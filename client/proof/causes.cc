// A cause and a bug have no common vocabulary, so they are compared by words: each kind of cause has the
// words that a bug which it explains has in its name, text or contracts. A kind of cause that is missing in
// the table counts as wrong, so a gap can lower the measured precision, never raise it.
#include "client/proof/causes.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace diopi::proof {
namespace {

using F = v1::Finding;

// A kind of cause, and the words for it in the names and texts of bugs and variants; any of them matches.
struct Topic {
  F::Code code;
  const char* word;         // of the finding; "": any
  const char* in_injected;  // separated by '|'
};

constexpr Topic kTopics[] = {
    {F::DECLARE, "tf32", "tf32"},
    {F::DECLARE, "tc32", "tc32|cuts off|truncat"},
    {F::DECLARE, "fastconv", "fastconv|winograd"},
    {F::DECLARE, "native16",
     "native16|16 bits|16_bit|float16|bfloat16|16-bit|fp16|half|to the type|in the type"},
    {F::OPERANDS_SPLIT, "", "bf16x"},
    {F::OPERANDS_ROUNDED, "bfloat16", "bfloat16|bf16"},
    {F::OPERANDS_ROUNDED, "float16", "float16|fp16"},
    {F::OPERANDS_CUT, "bfloat16", "bfloat16|bf16"},
    {F::NEVER_WRITTEN, "",
     "stale|unwritten|not written|never written|keep what|whole_vectors|first size|leaves|what the last "
     "call"},
    {F::BOOL_ALL_BITS, "", "0xFF"},
    {F::NAN_NOT_PROPAGATED, "", "nan"},
    {F::OVERFLOW_SATURATES, "", "saturat|largest number|clamp"},
    {F::INTERMEDIATE_OVERFLOWS, "", "overflow|squared in float16|squares|without_max|float16|fp16|native16"},
    {F::ZERO_SIGN_LOST, "", "zero|-0|+0"},
    {F::SUBNORMALS_FLUSHED, "", "subnormal|flush|underflow"},
    {F::DIMENSIONS_EXCHANGED, "", "exchanged|permut|transpos|order|layout|stride|contiguous|NCHW|packed|dim"},
    {F::IN_32_BITS, "", "32 bits|32_bits|int32"},
    {F::THROUGH_FLOAT32, "", "float32|fp32"},
    {F::ACCUMULATED_IN, "", "accumul|in the type|summed in|wrap"},
    {F::VARIANCE_DIVISOR, "", "biased|count less one"},
    {F::ANGLE_SIGN, "", "angle|clockwise|other_way|direction|turn"},
    {F::OPERAND_UNCHANGED, "", "kept|nothing|stale|unwritten|lost|unchanged"},
    {F::SIGN_WRONG, "", "sign|negat|minus|inverted|scores_rising"},
    {F::NEVER_COMPUTED, "", "zeros|never|not written|unwritten|is 0"},
    {F::WRITTEN_ELSEWHERE, "",
     "order|swap|exchang|layout|stride|permut|transpos|contiguous|group|revers|places|flat|inverse|dim|flip|"
     "column"},
    {F::TAIL_WRONG, "", "tail|last|whole|after|beyond|block|drop|end"},
    {F::TAIL_LEFT_OUT, "", "tail|last|whole|after|beyond|block|drop|end"},
    {F::ROUNDED_WRONG, "truncated", "truncat|cut|cuts"},
    {F::ROUNDED_WRONG, "rounded_down", "floor|truncat|cut|cuts"},
    {F::ROUNDED_WRONG, "rounded_up", "ceil|away"},
    {F::ROUNDED_WRONG, "rounded_away", "away"},
    {F::TIE_BROKEN, "", "tie|equal|stable|reversal|revers"},
    {F::GENERATOR_STILL, "", "generator"},
    {F::MEMORY_ORDER, "", "stride|layout|contiguous|storage|NCHW|flat|packed|channels_last|offset"},
    {F::NOT_BROADCAST, "", "broadcast|modulo|flat|repeat"},
};

struct KnownArgument {
  const char* name;
  const char* in_injected;
};

// Arguments that replays change, by name, where bugs and variants use other words for them.
constexpr KnownArgument kArguments[] = {
    {"conj", "conj|other_way|direction"},
    {"diopiAdam", "couple"},
    {"diopiAdamW", "couple"},
    {"label_smoothing", "smoothing"},
    {"weight_decay", "decay"},
    {"with_bias", "bias"},
    {"correction", "correction|unbiased|biased"},
    {"eps", "eps"},
    {"padding", "pad"},
    {"dilation", "dilat"},
    {"stride", "stride"},
    {"norm_type", "norm"},
    {"p", "p is|takes p|p_ignored|p inf|with p|by p|(1 - p)|odd_p|2-norm"},
    {"dim", "dim"},
    {"approximate", "form"},
    {"reduction", "mean|reduc|divide"},
    {"groups", "group"},
    {"reduce", "reduc|multiply|adds"},
    {"training", "training|evaluation"},
    {"ignore_index", "ignore"},
    {"momentum", "momentum|buffer|first step"},
    {"step", "step|bias_correction|bias correction|corrected"},
    {"rounding_mode", "rounding|floor|trunc"},
    {"unbiased", "unbiased|biased"},
};

bool AnyWord(const std::string& words, const std::string& text) {
  const std::vector<std::string> alternatives = absl::StrSplit(words, '|');
  const std::string lower = absl::AsciiStrToLower(text);
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const std::string& word) {
    return absl::StrContains(lower, absl::AsciiStrToLower(word));
  });
}

bool SpeaksOfArgument(F::Code code) {
  return code == F::TAKEN_AS || code == F::TWO_SWAPPED || code == F::FIRST_FOR_BOTH ||
         code == F::SECOND_FOR_BOTH || code == F::IGNORED;
}

// A cause's topics, as rows of the table, and whether one of them matches the bug or variant.
struct Topics {
  std::vector<std::string> names;
  bool right = false;
};

// The name of a row, and the words to look for; no words: a cause that no bug is known to have.
std::pair<std::string, std::string> TopicOf(const F& explanation) {
  if (SpeaksOfArgument(explanation.code())) {
    const std::string argument = explanation.name().substr(0, explanation.name().find('.'));
    std::string words = argument;
    for (const KnownArgument& known : kArguments) {
      if (argument == known.name) words = known.in_injected;
    }
    return {absl::StrCat("argument ", argument), words};
  }
  std::string name = F::Code_Name(explanation.code());
  if (!explanation.word().empty()) absl::StrAppend(&name, " ", explanation.word());
  for (const Topic& known : kTopics) {
    if (explanation.code() == known.code && (*known.word == '\0' || explanation.word() == known.word))
      return {name, known.in_injected};
  }
  return {name, ""};
}

Topics TopicsOf(const Injected& injected, const F& cause) {
  const std::string haystack =
      absl::StrCat(injected.name, " ", injected.text, " ", absl::StrJoin(injected.contracts, " "));
  std::vector<F> explanations(cause.parts().begin(), cause.parts().end());
  // One contract covers all explanations.
  if (explanations.empty() || cause.code() == F::DECLARE) explanations = {cause};
  Topics topics;
  for (const F& explanation : explanations) {
    const auto [name, words] = TopicOf(explanation);
    topics.names.push_back(name);
    topics.right = topics.right || (!words.empty() && AnyWord(words, haystack));
  }
  return topics;
}

}  // namespace

Stated JudgeCause(const Injected& injected, const v1::Finding& cause) {
  if (cause.code() == F::CODE_UNSPECIFIED) return Stated::kNothing;
  return TopicsOf(injected, cause).right ? Stated::kRight : Stated::kWrong;
}

void CauseTally::Add(size_t index, const v1::Verdict& verdict) {
  if (verdict.outcome() != v1::OUTCOME_FAIL) return;
  ++failures_;
  const Injected& injected = injected_[index];
  const v1::Finding& cause = verdict.cause();
  const Stated stated = JudgeCause(injected, cause);
  if (!injected.contracts.empty()) {
    const std::string without = stated == Stated::kNothing ? "none" : "another cause";
    ++contracts_[index][verdict.declarable().empty() ? without : verdict.declarable()];
  }
  if (stated == Stated::kNothing) {
    ++stated_nothing_;
    return;
  }
  Row& row = rows_[absl::StrJoin(TopicsOf(injected, cause).names, " | ")];
  ++(stated == Stated::kRight ? row.right : row.wrong);
  if (stated == Stated::kWrong) ++row.mistaken[injected.name];
}

int64_t CauseTally::Count(Stated stated) const {
  if (stated == Stated::kNothing) return stated_nothing_;
  return std::accumulate(rows_.begin(), rows_.end(), int64_t{0}, [&](int64_t sum, const auto& row) {
    return sum + (stated == Stated::kRight ? row.second.right : row.second.wrong);
  });
}

double CauseTally::Precision() const {
  const auto right = static_cast<double>(Count(Stated::kRight));
  const auto stated = right + static_cast<double>(Count(Stated::kWrong));
  return stated > 0 ? right / stated : 1;
}

std::string CauseTally::Table() const {
  std::string out = absl::StrFormat("%6s  %6s  %s\n", "right", "wrong", "likely cause");
  for (const auto& [topic, row] : rows_) {
    absl::StrAppend(&out, absl::StrFormat("%6d  %6d  %s", row.right, row.wrong, topic));
    for (const auto& [name, count] : row.mistaken) {
      absl::StrAppend(&out, &name == &row.mistaken.begin()->first ? "; wrong for " : ", ", name, " ", count);
    }
    out += "\n";
  }
  absl::StrAppend(&out,
                  absl::StrFormat("%6d  %6d  in all; %d of %d failures were given no cause\n",
                                  Count(Stated::kRight), Count(Stated::kWrong), stated_nothing_, failures_));
  return out;
}

std::string CauseTally::ContractTable() const {
  std::string out;
  for (const auto& [index, stated] : contracts_) {
    int64_t failures = 0;
    std::vector<std::string> parts;
    for (const auto& [contract, count] : stated) {
      failures += count;
      parts.push_back(absl::StrCat(contract, " ", count));
    }
    absl::StrAppend(
        &out, absl::StrFormat("%-30s %-9s %5d failures, advised to declare: %s\n", injected_[index].name,
                              absl::StrJoin(injected_[index].contracts, ","), failures,
                              absl::StrJoin(parts, ", ")));
  }
  return out;
}

}  // namespace diopi::proof
