#include "server/store/verdict_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace diopi::server {
namespace {

constexpr char kInsertProvenance[] = "INSERT OR IGNORE INTO provenances (text) VALUES (?)";
constexpr char kSelectProvenance[] = "SELECT id FROM provenances WHERE text = ?";

constexpr char kInsertResult[] = R"sql(
INSERT OR IGNORE INTO results
  (run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal,
   backtrace, error_code, error_text, tensor_info, tags, contracts, likely_cause, cause_confidence,
   would_pass_under, readings, device_index, elapsed_us, stored)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql";

#define DIOPI_SELECT_RESULTS                                                                            \
  "SELECT r.id, r.case_id, r.case_hash, r.function, r.operator, r.dtype, r.outcome, r.reason, p.text, " \
  "r.call_us, r.calls, r.signal, r.backtrace, r.error_code, r.error_text, r.tensor_info, r.tags, "      \
  "r.contracts, r.likely_cause, r.device_index, r.elapsed_us, r.cause_confidence, r.would_pass_under, " \
  "r.readings, c.position "                                                                             \
  "FROM results r "                                                                                     \
  "JOIN run_cases c ON c.run = r.run AND c.case_id = r.case_id "                                        \
  "JOIN provenances p ON p.id = r.reference "                                                           \
  "WHERE r.run = ?"
constexpr char kSelectResults[] = DIOPI_SELECT_RESULTS " ORDER BY c.position";
constexpr char kSelectPage[] = DIOPI_SELECT_RESULTS " AND r.case_id > ? ORDER BY r.case_id LIMIT ?";
constexpr char kSelectResult[] = DIOPI_SELECT_RESULTS " AND r.case_id = ?";

constexpr int kPositionColumn = 24;
// Rows that a page looks at, also when the filter leaves all of them out.
constexpr int kPageRows = 1024;

constexpr char kInsertOutput[] = R"sql(
INSERT INTO result_outputs
  (result, ordinal, key, dtype, shape, ok, gates, elements, mismatches, soft, max_ulp, max_z, rms_z, max_abs,
   max_rel, rmse, rmse_ideal, bias, radial_bias, nan_actual, inf_actual, flushed, zero_fraction, detail,
   peer_ok, peer_mismatch_ratio, extra, noise_groups, argmax, leaning, rms_z_device, rmse_device, rmse_ratio,
   grade, digest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql";

constexpr char kSelectOutputs[] = R"sql(
SELECT key, dtype, shape, ok, gates, elements, mismatches, soft, max_ulp, max_z, rms_z, max_abs, max_rel,
       rmse, rmse_ideal, bias, radial_bias, nan_actual, inf_actual, flushed, zero_fraction, detail, peer_ok,
       peer_mismatch_ratio, extra, noise_groups, argmax, leaning, rms_z_device, rmse_device, rmse_ratio, grade,
       digest
FROM result_outputs WHERE result = ? ORDER BY ordinal)sql";

absl::StatusOr<v1::OutputStats> ReadOutput(const Statement& row, const std::string& path) {
  v1::OutputStats out;
  if (!out.ParseFromString(row.Text(24))) {
    return absl::DataLossError(absl::StrCat(path, ": the statistics of output ", row.Text(0),
                                            " cannot be read: the file is damaged"));
  }
  out.set_key(row.Text(0));
  out.set_dtype(static_cast<v1::Dtype::Code>(row.Int(1)));
  for (const absl::string_view part : absl::StrSplit(row.Text(2), ',', absl::SkipEmpty())) {
    int64_t size = 0;
    if (absl::SimpleAtoi(part, &size)) out.add_shape(size);
  }
  out.set_ok(row.Int(3) != 0);
  out.set_gates(row.Text(4));
  out.set_elements(row.Int(5));
  out.set_mismatches(row.Int(6));
  out.set_soft(row.Int(7));
  out.set_max_ulp(row.Double(8));
  out.set_max_z(row.Double(9));
  out.set_rms_z(row.Double(10));
  out.set_max_abs(row.Double(11));
  out.set_max_rel(row.Double(12));
  out.set_rmse(row.Double(13));
  out.set_rmse_ideal(row.Double(14));
  out.set_bias(row.Double(15));
  out.set_radial_bias(row.Double(16));
  out.set_nan_actual(row.Int(17));
  out.set_inf_actual(row.Int(18));
  out.set_flushed(row.Int(19));
  out.set_zero_fraction(row.Double(20));
  out.set_detail(row.Text(21));
  out.set_peer_ok(row.Int(22) != 0);
  out.set_peer_mismatch_ratio(row.Double(23));
  out.set_groups(row.Int(25));
  out.set_argmax(row.Int(26));
  out.set_leaning(row.Int(27));
  out.set_rms_z_device(row.Double(28));
  out.set_rmse_device(row.Double(29));
  out.set_rmse_ratio(row.Double(30));
  out.set_grade(row.Text(31));
  out.set_digest(row.Text(32));
  return out;
}

// A comma-separated column.
void SplitInto(const std::string& text, google::protobuf::RepeatedPtrField<std::string>* list) {
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    *list->Add() = std::string(part);
  }
}

