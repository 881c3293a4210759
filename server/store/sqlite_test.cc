#include "server/store/sqlite.h"

#include <gtest/gtest.h>

#include <string>

#include "server/store/database_testing.h"

namespace diopi::server {
namespace {

TEST(ConnectionTest, StatementsAreCachedByTheTextOfTheirSql) {
  const TestFolder folder;
  auto connection = Connection::Open(folder / "d.db", Connection::Mode::kReadWrite);
  ASSERT_TRUE(connection.ok()) << connection.status();
  std::string sql;
  for (const char digit : {'1', '2', '1'}) {
    sql.assign(200, ' ').replace(0, 8, "SELECT ?").replace(7, 1, 1, digit);
    absl::StatusOr<Statement> select = (*connection)->Prepare(sql);
    ASSERT_TRUE(select.ok()) << select.status();
    ASSERT_TRUE(select->Step().ok());
    EXPECT_EQ(select->Int(0), digit - '0');
  }
}

}  // namespace
}  // namespace diopi::server
