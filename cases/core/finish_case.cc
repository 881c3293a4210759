// Judges, id and hash of a case whose arguments are set.
#include <string>

#include "absl/strings/str_cat.h"
#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"
#include "cases/base/hash.h"
#include "cases/base/status_macros.h"
#include "cases/core/case_builder.h"
#include "cases/slices/slices.h"

namespace diopi::cases {
namespace {

bool IsJudged(const v1::Argument& arg) {
  if (arg.null()) return false;
  return arg.role() == v1::ROLE_OUTPUT || arg.role() == v1::ROLE_INOUT ||
         arg.role() == v1::ROLE_LIBRARY_OUTPUT;
}

bool IsCountable(v1::Dtype::Code dtype) {
  return dtype <= v1::Dtype::uint64 || dtype == v1::Dtype::bool_;
}

// True when no element of the output is rounded.
bool HasNoRounding(const v1::Argument& arg) {
  if (arg.has_host_output()) return IsCountable(arg.host_output().dtype());
  const std::vector<const v1::TensorSpec*> specs = SpecsOf(arg);
  return std::all_of(specs.begin(), specs.end(), [](const auto* spec) { return IsCountable(spec->dtype()); });
}

const v1::Judge* JudgeFor(const v1::FunctionRules& rules, const std::string& output) {
  const v1::Judge* fallback = nullptr;
  for (const v1::Judge& judge : rules.judge()) {
    if (judge.output() == output) return &judge;
    if (judge.output().empty()) fallback = &judge;
  }
  return fallback;
}

bool IsFalse(const v1::Case& c, const std::string& argument) {
  const v1::Argument* arg = FindArgument(c, argument);
  return arg != nullptr && arg->value_case() == v1::Argument::kB && !arg->b();
}

bool IsNull(const v1::Case& c, const std::string& argument) {
  const v1::Argument* arg = FindArgument(c, argument);
  return arg != nullptr && arg->null();
}

// Fields that tell the worker how to check the outputs, without influence on the computation.
void ClearChecks(v1::Case* c) {
  for (v1::Argument& arg : *c->mutable_args()) arg.clear_holds();
  for (v1::Judge& judge : *c->mutable_judges()) judge.clear_may_stay_unwritten();
  for (v1::Case& producer : *c->mutable_producers()) ClearChecks(&producer);
}

absl::Status AssignJudges(const v1::FunctionRules& rules, v1::Case* c) {
  for (const v1::Argument& arg : c->args()) {
    if (!IsJudged(arg)) continue;
    const v1::Judge* rule = JudgeFor(rules, arg.name());
    if (rule == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("output '", arg.name(), "' has no judge"));
    }
    v1::Judge* judge = c->add_judges();
    *judge = *rule;
    judge->set_output(arg.name());
    const bool rounds = rule->kind() == v1::Judge::MATH || rule->kind() == v1::Judge::ACCUMULATION ||
                        rule->kind() == v1::Judge::COMPOSITION;
    const bool moves = !rule->rounds_if().empty() && IsFalse(*c, rule->rounds_if());
    if (moves || (rounds && HasNoRounding(arg))) {
      judge->set_kind(v1::Judge::EXACT);
      judge->clear_kf();
      judge->clear_groups();
    }
    if (moves) judge->clear_may_be_nondeterministic();
    judge->clear_rounds_if();
    judge->clear_only_if();
    if (!rule->only_if().empty() && IsFalse(*c, rule->only_if())) {
      judge->set_kind(v1::Judge::NOT_JUDGED);
      judge->set_reason(absl::StrCat("`", rule->only_if(), "` is false"));
    }
    const std::string& needed = rule->written_if();
    judge->set_may_stay_unwritten(!needed.empty() && (IsFalse(*c, needed) || IsNull(*c, needed)));
    judge->clear_written_if();
  }
  return absl::OkStatus();
}

// Whether a reading can make a difference in the case's dtype.
bool Applies(const v1::Reading& reading, Dtype dtype) {
  if (reading.kind() == v1::Reading::ROUNDED_SCALARS) {
    return dtype == v1::Dtype::float16 || dtype == v1::Dtype::bfloat16;
  }
  return IsFloating(dtype);
}

// Part of the hash of large cases: raised whenever the elements that slices compare are others (slices.h), of
// one function alone by the version of its slices.
constexpr char kSlicesVersion[] = "slices 3";

std::string SlicesVersion(const std::string& function) {
  const int32_t version = slices::BuiltinSlices(function).version();
  return version == 0 ? kSlicesVersion : absl::StrCat(kSlicesVersion, ".", version);
}

}  // namespace

// Every field in the order of its number; there are no maps in it, so the bytes are the same everywhere.
std::string ContentHash(const v1::Case& c) {
  v1::Case content;
  content.set_function(c.function());
  content.set_dtype(c.dtype());
  *content.mutable_args() = c.args();
  *content.mutable_judges() = c.judges();
  *content.mutable_producers() = c.producers();
  content.set_generator_version(c.generator_version());
  if (slices::IsLarge(c)) content.set_label(SlicesVersion(c.function()));
  ClearChecks(&content);
  return Xxh128Hex(content.SerializeAsString());
}

absl::Status FinishCase(const v1::FunctionRules& rules, v1::Case* c) {
  RETURN_IF_ERROR(AssignJudges(rules, c));
  for (const v1::Reading& reading : rules.reading()) {
    if (Applies(reading, c->dtype())) *c->add_readings() = reading;
  }
  const std::string variant = rules.variant().empty() ? "" : absl::StrCat(rules.variant(), ".");
  c->set_id(absl::StrCat(c->operator_(), ".", variant, v1::Dtype::Code_Name(c->dtype()), ".", c->label()));
  c->set_hash(ContentHash(*c));
  c->set_variant(rules.variant());
  return absl::OkStatus();
}

}  // namespace diopi::cases
