#include "cases/base/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <vector>

#include "absl/strings/escaping.h"
#include "cases/base/file_error.h"

namespace diopi {

absl::StatusOr<std::string> Sha256OfFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return ReadError(path, errno);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    return absl::InternalError("SHA-256 is not available");
  }
  std::vector<char> buffer(1 << 20);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto got = static_cast<size_t>(in.gcount());
    if (EVP_DigestUpdate(context.get(), buffer.data(), got) != 1) {
      return absl::InternalError("SHA-256 failed");
    }
  }
  if (in.bad() || !in.eof()) return ReadError(path, errno);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(context.get(), digest.data(), &size) != 1) {
    return absl::InternalError("SHA-256 failed");
  }
  return absl::BytesToHexString(std::string(digest.begin(), digest.begin() + size));
}

}  // namespace diopi
