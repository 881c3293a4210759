// The report structs as JSON, as API.md describes it. Numbers and messages: reports/render/message_json.h.
#ifndef SERVER_HTTP_API_JSON_H_
#define SERVER_HTTP_API_JSON_H_

#include <string>

#include "diopi/v1/case.pb.h"
#include "diopi/v1/service.pb.h"
#include "reports/model/chips.h"
#include "reports/model/coverage.h"
#include "reports/model/diff.h"
#include "reports/model/failure_groups.h"
#include "reports/model/history.h"
#include "reports/model/lab.h"
#include "reports/model/model_support.h"
#include "reports/model/progress.h"
#include "reports/model/run_summary.h"
#include "reports/performance/performance.h"
#include "reports/render/json_parts.h"

namespace diopi::server {

using reports::Dump;
using reports::FindingJson;
using reports::FindingsJson;
using reports::Json;  // keys stay in the order of API.md
using reports::JsonNumber;
using reports::JsonText;

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
Json ToJson(const reports::ModelMatrix& models);
Json ToJson(const reports::Progress& progress);
Json ToJson(const reports::Lab& lab);
Json ToJson(const v1::AgentInfo& agent);
// One of /explorations.
Json ExplorationRowJson(const v1::RunInfo& run);
// One of /performance?chip='s runs.
Json ToJson(const RunFacts& run, const reports::PerformanceReport& report);
Json ToJson(const reports::RunFailures& failures);
// The columns of /runs/RUN/cases, and one of its rows.
Json CaseColumns();
Json ToJson(const CaseRow& row);
// `c`: the case; null: unknown.
Json ToJson(const v1::RunInfo& run, const v1::Verdict& verdict, const v1::Case* c);

}  // namespace diopi::server

#endif  // SERVER_HTTP_API_JSON_H_
