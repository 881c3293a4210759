#include "server/security/lease_key.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"
#include "cases/base/file_error.h"
#include "cases/base/status_macros.h"
#include "server/security/secret.h"

namespace diopi::server {
namespace {

constexpr size_t kKeyBytes = 32;
constexpr size_t kSignatureBytes = 16;

// The file gets its name once it is complete; of two servers the first one succeeds.
absl::Status MakeKey(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string key, RandomBytes(kKeyBytes));
  std::string unnamed = absl::StrCat(path, "-XXXXXX");
  const Descriptor file(mkstemp(unnamed.data()));  // mode 0600
  if (!file.valid()) return WriteError(path, errno);
  const bool written = WriteAll(file.get(), key);
  absl::Status status;
  if (!written || (link(unnamed.c_str(), path.c_str()) != 0 && errno != EEXIST)) {
    status = WriteError(path, errno);
  }
  unlink(unnamed.c_str());
  return status;
}

}  // namespace

absl::StatusOr<LeaseKey> LeaseKey::Open(const std::string& data_folder) {
  const std::string path = absl::StrCat(data_folder, "/lease_key");
  if (access(path.c_str(), F_OK) != 0) {
    RETURN_IF_ERROR(MakeKey(path));
  }
  std::string key(kKeyBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file) return ReadError(path, errno);
  if (!file.read(key.data(), kKeyBytes) || file.peek() != std::ifstream::traits_type::eof())
    return absl::DataLossError(absl::StrCat(path, ": is not a lease key"));
  return LeaseKey(std::move(key));
}

std::string LeaseKey::Sign(const LeaseHolder& holder, std::string_view lease) const {
  // Names contain no zero bytes (server/rpc/request_limits.h).
  std::string text(holder.run_id);
  for (const std::string_view part : {holder.agent_id, lease}) text.append(1, '\0').append(part);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  return absl::StrCat(std::string(lease), "-",
                      absl::BytesToHexString(std::string(digest.begin(), digest.begin() + kSignatureBytes)));
}

std::optional<std::string> LeaseKey::Verify(const LeaseHolder& holder, std::string_view signed_lease) const {
  std::string lease(signed_lease.substr(0, signed_lease.find('-')));
  if (!SameSecret(Sign(holder, lease), signed_lease)) return std::nullopt;
  return lease;
}

}  // namespace diopi::server
