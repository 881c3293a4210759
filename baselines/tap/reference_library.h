// The CPU reference in a foreign host: it runs on our runtime functions, not on the host's.
#ifndef BASELINES_TAP_REFERENCE_LIBRARY_H_
#define BASELINES_TAP_REFERENCE_LIBRARY_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::tap {

// Opens the reference at `path` so that it calls the runtime functions of libdiopirt.so, by whatever name the
// process knows them otherwise. If it is the file of `library`, the vendor's library in this process, a copy
// of it is opened. Errors as of InProcessLibrary::Open. Not thread-safe, nor is the result.
absl::StatusOr<std::unique_ptr<loader::InProcessLibrary>> OpenReference(const std::string& path,
                                                                        const std::string& library);

}  // namespace diopi::tap

#endif  // BASELINES_TAP_REFERENCE_LIBRARY_H_
