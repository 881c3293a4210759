#include "reports/model/cases_table.h"

#include <cmath>
#include <utility>
#include <vector>

#include "cases/base/status_macros.h"

namespace diopi::reports {
namespace {

void AddRow(server::CaseRow row, v1::CasesTable* table) {
  v1::CaseRow& shown = *table->add_rows();
  shown.set_case_id(std::move(row.case_id));
  shown.set_operator_(std::move(row.op));
  shown.set_function(std::move(row.function));
  shown.set_dtype(row.dtype);
  shown.set_outcome(row.outcome);
  shown.set_reason(std::move(row.reason));
  *shown.mutable_findings() = std::move(row.parts.findings);
  *shown.mutable_cause() = std::move(row.parts.cause);
  shown.set_call_us(TimeOf(row));
  shown.set_max_ulp(row.max_ulp);
  shown.set_max_z(row.max_z);
  shown.set_rms_z(row.rms_z);
  shown.set_max_abs(row.max_abs);
  shown.set_max_rel(row.max_rel);
  shown.set_mismatch_ratio(row.mismatch_ratio);
  shown.set_grade(std::move(row.grade));
  if (row.public_pass.has_value()) shown.set_public_pass(*row.public_pass);
  shown.set_gates(std::move(row.gates));
  if (row.device_index >= 0) shown.set_device_index(row.device_index);
}

}  // namespace

double TimeOf(const server::CaseRow& row) {
  return row.call_us > 0 ? row.call_us : std::nan("");
}

absl::StatusOr<v1::CasesTable> LoadCases(server::Queries& queries, const std::string& run_id,
                                         const server::CaseFilter& filter) {
  ASSIGN_OR_RETURN(const server::RunRow run, queries.RunCounts(run_id));
  ASSIGN_OR_RETURN(std::vector<server::CaseRow> cases, queries.Cases(run.facts.run_id, filter));
  v1::CasesTable table;
  table.set_run_id(run.facts.run_id);
  table.set_state(run.facts.state);
  const google::protobuf::Descriptor& row = *v1::CaseRow::descriptor();
  for (int i = 0; i < row.field_count(); ++i) table.add_columns(row.field(i)->name());
  for (server::CaseRow& one : cases) AddRow(std::move(one), &table);
  return table;
}

}  // namespace diopi::reports
