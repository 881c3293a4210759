// The report structs as JSON, as API.md has it. NaN is null; infinities are "inf" and "-inf".
#ifndef SERVER_HTTP_API_JSON_H_
#define SERVER_HTTP_API_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "diopi/v1/case.pb.h"
#include "reports/model/chips.h"
#include "reports/model/coverage.h"
#include "reports/model/diff.h"
#include "reports/model/failure_groups.h"
#include "reports/model/history.h"
#include "reports/model/progress.h"
#include "reports/model/run_summary.h"

namespace diopi::server {

using Json = nlohmann::ordered_json;  // keys stay in the order of API.md

Json JsonNumber(double value);
// null for an empty text.
Json JsonText(const std::string& text);
// A chip without a name is "unnamed" in answers and in paths.
std::string ChipName(const std::string& chip);

Json ToJson(const reports::RunSummary& run);
Json ToJson(const reports::RunDetail& run);
Json ToJson(const reports::ChipOverview& chip);
Json ToJson(const reports::ChipDetail& chip);
Json ToJson(const reports::Heat& heat);
Json ToJson(const reports::History& history);
Json ToJson(const reports::Diff& diff);
Json ToJson(const reports::CoverageMatrix& coverage);
Json ToJson(const reports::Progress& progress);
// `data_folder`: for the commands that repeat the examples.
Json ToJson(const reports::RunFailures& failures, const std::string& data_folder);
// The columns of /runs/RUN/cases, and a row of it.
Json CaseColumns();
Json ToJson(const CaseRow& row);
// `c`: the case, where it is known; null otherwise. `data_folder`: for the command that repeats it.
Json ToJson(const v1::RunInfo& run, const v1::Verdict& verdict, const v1::Case* c,
            const std::string& data_folder);

// Bytes that are not UTF-8 become U+FFFD.
std::string Dump(const Json& json);

}  // namespace diopi::server

#endif  // SERVER_HTTP_API_JSON_H_
