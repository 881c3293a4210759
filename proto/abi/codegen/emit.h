// What the build makes from the ABI. Each function returns the text of one file.
#ifndef PROTO_ABI_CODEGEN_EMIT_H_
#define PROTO_ABI_CODEGEN_EMIT_H_

#include <string>

#include "proto/abi/schema/abi.pb.h"

namespace diopi::abi {

// "diopirt.h": types, enums, the host's functions.
std::string RuntimeHeader(const Header& runtime);

// "functions.h" and the other operator headers. `meta` may be null; its functions are declared first.
std::string OperatorHeader(const Header& header, const Header* meta);

// "diopi_device.h".
std::string DeviceHeader(const Header& device);

// "kernels.h", in C++: from which the entry points of a library's kernels are made.
std::string KernelHeader(const Abi& abi);

// "entries.inc": DIOPI_ENTRY(index, function) for every operator function, in header order.
std::string EntryList(const Abi& abi);

// A C source with kAbiData and kAbiDataSize, the serialised message `abi`.
std::string BlobSource(const Abi& abi);

// A C source of a vendor library in which every operator records its arguments; the format of the record is
// described at its top.
std::string RecorderSource(const Abi& abi);

}  // namespace diopi::abi

#endif  // PROTO_ABI_CODEGEN_EMIT_H_
