#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/core/dtype.h"
#include "reports/model/outcome.h"
#include "reports/render/escape.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

// The worst of a measurement over a case's outputs; a NaN is the worst there is.
template <typename Field>
double Worst(const v1::Verdict& verdict, Field field) {
  double worst = 0;
  for (const v1::OutputStats& stats : verdict.outputs()) {
    const double value = field(stats);
    if (std::isnan(value)) return value;
    worst = std::max(worst, value);
  }
  return worst;
}

std::string Row(const v1::Verdict& verdict) {
  int64_t mismatches = 0;
  for (const v1::OutputStats& stats : verdict.outputs()) mismatches += stats.mismatches();
  const std::vector<std::string> fields = {
      verdict.case_id(),
      verdict.operator_(),
      verdict.function(),
      std::string(DtypeName(verdict.dtype())),
      OutcomeName(verdict.outcome()),
      absl::StrCat(mismatches),
      absl::StrFormat("%.6g", Worst(verdict, [](const auto& s) { return s.max_ulp(); })),
      absl::StrFormat("%.6g", Worst(verdict, [](const auto& s) { return s.max_z(); })),
      absl::StrFormat("%.6g", Worst(verdict, [](const auto& s) { return s.max_abs(); })),
      absl::StrFormat("%.6g", Worst(verdict, [](const auto& s) { return s.max_rel(); })),
      absl::StrFormat("%.3f", verdict.call_us()),
      absl::StrCat(verdict.error_code()),
      verdict.signal(),
      verdict.reason(),
      verdict.reference(),
      verdict.case_hash(),
  };
  return absl::StrJoin(
      fields, ",", [](std::string* out, const std::string& field) { out->append(CsvField(ToUtf8(field))); });
}

}  // namespace

std::string RenderCsv(const RunReport& report) {
  std::string out =
      "case,operator,function,dtype,outcome,mismatches,max_ulp,max_z,max_abs,max_rel,call_us,error_code,"
      "signal,"
      "reason,reference,case_hash\r\n";
  for (const v1::Verdict& verdict : report.results) absl::StrAppend(&out, Row(verdict), "\r\n");
  return out;
}

}  // namespace diopi::reports