v1::Verdict ReadVerdict(const Statement& row) {
  v1::Verdict verdict;
  verdict.set_case_id(row.Text(1));
  verdict.set_case_hash(row.Text(2));
  verdict.set_function(row.Text(3));
  verdict.set_operator_(row.Text(4));
  verdict.set_dtype(static_cast<v1::Dtype::Code>(row.Int(5)));
  verdict.set_outcome(static_cast<v1::Outcome>(row.Int(6)));
  verdict.set_reason(row.Text(7));
  verdict.set_reference(row.Text(8));
  verdict.set_call_us(row.Double(9));
  verdict.set_calls(static_cast<int32_t>(row.Int(10)));
  verdict.set_signal(row.Text(11));
  verdict.set_backtrace(row.Text(12));
  verdict.set_error_code(static_cast<int32_t>(row.Int(13)));
  verdict.set_error_text(row.Text(14));
  verdict.set_tensor_info(row.Text(15));
  verdict.set_tags(row.Text(16));
  SplitInto(row.Text(17), verdict.mutable_contracts());
  verdict.set_likely_cause(row.Text(18));
  if (row.Int(19) >= 0) verdict.set_device_index(static_cast<int32_t>(row.Int(19)));
  verdict.set_elapsed_us(row.Double(20));
  verdict.set_cause_confidence(row.Double(21));
  SplitInto(row.Text(22), verdict.mutable_would_pass_under());
  SplitInto(row.Text(23), verdict.mutable_readings());
  return verdict;
}

absl::Status AddOutputs(Connection* connection, int64_t result, v1::Verdict* verdict) {
  absl::StatusOr<Statement> outputs = connection->Prepare(kSelectOutputs);
  if (!outputs.ok()) return outputs.status();
  outputs->Bind(result);
  for (;;) {
    const absl::StatusOr<bool> more = outputs->Step();
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
    absl::StatusOr<v1::OutputStats> out = ReadOutput(*outputs, connection->path());
    if (!out.ok()) return out.status();
    *verdict->add_outputs() = *std::move(out);
  }
}

}  // namespace

absl::StatusOr<VerdictWriter> VerdictWriter::Make(Connection* connection, int64_t run,
                                                  const std::string& now) {
  absl::StatusOr<Statement> result = connection->Prepare(kInsertResult);
  if (!result.ok()) return result.status();
  absl::StatusOr<Statement> output = connection->Prepare(kInsertOutput);
  if (!output.ok()) return output.status();
  return VerdictWriter(connection, run, now, *std::move(result), *std::move(output));
}

absl::StatusOr<int64_t> VerdictWriter::ProvenanceId(const std::string& text) {
  if (provenance_id_ != 0 && text == provenance_) return provenance_id_;
  // Looked up first: nearly always it is there.
  for (int attempt = 0; attempt < 2; ++attempt) {
    absl::StatusOr<Statement> select = connection_->Prepare(kSelectProvenance);
    if (!select.ok()) return select.status();
    select->Bind(text);
    const absl::StatusOr<bool> row = select->Step();
    if (!row.ok()) return row.status();
    if (*row) {
      provenance_ = text;
      provenance_id_ = select->Int(0);
      return provenance_id_;
    }
    absl::StatusOr<Statement> insert = connection_->Prepare(kInsertProvenance);
    if (!insert.ok()) return insert.status();
    insert->Bind(text);
    const absl::StatusOr<int> inserted = insert->Run();
    if (!inserted.ok()) return inserted.status();
  }
  return absl::InternalError(
      absl::StrCat(connection_->path(), ": a provenance that was stored is not found"));
}

absl::Status VerdictWriter::InsertOutput(int64_t result, int ordinal, const v1::OutputStats& out) {
  *extra_.mutable_ulp_histogram() = out.ulp_histogram();
  *extra_.mutable_first() = out.first();
  extra_.SerializeToString(&blob_);
  shape_.clear();
  for (const int64_t size : out.shape()) absl::StrAppend(&shape_, shape_.empty() ? "" : ",", size);
  output_.Bind(result, ordinal, out.key(), static_cast<int>(out.dtype()), shape_, out.ok(), out.gates(),
               out.elements(), out.mismatches(), out.soft(), out.max_ulp(), out.max_z(), out.rms_z(),
               out.max_abs(), out.max_rel(), out.rmse(), out.rmse_ideal(), out.bias(), out.radial_bias(),
               out.nan_actual(), out.inf_actual(), out.flushed(), out.zero_fraction(), out.detail(),
               out.peer_ok(), out.peer_mismatch_ratio(), blob_, out.groups(), out.argmax(), out.leaning(),
               out.rms_z_device(), out.rmse_device(), out.rmse_ratio(), out.grade(), out.digest());
  return output_.Run().status();
}

