#include "server/store/run_bytes.h"

#include "cases/base/status_macros.h"

namespace diopi::server {
namespace {

constexpr char kSelectContentsOf[] = R"sql(
SELECT v.content, length(x.body) FROM verdicts v CROSS JOIN contents x ON x.id = v.content
WHERE v.run = ?)sql";
constexpr char kSelectOtherBytes[] = "SELECT (SELECT " DIOPI_MEASUREMENT_BYTES
                                     " WHERE run = ?1) + (SELECT " DIOPI_EXPLORATION_BYTES " WHERE id = ?1)";
constexpr char kAddBytes[] = "UPDATE runs SET bytes = bytes + ? WHERE id = ?";

}  // namespace

absl::StatusOr<StoredBytes> CountBytes(Connection* connection, int64_t run, std::vector<bool>* counted) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectContentsOf));
  select.Bind(run);
  StoredBytes count;
  absl::Status status = ForEachRow(&select, [&](const Statement& row) {
    ++count.verdicts;
    count.bytes += kVerdictBytes;
    const auto content = static_cast<size_t>(row.Int(0));
    if (content >= counted->size()) counted->resize(content + 1);
    if ((*counted)[content]) return;
    (*counted)[content] = true;
    count.bytes += kContentBytes + row.Int(1);
  });
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(Statement others, connection->Prepare(kSelectOtherBytes));
  others.Bind(run);
  ASSIGN_OR_RETURN(const bool row, others.Step());
  if (row) count.bytes += others.Int(0);
  return count;
}

absl::Status AddBytes(Connection* connection, int64_t run, int64_t bytes) {
  ASSIGN_OR_RETURN(Statement add, connection->Prepare(kAddBytes));
  add.Bind(bytes, run);
  return add.Run().status();
}

}  // namespace diopi::server
