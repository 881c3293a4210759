#include "server/security/authorizer.h"

#include <sys/stat.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "server/security/token_file.h"

namespace diopi::server {
namespace {

// Identifies a version of the file. The file is always replaced, so its inode and times show changes.
struct Version {
  ino_t inode = 0;
  off_t bytes = 0;
  mode_t mode = 0;
  int64_t modified_ns = 0;
  int64_t changed_ns = 0;
  bool operator==(const Version&) const = default;
};

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

constexpr char kTokenPayload[] = "diopi/token";

absl::Status Refusal(absl::StatusCode code, const std::string& name, const std::string& why) {
  absl::Status status(code, absl::StrCat("the token of '", name, "' ", why));
  status.SetPayload(kTokenPayload, absl::Cord(name));
  return status;
}

class TokenAuthorizer final : public Authorizer {
 public:
  TokenAuthorizer(std::string path, bool require) : path_(std::move(path)), required_(require) {
    const std::lock_guard lock(mutex_);
    Refresh();
  }

  absl::StatusOr<Identity> Check(std::string_view token, Role role) override {
    const std::lock_guard lock(mutex_);
    Refresh();
    if (!required_) return Identity{kAnyone, Role::kAdmin};
    if (token.empty()) {
      return absl::UnauthenticatedError(
          "this server requires a token: use --token-file FILE or set $DIOPI_TOKEN (on the server: "
          "diopi-server "
          "token add)");
    }
    if (!records_.ok() && !absl::IsNotFound(records_.status())) return records_.status();
    const TokenRecord* record = records_.ok() ? FindToken(*records_, token) : nullptr;
    if (record == nullptr) {
      return absl::UnauthenticatedError("this server does not know the token, or it was revoked");
    }
    if (record->expires <= absl::Now()) {
      return Refusal(absl::StatusCode::kUnauthenticated, record->name,
                     absl::StrCat("expired on ", ExpiryText(record->expires),
                                  " (a new one, on the server: diopi-server token revoke, then token add)"));
    }
    if (record->role < role) {
      return Refusal(absl::StatusCode::kPermissionDenied, record->name,
                     absl::StrCat("has the role ", RoleWord(record->role), "; this needs ", RoleWord(role)));
    }
    return Identity{record->name, record->role};
  }

  absl::Status CheckChip(const Identity& caller, const std::string& chip) override {
    if (caller.role == Role::kAdmin) return absl::OkStatus();
    const std::lock_guard lock(mutex_);
    Refresh();
    if (!records_.ok()) return records_.status();
    std::vector<std::string> may;
    for (const TokenRecord& record : *records_) {
      if (std::find(record.chips.begin(), record.chips.end(), chip) == record.chips.end()) continue;
      if (record.name == caller.name) return absl::OkStatus();
      may.push_back(record.name);
    }
    if (may.empty()) return absl::OkStatus();
    return absl::PermissionDeniedError(absl::StrCat("chip '", chip, "' is reserved for agents and runs of '",
                                                    absl::StrJoin(may, "', '"),
                                                    "', and the token is that of '", caller.name, "'"));
  }

 private:
  void Refresh() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    struct stat info {};
    Version version;
    if (stat(path_.c_str(), &info) == 0) {
      version = {info.st_ino, info.st_size, info.st_mode, Nanoseconds(info.st_mtim),
                 Nanoseconds(info.st_ctim)};
    }
    if (read_ && version == version_) return;
    records_ = ReadTokens(path_);
    version_ = version;
    // If the file could not be read, the next call tries again.
    read_ = records_.ok() || absl::IsNotFound(records_.status());
    // Never reset: deleting the file must not open the server.
    required_ = required_ || !absl::IsNotFound(records_.status());
  }

  const std::string path_;
  std::mutex mutex_;
  bool required_ ABSL_GUARDED_BY(mutex_);
  bool read_ ABSL_GUARDED_BY(mutex_) = false;
  Version version_ ABSL_GUARDED_BY(mutex_);
  absl::StatusOr<std::vector<TokenRecord>> records_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Authorizer> Authorizer::FromTokens(const std::string& data_folder, bool require) {
  return std::make_unique<TokenAuthorizer>(TokenPath(data_folder), require);
}

std::string RefusedToken(const absl::Status& status) {
  return std::string(status.GetPayload(kTokenPayload).value_or(absl::Cord()));
}

std::string_view BearerToken(std::string_view header) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view scheme = header.substr(0, kScheme.size());
  if (header.size() <= kScheme.size() ||
      !absl::EqualsIgnoreCase(absl::string_view(scheme.data(), scheme.size()),
                              absl::string_view(kScheme.data(), kScheme.size()))) {
    return {};
  }
  header.remove_prefix(kScheme.size());
  return header;
}

}  // namespace diopi::server
