#include "client/proof/causes.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace diopi::proof {
namespace {

// A topic of causes, and the words for it in the names and texts of bugs and variants; any of the words
// matches.
struct Topic {
  const char* in_cause;
  const char* in_planted;  // separated by '|'
};

constexpr Topic kTopics[] = {
    {"declare tf32", "tf32"},
    {"declare tc32", "tc32|cuts off|truncat"},
    {"declare fastconv", "fastconv|winograd"},
    {"declare native16", "native16|16 bits|16_bit|float16|bfloat16|16-bit|fp16|half|to the type|in the type"},
    {"bf16x2", "bf16x"},
    {"rounded to bfloat16", "bfloat16|bf16"},
    {"cut to bfloat16", "bfloat16|bf16"},
    {"rounded to float16", "float16|fp16"},
    {"never written",
     "stale|unwritten|not written|never written|keep what|whole_vectors|first size|leaves|what the last "
     "call"},
    {"all bits set", "0xFF"},
    {"NaN in the input", "nan"},
    {"overflow saturates", "saturat|largest number|clamp"},
    {"intermediate result overflows",
     "overflow|squared in float16|squares|without_max|float16|fp16|native16"},
    {"sign of zero", "zero|-0|+0"},
    {"subnormal", "subnormal|flush|underflow"},
    {"too early", "shift|off_by|stale|place"},
    {"too late", "shift|off_by|stale|place"},
    {"keeps the results of the one before", "repeat|block|vector|tail"},
    {"last two dimensions are exchanged",
     "exchanged|permut|transpos|order|layout|stride|contiguous|NCHW|packed|dim"},
    {"64-bit integers are computed in 32 bits", "32 bits|32_bits|int32"},
    {"goes through float32", "float32|fp32"},
    {"sign is wrong", "sign|negat|minus|inverted|scores_rising"},
    {"never computed", "zeros|never|not written|unwritten|is 0"},
    {"one value throughout", "zeros|one value|table|seed|repeat"},
    {"each other's places",
     "order|swap|exchang|layout|stride|permut|transpos|contiguous|group|revers|places|flat|inverse|dim|flip|"
     "column"},
    {"tail", "tail|last|whole|after|beyond|block|drop|end"},
    {"left out", "tail|last|whole|after|beyond|block|drop|end"},
    {"truncated toward zero", "truncat|cut|cuts"},
    {"rounded down", "floor|truncat|cut|cuts"},
    {"rounded up", "ceil|away"},
    {"rounded away", "away"},
    {"tie is broken", "tie|equal|stable|reversal|revers"},
    {"generator is not advanced", "generator"},
    {"read in the order of memory", "stride|layout|contiguous|storage|NCHW|flat|packed|channels_last|offset"},
    {"read one element after the other", "broadcast|modulo|flat|repeat"},
};

// Arguments that replays change, by name, where bugs and variants use other words for them.
constexpr Topic kArguments[] = {
    {"label_smoothing", "smoothing"},
    {"weight_decay", "decay"},
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

constexpr char kConsistent[] = "consistent with ";

// The argument that "consistent with ARGUMENT taken as 1" or "... ARGUMENT ignored" names; empty otherwise.
std::string ArgumentOf(const std::string& piece) {
  const size_t end = piece.find_first_of(" '");
  if (end == std::string::npos) return "";
  const std::string rest = piece.substr(end);
  const bool altered =
      absl::StartsWith(rest, " taken") || absl::StartsWith(rest, " ignored") || absl::StartsWith(rest, "'s ");
  return altered ? piece.substr(0, std::min(end, piece.find('.'))) : "";
}

// A cause's topics, as rows of the table, and whether one of them matches the bug or variant.
struct Topics {
  std::vector<std::string> names;
  bool right = false;
};

Topics TopicsOf(const Planted& planted, const std::string& cause) {
  const std::string haystack =
      absl::StrCat(planted.name, " ", planted.text, " ", absl::StrJoin(planted.contracts, " "));
  Topics topics;
  const std::vector<std::string> pieces = absl::StrSplit(absl::StripPrefix(cause, kConsistent), ", or with ");
  for (const std::string& piece : pieces) {
    std::string words;
    if (const std::string argument = ArgumentOf(piece); !argument.empty()) {
      words = argument;
      for (const Topic& known : kArguments) {
        if (argument == known.in_cause) words = known.in_planted;
      }
      topics.names.push_back(absl::StrCat("argument ", argument));
    } else {
      for (const Topic& known : kTopics) {
        if (!absl::StrContains(piece, known.in_cause)) continue;
        words = known.in_planted;
        topics.names.push_back(known.in_cause);
        break;
      }
    }
    topics.right = topics.right || (!words.empty() && AnyWord(words, haystack));
  }
  if (topics.names.empty()) topics.names.push_back(cause);
  return topics;
}

}  // namespace

Told JudgeCause(const Planted& planted, const std::string& cause) {
  if (cause.empty()) return Told::kNothing;
  return TopicsOf(planted, cause).right ? Told::kRight : Told::kWrong;
}

void CauseTally::Add(size_t index, const v1::Verdict& verdict) {
  if (verdict.outcome() != v1::OUTCOME_FAIL) return;
  ++failures_;
  const Planted& planted = planted_[index];
  const std::string& cause = verdict.likely_cause();
  const Told told = JudgeCause(planted, cause);
  if (!planted.contracts.empty()) {
    const std::string without = cause.empty() ? "none" : "another cause";
    ++contracts_[index][verdict.declarable().empty() ? without : verdict.declarable()];
  }
  if (told == Told::kNothing) {
    ++told_nothing_;
    return;
  }
  Row& row = rows_[absl::StrJoin(TopicsOf(planted, cause).names, " | ")];
  ++(told == Told::kRight ? row.right : row.wrong);
  if (told == Told::kWrong) ++row.mistaken[planted.name];
}

int64_t CauseTally::Count(Told told) const {
  if (told == Told::kNothing) return told_nothing_;
  return std::accumulate(rows_.begin(), rows_.end(), int64_t{0}, [&](int64_t sum, const auto& row) {
    return sum + (told == Told::kRight ? row.second.right : row.second.wrong);
  });
}

double CauseTally::Precision() const {
  const auto right = static_cast<double>(Count(Told::kRight));
  const auto told = right + static_cast<double>(Count(Told::kWrong));
  return told > 0 ? right / told : 1;
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
  absl::StrAppend(&out, absl::StrFormat("%6d  %6d  in all; %d of %d failures were given no cause\n",
                                        Count(Told::kRight), Count(Told::kWrong), told_nothing_, failures_));
  return out;
}

std::string CauseTally::ContractTable() const {
  std::string out;
  for (const auto& [index, told] : contracts_) {
    int64_t failures = 0;
    std::vector<std::string> parts;
    for (const auto& [contract, count] : told) {
      failures += count;
      parts.push_back(absl::StrCat(contract, " ", count));
    }
    absl::StrAppend(&out, absl::StrFormat("%-30s %-9s %5d failures, advised to declare: %s\n",
                                          planted_[index].name, absl::StrJoin(planted_[index].contracts, ","),
                                          failures, absl::StrJoin(parts, ", ")));
  }
  return out;
}

}  // namespace diopi::proof
