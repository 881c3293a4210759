// A snapshot of the database, for answers that take several statements. Private to this folder.
#ifndef SERVER_STORE_SNAPSHOT_H_
#define SERVER_STORE_SNAPSHOT_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// A read transaction: until it is destroyed, the connection sees what was there when its first statement ran.
class Snapshot {
 public:
  static absl::StatusOr<Snapshot> Begin(Connection* connection) {
    absl::Status status = connection->Execute("BEGIN");
    if (!status.ok()) return status;
    return Snapshot(connection);
  }
  Snapshot(Snapshot&& other) noexcept : connection_(other.connection_) { other.connection_ = nullptr; }
  Snapshot& operator=(Snapshot&&) = delete;
  ~Snapshot() {
    if (connection_ != nullptr) connection_->Execute("ROLLBACK").IgnoreError();
  }

 private:
  explicit Snapshot(Connection* connection) : connection_(connection) {}
  Connection* connection_;
};

}  // namespace diopi::server

#endif  // SERVER_STORE_SNAPSHOT_H_
