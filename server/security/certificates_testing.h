// Certificates for tests, made when the test runs: an authority, and certificates that it signed.
#ifndef SERVER_SECURITY_CERTIFICATES_TESTING_H_
#define SERVER_SECURITY_CERTIFICATES_TESTING_H_

#include <string>

#include "cases/base/test_folder.h"

namespace diopi::server {

struct TestPair {
  std::string certificate;  // paths
  std::string key;
};

// An authority in a folder of its own, which is removed with this object. Failures are test failures.
class TestAuthority {
 public:
  TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  std::string ca() const { return folder_ / "ca.pem"; }
  const std::string& folder() const { return folder_.path(); }
  // Issues a certificate for 127.0.0.1, ::1 and localhost, valid from `from_s` to `to_s`, in seconds from
  // now.
  TestPair Issue(const std::string& name, long from_s = -60, long to_s = 3600) const;

 private:
  const TestFolder folder_;
};

}  // namespace diopi::server

#endif  // SERVER_SECURITY_CERTIFICATES_TESTING_H_
