// What the formats of a gate share: headline, facts and findings by cause, and the text format itself.
// Findings of cases that fail alike are shown as one with its example, in the run's own groups; a finding
// about a line keeps its own place, because its line has to be changed.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "proto/enum_name.h"
#include "reports/gate/render.h"
#include "reports/render/measurements.h"

namespace diopi::reports {
namespace {

std::string SelectionText(const v1::RunOptions& options) {
  const v1::Selection& selection = options.selection();
  if (IsWhole(options)) return "everything";
  std::vector<std::string> parts;
  if (!selection.functions().empty())
    parts.push_back(absl::StrCat("--fname ", absl::StrJoin(selection.functions(), ",")));
  for (const std::string& glob : selection.cases()) parts.push_back(absl::StrCat("--case ", glob));
  if (!selection.dtypes().empty()) parts.push_back(CountOf(selection.dtypes_size(), "dtype", "dtypes"));
  if (options.shard_count() > 1)
    parts.push_back(absl::StrCat("shard ", options.shard_index(), " of ", options.shard_count()));
  return absl::StrCat("a selection (", absl::StrJoin(parts, ", "), ")");
}

std::string LinesText(const Expectations& expectations) {
  std::map<std::string, size_t> kinds = {{"fail", 0}, {"flake", 0}, {"skip", 0}};
  for (const Expectation& line : expectations.cases) ++kinds[KindName(line.kind)];
  return absl::StrCat(expectations.file, " (", kinds["fail"], " fail, ", kinds["flake"], " flake, ",
                      kinds["skip"], " skip)");
}

void AppendFindings(const GateDocument& document, const char* title, const std::vector<GateFinding>& findings,
                    std::string* out) {
  if (findings.empty()) return;
  absl::StrAppend(out, "\n", title, "\n");
  for (const GateFinding& finding : findings) {
    absl::StrAppend(out, "  ", FindingWords(finding.kind), "  ", OneLine(FindingPlace(document, finding)),
                    ": ", OneLine(finding.text), "\n");
    const std::string& action = finding.local_action.empty() ? finding.action : finding.local_action;
    if (!action.empty()) absl::StrAppend(out, "      ", OneLine(action), "\n");
  }
}

using VerdictsById = std::map<std::string, const v1::Verdict*>;

// These verdicts in the run's own groups; what the run does not list as failures (refused calls), in groups
// of its own.
std::vector<FailureGroup> GroupsOf(const std::vector<FailureGroup>& of_run, VerdictsById verdicts) {
  std::vector<FailureGroup> groups;
  for (const FailureGroup& whole : of_run) {
    FailureGroup part = whole;
    std::erase_if(part.cases, [&verdicts](const std::string& id) { return !verdicts.contains(id); });
    if (part.cases.empty()) continue;
    std::set<std::string> operators;
    std::set<v1::Dtype::Code> dtypes;
    for (const std::string& id : part.cases) {
      const v1::Verdict& verdict = *verdicts.extract(id).mapped();
      operators.insert(verdict.operator_());
      dtypes.insert(verdict.dtype());
    }
    part.operators.assign(operators.begin(), operators.end());
    part.dtypes.assign(dtypes.begin(), dtypes.end());
    groups.push_back(std::move(part));
  }
  std::vector<const v1::Verdict*> others;
  for (const auto& [id, verdict] : verdicts) others.push_back(verdict);
  for (FailureGroup& group : GroupVerdicts(others)) groups.push_back(std::move(group));
  return groups;
}

}  // namespace

std::string GateHeadline(const GateResult& result) {
  const std::string notes =
      result.notes.empty() ? "" : absl::StrCat(", ", CountOf(std::ssize(result.notes), "note", "notes"));
  return result.green()
             ? absl::StrCat("passed", notes)
             : absl::StrCat("FAILED: ", CountOf(std::ssize(result.findings), "finding", "findings"), notes);
}

std::string FindingPlace(const GateDocument& document, const GateFinding& finding) {
  if (finding.line == 0 || document.input->expectations == nullptr) return finding.subject;
  return absl::StrCat(document.input->expectations->file, ":", finding.line, ": ", finding.subject);
}

std::vector<GateFinding> ShownFindings(const GateDocument& document) {
  const std::vector<GateFinding>& findings = document.result->findings;
  if (document.verbose) return findings;
  VerdictsById verdicts;
  for (const GatedCase& gated : document.result->cases) verdicts[gated.verdict->case_id()] = gated.verdict;
  std::vector<GateFinding> shown;
  for (size_t i = 0; i < findings.size();) {
    const FindingKind kind = findings[i].kind;
    VerdictsById members;
    std::unordered_map<std::string, const GateFinding*> by_case;
    for (; i < findings.size() && findings[i].kind == kind; ++i) {
      const auto verdict = verdicts.find(findings[i].subject);
      if (findings[i].line > 0 || verdict == verdicts.end()) {
        shown.push_back(findings[i]);
        continue;
      }
      members.insert(*verdict);
      by_case[findings[i].subject] = &findings[i];
    }
    for (const FailureGroup& group : GroupsOf(document.input->run->failures, std::move(members))) {
      const auto plainest = by_case.find(group.example.case_id());
      GateFinding finding = plainest != by_case.end() ? *plainest->second : *by_case.at(group.cases.front());
      if (group.cases.size() > 1) {
        const std::string example = finding.subject;
        finding.subject = GroupText(group);
        finding.text = absl::StrCat(OutcomeName(group.outcome), ": ", group.cause, "; for example ", example,
                                    ": ", finding.text);
        finding.cases = group.cases;
      }
      shown.push_back(std::move(finding));
    }
  }
  return shown;
}

std::vector<GateFact> GateFacts(const GateDocument& document) {
  const RunReport& run = *document.input->run;
  const GateResult& result = *document.result;
  const v1::RunOptions& options = run.run.options();
  std::vector<GateFact> facts;
  facts.push_back(
      {"Run", absl::StrCat(run.run.run_id(), " (", EnumName(run.run.state()), "), ",
                           options.chip().empty() ? "" : absl::StrCat("chip ", options.chip(), ", "),
                           CountOf(run.cases, "case", "cases"), " of ", SelectionText(options))});
  facts.push_back(
      {"Library", absl::StrCat(LibraryName(options), ", sha256 ", options.impl_sha256().substr(0, 16))});
  if (document.input->expectations != nullptr) {
    facts.push_back({"Expected", LinesText(*document.input->expectations)});
  }
  if (document.input->reference != nullptr) {
    facts.push_back({"Against", absl::StrCat("run ", document.input->reference->run.run_id(), " of ",
                                             document.input->reference->run.created())});
  }
  facts.push_back({"Coverage", absl::StrCat(PassingText(run.coverage), ": ", CoverageText(run.coverage))});
  if (!run.partial.empty()) facts.push_back({"Partial", run.partial});
  facts.push_back({"Called", CalledText(run)});
  facts.push_back({"Correctness", absl::StrCat(CorrectText(run.correctness), "; expected not to pass: ",
                                               result.expected_failures, ", waived: ", result.waived)});
  facts.push_back({"Did not pass", FailuresText(run)});
  return facts;
}

std::string RenderGateText(const GateDocument& document) {
  std::string out = absl::StrFormat("%-13s%s\n", "Gate", GateHeadline(*document.result));
  for (const GateFact& fact : GateFacts(document)) {
    absl::StrAppend(&out, absl::StrFormat("%-13s%s\n", fact.name, OneLine(fact.text)));
  }
  AppendFindings(document, "Findings", ShownFindings(document), &out);
  AppendFindings(document, "Notes", document.result->notes, &out);
  return out;
}

const std::vector<std::string>& GateFormats() {
  static const auto& formats = *new std::vector<std::string>{"text", "markdown", "junit", "github", "json"};
  return formats;
}

absl::StatusOr<std::string> RenderGate(const GateDocument& document, std::string_view format) {
  if (format == "text") return RenderGateText(document);
  if (format == "markdown") return RenderGateMarkdown(document);
  if (format == "junit") return RenderGateJunit(document);
  if (format == "github") return RenderGateAnnotations(document);
  if (format == "json") return RenderGateJson(document);
  return absl::InvalidArgumentError(absl::StrCat("unknown format '", std::string(format), "', expected ",
                                                 absl::StrJoin(GateFormats(), ", ")));
}

}  // namespace diopi::reports
