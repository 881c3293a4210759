#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/dtype.h"
#include "cases/base/outcome.h"
#include "reports/document/escape.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

// Empty: not measured.
std::string Number(double value) {
  return std::isnan(value) ? "" : absl::StrFormat("%.6g", value);
}

// A measurement's worst value over the outputs of a case that have it.
template <typename Field>
std::string Worst(const v1::Verdict& verdict, Field field) {
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (const v1::OutputStats& stats : verdict.outputs()) worst = std::fmax(worst, field(stats));
  return Number(worst);
}

// "out:P,R grad:B": the outputs that failed.
std::string Gates(const v1::Verdict& verdict) {
  std::vector<std::string> gates;
  for (const v1::OutputStats& stats : verdict.outputs()) {
    if (!stats.ok()) gates.push_back(absl::StrCat(stats.key(), ":", stats.gates()));
  }
  return absl::StrJoin(gates, " ");
}

// "A" to "D"; empty without a device reference.
std::string WorstGrade(const v1::Verdict& verdict) {
  std::string worst;
  for (const v1::OutputStats& stats : verdict.outputs()) worst = std::max(worst, stats.grade());
  return worst;
}

std::string Row(const RunReport& report, const v1::Verdict& verdict) {
  int64_t mismatches = 0;
  for (const v1::OutputStats& stats : verdict.outputs()) mismatches += stats.mismatches();
  const std::optional<PublicVerdict> theirs = PublicVerdictOf(verdict);
  const std::vector<std::string> fields = {
      verdict.case_id(),
      verdict.operator_(),
      verdict.function(),
      std::string(DtypeName(verdict.dtype())),
      OutcomeName(verdict.outcome()),
      absl::StrCat(mismatches),
      Worst(verdict, [](const auto& s) { return s.max_ulp(); }),
      Worst(verdict, [](const auto& s) { return s.max_z(); }),
      Worst(verdict, [](const auto& s) { return s.max_abs(); }),
      Worst(verdict, [](const auto& s) { return s.max_rel(); }),
      verdict.has_call_us() ? absl::StrFormat("%.3f", verdict.call_us()) : "",
      absl::StrCat(verdict.error_code()),
      verdict.signal(),
      verdict.reason(),
      verdict.reference(),
      verdict.case_hash(),
      absl::StrJoin(report.badges, " "),
      absl::StrJoin(verdict.contracts(), " "),
      Gates(verdict),
      Worst(verdict, [](const auto& s) { return s.rms_z(); }),
      Worst(verdict, [](const auto& s) { return std::fabs(s.bias()); }),
      WorstGrade(verdict),
      Worst(verdict, [](const auto& s) { return s.rmse_ratio(); }),
      theirs.has_value() ? (theirs->pass ? "pass" : "fail") : "",
      theirs.has_value() ? Number(theirs->mismatch_ratio) : "",
      verdict.likely_cause(),
      IsListed(verdict.outcome()) ? ReproCommand(report.run.options(), verdict) : "",
  };
  return absl::StrJoin(fields, ",",
                       [](std::string* out, const std::string& field) { out->append(CsvField(field)); });
}

}  // namespace

std::string RenderCsv(const RunReport& report) {
  std::string out =
      "case,operator,function,dtype,outcome,mismatches,max_ulp,max_z,max_abs,max_rel,call_us,error_code,"
      "signal,reason,reference,case_hash,badges,contracts,gates,rms_z,abs_bias,grade,rmse_ratio,public_rule,"
      "public_mismatch_ratio,likely_cause,repro\r\n";
  for (const v1::Verdict& verdict : report.results) absl::StrAppend(&out, Row(report, verdict), "\r\n");
  return out;
}

}  // namespace diopi::reports
