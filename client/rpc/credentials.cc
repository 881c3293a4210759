#include "client/rpc/credentials.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "server/security/loopback.h"
#include "server/security/tls_files.h"

namespace diopi::rpc {
namespace {

constexpr size_t kMaxToken = 4096;

std::string OrEnvironment(const std::string& value, const char* name) {
  if (!value.empty()) return value;
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

// The token becomes a header: it must be printable and in one piece.
absl::StatusOr<std::string> CheckToken(const std::string& raw, const std::string& where) {
  std::string token(absl::StripAsciiWhitespace(raw));
  const bool good = !token.empty() && token.size() <= kMaxToken &&
                    std::all_of(token.begin(), token.end(),
                                [](char c) { return absl::ascii_isgraph(static_cast<unsigned char>(c)); });
  if (!good) return absl::InvalidArgumentError(absl::StrCat(where, ": not a token"));
  return token;
}

absl::StatusOr<std::string> ReadToken(const CredentialFiles& files) {
  const std::string& file = files.token_file;
  if (file.empty()) {
    const std::string token = OrEnvironment(files.token, "DIOPI_TOKEN");
    return token.empty() ? token : CheckToken(token, "$DIOPI_TOKEN");
  }
  const std::string where = absl::StrCat("--token-file ", file);
  const absl::StatusOr<std::string> text = ReadFile(file);
  if (!text.ok())
    return absl::Status(
        absl::IsNotFound(text.status()) ? absl::StatusCode::kInvalidArgument : text.status().code(),
        absl::StrCat("--token-file ", text.status().message()));
  return CheckToken(*text, where);
}

}  // namespace

absl::StatusOr<Credentials> LoadCredentials(const CredentialFiles& files) {
  server::TlsFiles tls;
  tls.ca = OrEnvironment(files.tls_ca, "DIOPI_TLS_CA");
  tls.certificate = OrEnvironment(files.tls_cert, "DIOPI_TLS_CERT");
  tls.key = OrEnvironment(files.tls_key, "DIOPI_TLS_KEY");
  if (tls.ca.empty() && tls.any()) {
    return absl::InvalidArgumentError(
        "--tls-cert and --tls-key also need --tls-ca, the authority that signed the server's certificate");
  }
  ASSIGN_OR_RETURN(server::TlsTexts texts, server::ReadTlsFiles(tls));
  ASSIGN_OR_RETURN(std::string token, ReadToken(files));
  return Credentials{std::move(texts.ca), std::move(texts.certificate), std::move(texts.key),
                     std::move(token), files.insecure};
}

absl::Status CheckEncryption(const std::string& address, const Credentials& credentials) {
  if (!credentials.ca.empty() || credentials.insecure || server::StaysOnThisMachine(address))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the server at ", address,
                   " is another machine: use --tls-ca, or --insecure to connect to it without encryption"));
}

}  // namespace diopi::rpc
