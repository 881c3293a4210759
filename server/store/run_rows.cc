#include "server/store/run_rows.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace diopi::server {
namespace {

constexpr char kSelectFacts[] =
    "SELECT " DIOPI_RUN_COLUMNS " FROM runs r JOIN devices d ON d.id = r.device WHERE r.id = ?";

}  // namespace

RunFacts RunFactsOf(const Statement& row, int first) {
  RunFacts facts;
  int column = first;
  for (std::string RunFacts::*field :
       {&RunFacts::run_id, &RunFacts::chip, &RunFacts::vendor_name, &RunFacts::impl_version,
        &RunFacts::dialect, &RunFacts::impl_sha256, &RunFacts::suite_hash}) {
    facts.*field = row.Text(column++);
  }
  for (const absl::string_view contract : absl::StrSplit(row.Text(column++), ',', absl::SkipEmpty())) {
    facts.contracts.emplace_back(contract);
  }
  for (std::string RunFacts::*field : {&RunFacts::impl_path, &RunFacts::agent_version, &RunFacts::host,
                                       &RunFacts::state, &RunFacts::created, &RunFacts::finished}) {
    facts.*field = row.Text(column++);
  }
  facts.cases = row.Int(column);
  return facts;
}

absl::StatusOr<RunFacts> ReadRunFacts(Connection* connection, int64_t run) {
  absl::StatusOr<Statement> select = connection->Prepare(kSelectFacts);
  if (!select.ok()) return select.status();
  select->Bind(run);
  const absl::StatusOr<bool> row = select->Step();
  if (!row.ok()) return row.status();
  if (!*row) return absl::NotFoundError(absl::StrCat(connection->path(), ": no run in row ", run));
  return RunFactsOf(*select, 0);
}

}  // namespace diopi::server