absl::StatusOr<bool> VerdictWriter::Insert(const v1::Verdict& verdict) {
  const absl::StatusOr<int64_t> reference = ProvenanceId(verdict.reference());
  if (!reference.ok()) return reference.status();
  const std::string contracts = absl::StrJoin(verdict.contracts(), ",");
  const std::string would_pass_under = absl::StrJoin(verdict.would_pass_under(), ",");
  const std::string readings = absl::StrJoin(verdict.readings(), ",");
  result_.Bind(run_, verdict.case_id(), verdict.case_hash(), verdict.function(), verdict.operator_(),
               static_cast<int>(verdict.dtype()), static_cast<int>(verdict.outcome()), verdict.reason(),
               *reference, verdict.call_us(), verdict.calls(), verdict.signal(), verdict.backtrace(),
               verdict.error_code(), verdict.error_text(), verdict.tensor_info(), verdict.tags(), contracts,
               verdict.likely_cause(), verdict.cause_confidence(), would_pass_under, readings,
               verdict.has_device_index() ? verdict.device_index() : -1, verdict.elapsed_us(), now_);
  const absl::StatusOr<int> inserted = result_.Run();
  if (absl::IsInvalidArgument(inserted.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat(connection_->path(), ": case '", verdict.case_id(), "' is not in this run"));
  }
  if (!inserted.ok()) return inserted.status();
  if (*inserted == 0) return false;
  const int64_t result = connection_->LastInsertRowid();
  for (int i = 0; i < verdict.outputs_size(); ++i) {
    absl::Status status = InsertOutput(result, i, verdict.outputs(i));
    if (!status.ok()) return status;
  }
  return true;
}

namespace {

// Whether the filter lets the row's verdict through; then with its outputs, where they are wanted.
absl::StatusOr<bool> ReadFiltered(Connection* connection, const Statement& row, const VerdictFilter& filter,
                                  v1::Verdict* verdict) {
  *verdict = ReadVerdict(row);
  const std::vector<v1::Outcome>& outcomes = filter.outcomes;
  if (!outcomes.empty() && std::find(outcomes.begin(), outcomes.end(), verdict->outcome()) == outcomes.end())
    return false;
  if (!filter.with_outputs) return true;
  const absl::Status status = AddOutputs(connection, row.Int(0), verdict);
  if (!status.ok()) return status;
  return true;
}

}  // namespace

absl::StatusOr<std::vector<v1::Verdict>> SelectVerdicts(Connection* connection, int64_t run,
                                                        const VerdictFilter& filter) {
  const bool all = filter.case_id.empty();
  absl::StatusOr<Statement> results = connection->Prepare(all ? kSelectResults : kSelectResult);
  if (!results.ok()) return results.status();
  if (all) {
    results->Bind(run);
  } else {
    results->Bind(run, filter.case_id);
  }
  std::vector<v1::Verdict> verdicts;
  for (;;) {
    const absl::StatusOr<bool> more = results->Step();
    if (!more.ok()) return more.status();
    if (!*more) return verdicts;
    v1::Verdict verdict;
    const absl::StatusOr<bool> wanted = ReadFiltered(connection, *results, filter, &verdict);
    if (!wanted.ok()) return wanted.status();
    if (*wanted) verdicts.push_back(std::move(verdict));
  }
}

absl::StatusOr<VerdictPage> SelectVerdictPage(Connection* connection, int64_t run,
                                              const VerdictFilter& filter, const std::string& after,
                                              size_t max_bytes) {
  absl::StatusOr<Statement> results = connection->Prepare(kSelectPage);
  if (!results.ok()) return results.status();
  results->Bind(run, after, kPageRows);
  VerdictPage page;
  size_t bytes = 0;
  for (int rows = 0; rows < kPageRows && (page.verdicts.empty() || bytes < max_bytes); ++rows) {
    const absl::StatusOr<bool> more = results->Step();
    if (!more.ok()) return more.status();
    if (!*more) {
      page.next.clear();
      return page;
    }
    v1::Verdict verdict;
    const absl::StatusOr<bool> wanted = ReadFiltered(connection, *results, filter, &verdict);
    if (!wanted.ok()) return wanted.status();
    page.next = verdict.case_id();
    if (!*wanted) continue;
    bytes += verdict.ByteSizeLong();
    page.positions.push_back(results->Int(kPositionColumn));
    page.verdicts.push_back(std::move(verdict));
  }
  return page;
}

}  // namespace diopi::server
