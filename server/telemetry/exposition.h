// Parses the Prometheus text exposition format, strictly, for tests: it applies the rules of `promtool check
// metrics` and those of the format that a scraper relies on.
#ifndef SERVER_TELEMETRY_EXPOSITION_H_
#define SERVER_TELEMETRY_EXPOSITION_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"

namespace diopi::server {

// Values by series as it is written: `name`, or `name{label="value",...}`. InvalidArgument, with the line,
// for: a missing last newline, a series without HELP or TYPE before it, a family whose lines are not
// together, bad names, labels or values, a duplicate series, a counter that is negative or whose name does
// not end in _total, a histogram whose buckets decrease or whose +Inf bucket is missing or differs from its
// count.
absl::StatusOr<std::map<std::string, double>> ParseExposition(const std::string& text);

}  // namespace diopi::server

#endif  // SERVER_TELEMETRY_EXPOSITION_H_
