#include "server/security/tls_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "server/security/certificates_testing.h"

namespace diopi::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string WriteFile(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

TEST(TlsFilesTest, ReadsWhatBelongsTogether) {
  const TestAuthority authority;
  const TestPair pair = authority.Issue("server");
  const auto texts = ReadTlsFiles({pair.certificate, pair.key, authority.ca()});
  ASSERT_TRUE(texts.ok()) << texts.status();
  EXPECT_THAT(texts->certificate, HasSubstr("BEGIN CERTIFICATE"));
  EXPECT_THAT(texts->key, HasSubstr("BEGIN PRIVATE KEY"));
  EXPECT_TRUE(ReadTlsFiles({"", "", authority.ca()}).ok());
  EXPECT_TRUE(ReadTlsFiles({}).ok());
}

TEST(TlsFilesTest, ReadsFilesOfAtMost4MiB) {
  const TestAuthority authority;
  const auto largest = std::uintmax_t{4} << 20;
  std::filesystem::resize_file(authority.ca(), largest);  // what follows the certificate is ignored
  EXPECT_TRUE(ReadTlsFiles({"", "", authority.ca()}).ok());
  std::filesystem::resize_file(authority.ca(), largest + 1);
  EXPECT_TRUE(absl::IsInvalidArgument(ReadTlsFiles({"", "", authority.ca()}).status()));
}

TEST(TlsFilesTest, SaysWhichFileIsWrongAndWhy) {
  const TestAuthority authority;
  const TestPair pair = authority.Issue("server");
  const TestPair other = authority.Issue("other");
  const TestPair expired = authority.Issue("expired", -3600, -60);
  const TestPair early = authority.Issue("early", 1800, 3600);
  const std::string missing = authority.folder() + "/missing.pem";
  const std::string garbage = WriteFile(authority.folder() + "/garbage.pem", "not PEM\n");
  const std::string locked = WriteFile(authority.folder() + "/locked.key",
                                       "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
                                       "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi5eGmEQnX0+wICCAAw\n"
                                       "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEDsvQJ1rj6xLm7H5yRjzC3gEgZBk\n"
                                       "-----END ENCRYPTED PRIVATE KEY-----\n");
  struct Row {
    TlsFiles files;
    std::string flag;
    std::string file;
    std::string why;
  };
  const std::vector<Row> rows = {
      {{missing, pair.key, ""}, "--tls-cert", missing, "cannot be read: No such file"},
      {{pair.certificate, missing, ""}, "--tls-key", missing, "cannot be read: No such file"},
      {{"", "", missing, "--tls-client-ca"}, "--tls-client-ca", missing, "cannot be read"},
      {{authority.folder(), pair.key, ""}, "--tls-cert", authority.folder(), "is a folder, expected a file"},
      {{garbage, pair.key, ""}, "--tls-cert", garbage, "no certificate in PEM"},
      {{pair.key, pair.key, ""}, "--tls-cert", pair.key, "no certificate in PEM"},
      {{pair.certificate, garbage, ""}, "--tls-key", garbage, "no private key in PEM"},
      {{pair.certificate, locked, ""}, "--tls-key", locked, "key"},
      {{"", "", garbage}, "--tls-ca", garbage, "no certificate in PEM"},
      {{pair.certificate, other.key, ""}, "--tls-key", other.key, "does not belong to the certificate"},
      {{expired.certificate, expired.key, ""}, "--tls-cert", expired.certificate, "expired on "},
      {{early.certificate, early.key, ""}, "--tls-cert", early.certificate, "not valid before "},
      {{pair.certificate, "", ""}, "--tls-cert", "needs", "--tls-key"},
      {{"", pair.key, ""}, "--tls-key", "needs", "--tls-cert"},
  };
  for (const Row& row : rows) {
    const absl::Status status = ReadTlsFiles(row.files).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << row.file;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr(row.flag), HasSubstr(row.file), HasSubstr(row.why)));
  }
}

}  // namespace
}  // namespace diopi::server
