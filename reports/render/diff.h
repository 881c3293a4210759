// The comparison of two runs as a document and as JSON.
#ifndef REPORTS_RENDER_DIFF_H_
#define REPORTS_RENDER_DIFF_H_

#include <string>

#include "absl/status/statusor.h"
#include "reports/document/document.h"
#include "reports/model/diff.h"

namespace diopi::reports {

// The two runs, what makes them comparable, counts by kind, and every case that differs, in one table per
// kind.
Document DiffDocument(const v1::Compare& diff);

// Which parts of the identity differ ("differ in library (SHA-256), contracts"), and what else may have
// changed verdicts ("; judged with other references"); "the same variant, reference and agent" when nothing
// differs.
std::string ComparableText(const v1::RunComparison& comparison);
// Over how many runs times were compared, or why they were not.
std::string TimesText(const v1::RunComparison::Times& times);

// A DiffFile of proto/diopi/v1/report_answers.proto.
std::string RenderDiffJson(const v1::Compare& diff);

// `format`: "text", "markdown" or "json"; InvalidArgument for any other.
absl::StatusOr<std::string> RenderDiff(const v1::Compare& diff, const std::string& format);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_DIFF_H_
