#include "reports/evaluation/figures.h"

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reports/model/run_summary.h"
#include "reports/render/measurements.h"
#include "reports/render/render.h"

namespace diopi::reports {

Text NotMeasured(const Translator& t, const std::string& why) {
  return {why.empty() ? t("not measured") : t("not measured: $0", why), Tone::kMuted};
}

Text OutOf(int64_t part, int64_t whole, const Translator& t) {
  if (whole == 0) return NotMeasured(t);
  return {t("$0 of $1 ($2)", part, whole, Percent(part, whole))};
}

std::string GradeText(const Grades& grades) {
  return absl::StrFormat("A %d, B %d, C %d, D %d", grades.counts[0], grades.counts[1], grades.counts[2],
                         grades.counts[3]);
}

std::string DeviceReference(const RunReport& report, const Translator& t) {
  const std::vector<std::string>& names = report.device_references;
  return names.empty() ? "NVIDIA" : absl::StrJoin(names, t(" and "));
}

std::string ChipName(const EvaluationInput& input, const Translator& t) {
  if (input.spec.has_value() && !input.spec->product().empty()) return input.spec->product();
  return Or(input.report.run.options().chip(), t("a chip without a name"));
}

}  // namespace diopi::reports
