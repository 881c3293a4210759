// The captured calls in a data folder, DATA/captures/NAME/*.h5.
#ifndef SERVER_HTTP_CAPTURES_H_
#define SERVER_HTTP_CAPTURES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "diopi/v1/server_answers.pb.h"

namespace diopi::server {

// Every folder with files of captured calls, the newest first. Reads only names and sizes.
v1::CapturesPage LoadCaptures(const std::string& data_folder);

// Its calls in their order, at most `limit`, and the files that cannot be read. NotFound.
absl::StatusOr<v1::CapturePage> LoadCapture(const std::string& data_folder, const std::string& name,
                                            int64_t limit);

}  // namespace diopi::server

#endif  // SERVER_HTTP_CAPTURES_H_
