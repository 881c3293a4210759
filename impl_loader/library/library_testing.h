// For the tests of this folder.
#ifndef IMPL_LOADER_LIBRARY_LIBRARY_TESTING_H_
#define IMPL_LOADER_LIBRARY_LIBRARY_TESTING_H_

#include <string>

#include "build_paths.h"

namespace diopi::loader {

inline const std::string kVendors = DIOPI_BINARY_DIR "/lib/vendors/";

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_LIBRARY_TESTING_H_
