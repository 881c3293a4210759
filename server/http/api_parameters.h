// The parameters of a request to the JSON API, checked.
#ifndef SERVER_HTTP_API_PARAMETERS_H_
#define SERVER_HTTP_API_PARAMETERS_H_

#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/http/http_server.h"
#include "server/store/queries.h"

namespace diopi::server {

// Every status is InvalidArgument and names the parameter and what was expected.
class Parameters {
 public:
  explicit Parameters(const HttpRequest& request) : request_(request) {}

  // Checks that the request has no other parameters, and none twice.
  absl::Status Only(std::initializer_list<const char*> names) const;
  // Empty: not given.
  std::string Text(const std::string& name) const;
  bool Has(const std::string& name) const { return request_.query.contains(name); }
  absl::StatusOr<std::string> Required(const std::string& name) const;
  // A whole number from `low` to `high`; `otherwise` when it is not given.
  absl::StatusOr<int64_t> Number(const std::string& name, int64_t low, int64_t high, int64_t otherwise) const;
  // from= & to=: times, RFC 3339, or days in UTC, from the first moment of `from` to before `to`.
  absl::StatusOr<TimeRange> Range() const;
  // outcome=fail,crash & operator= & dtype=. "failed" stands for all that IsFailure.
  absl::StatusOr<CaseFilter> Cases() const;

 private:
  absl::StatusOr<std::string> Time(const std::string& name) const;
  std::vector<std::string> List(const std::string& name) const;

  const HttpRequest& request_;
};

}  // namespace diopi::server

#endif  // SERVER_HTTP_API_PARAMETERS_H_
