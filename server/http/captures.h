// The captured calls in a data folder, DATA/captures/NAME/*.h5, as JSON (API.md).
#ifndef SERVER_HTTP_CAPTURES_H_
#define SERVER_HTTP_CAPTURES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "server/http/api_json.h"

namespace diopi::server {

// /captures: every folder with files of captured calls, the newest first. Reads only names and sizes.
Json CapturesJson(const std::string& data_folder);

// /captures/NAME: its calls in their order, at most `limit`, and the files that cannot be read. NotFound.
absl::StatusOr<Json> CaptureJson(const std::string& data_folder, const std::string& name, int64_t limit);

}  // namespace diopi::server

#endif  // SERVER_HTTP_CAPTURES_H_
