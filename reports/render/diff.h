// Two runs side by side as a document, and as JSON.
#ifndef REPORTS_RENDER_DIFF_H_
#define REPORTS_RENDER_DIFF_H_

#include <string>

#include "absl/status/statusor.h"
#include "reports/document/document.h"
#include "reports/model/diff.h"

namespace diopi::reports {

// The two runs, what makes them comparable, counts by kind, and every case that differs, a table a kind.
Document DiffDocument(const Diff& diff);

// schema/diff.schema.json.
std::string RenderDiffJson(const Diff& diff);

// "text", "markdown", "json"; InvalidArgument for any other.
absl::StatusOr<std::string> RenderDiff(const Diff& diff, const std::string& format);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_DIFF_H_
