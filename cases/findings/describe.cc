#include "cases/findings/describe.h"

#include "absl/strings/str_cat.h"

namespace diopi {
namespace {

using Findings = google::protobuf::RepeatedPtrField<v1::Finding>;

const v1::Finding* OfOutput(const Findings& findings, const std::string& key) {
  for (const v1::Finding& finding : findings) {
    if (finding.code() == v1::Finding::OF_OUTPUT && finding.name() == key) return &finding;
    if (const v1::Finding* inner = OfOutput(finding.parts(), key)) return inner;  // of LAST_WRONG
  }
  return nullptr;
}

}  // namespace

bool HasFindings(const v1::Verdict& verdict) {
  return verdict.findings_size() > 0 || verdict.has_cause();
}

std::string ReasonText(const v1::Verdict& verdict, FindingLanguage language) {
  if (!HasFindings(verdict)) return verdict.reason();
  std::string found = FindingsText(verdict.findings(), language);
  // A contract that may be declared comes before the figures of a failure, what else explains them follows;
  // other causes are among the findings already.
  const v1::Finding::Code code = verdict.cause().code();
  if (code != v1::Finding::DECLARE && code != v1::Finding::CONSISTENT_WITH) return found;
  const bool declares = code == v1::Finding::DECLARE && verdict.outcome() == v1::OUTCOME_FAIL;
  std::string cause = FindingText(verdict.cause(), language);
  if (found.empty()) return cause;
  const bool english = language == FindingLanguage::kEnglish;
  return declares ? absl::StrCat(cause, english ? ": " : "：", found)
                  : absl::StrCat(found, english ? "; " : "；", cause);
}

std::string LikelyCauseText(const v1::Verdict& verdict, FindingLanguage language) {
  return verdict.has_cause() ? FindingText(verdict.cause(), language) : verdict.likely_cause();
}

void Describe(v1::Verdict* verdict) {
  if (!HasFindings(*verdict)) return;
  verdict->set_reason(ReasonText(*verdict, FindingLanguage::kEnglish));
  verdict->clear_likely_cause();
  verdict->clear_consistent_with();
  if (verdict->has_cause()) {
    verdict->set_likely_cause(FindingText(verdict->cause()));
    for (const v1::Finding& part : verdict->cause().parts()) verdict->add_consistent_with(FindingText(part));
  }
  for (v1::OutputStats& output : *verdict->mutable_outputs()) {
    const v1::Finding* found = OfOutput(verdict->findings(), output.key());
    output.set_detail(found == nullptr ? "" : FindingsText(found->parts()));
  }
}

v1::Finding AbortReason(const v1::RunOptions& options) {
  return FoundOr(options.aborted(), options.abort_reason());
}

v1::Finding SandboxOf(const v1::RunOptions& options) {
  return FoundOr(options.sandboxed(), options.sandbox());
}

std::vector<std::string> AdaptorLines(const v1::RunProfile& profile) {
  if (profile.rules().empty()) return {profile.adaptor().begin(), profile.adaptor().end()};
  std::vector<std::string> lines;
  for (const v1::Finding& rule : profile.rules()) lines.push_back(FindingText(rule));
  return lines;
}

void ClearDescription(v1::Verdict* verdict) {
  if (!HasFindings(*verdict)) return;
  verdict->clear_reason();
  verdict->clear_likely_cause();
  verdict->clear_consistent_with();
  for (v1::OutputStats& output : *verdict->mutable_outputs()) output.clear_detail();
}

void Describe(v1::RunOptions* options) {
  if (options->has_sandboxed()) options->set_sandbox(FindingText(options->sandboxed()));
  if (options->has_aborted()) options->set_abort_reason(FindingText(options->aborted()));
  if (!options->has_profile()) return;
  const std::vector<std::string> lines = AdaptorLines(options->profile());
  options->mutable_profile()->mutable_adaptor()->Assign(lines.begin(), lines.end());
}

void ClearDescription(v1::RunOptions* options) {
  if (options->has_sandboxed()) options->clear_sandbox();
  if (options->has_aborted()) options->clear_abort_reason();
  if (!options->profile().rules().empty()) options->mutable_profile()->clear_adaptor();
}

}  // namespace diopi
