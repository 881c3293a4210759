#include "server/store/run_bytes.h"

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
  absl::StatusOr<Statement> select = connection->Prepare(kSelectContentsOf);
  if (!select.ok()) return select.status();
  select->Bind(run);
  StoredBytes count;
  absl::Status status = ForEachRow(&*select, [&](const Statement& row) {
    ++count.verdicts;
    count.bytes += kVerdictBytes;
    const auto content = static_cast<size_t>(row.Int(0));
    if (content >= counted->size()) counted->resize(content + 1);
    if ((*counted)[content]) return;
    (*counted)[content] = true;
    count.bytes += kContentBytes + row.Int(1);
  });
  if (!status.ok()) return status;
  absl::StatusOr<Statement> others = connection->Prepare(kSelectOtherBytes);
  if (!others.ok()) return others.status();
  others->Bind(run);
  const absl::StatusOr<bool> row = others->Step();
  if (!row.ok()) return row.status();
  if (*row) count.bytes += others->Int(0);
  return count;
}

absl::Status AddBytes(Connection* connection, int64_t run, int64_t bytes) {
  absl::StatusOr<Statement> add = connection->Prepare(kAddBytes);
  if (!add.ok()) return add.status();
  add->Bind(bytes, run);
  return add->Run().status();
}

}  // namespace diopi::server
