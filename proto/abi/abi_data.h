// The ABI as a serialised diopi.abi.Abi, written by abi_codegen.
#ifndef PROTO_ABI_ABI_DATA_H_
#define PROTO_ABI_ABI_DATA_H_

#include <cstddef>

namespace diopi::abi {

extern const unsigned char kAbiData[];
extern const std::size_t kAbiDataSize;

}  // namespace diopi::abi

#endif  // PROTO_ABI_ABI_DATA_H_
