// Cases and tensors as text for people.
#ifndef CLIENT_CLI_CASE_TEXT_H_
#define CLIENT_CLI_CASE_TEXT_H_

#include <string>

#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::cli {

// "input in float32 (2, 3), strides (1, 2)": one line per argument, or per tensor of a list.
std::string ArgumentsText(const v1::Case& c);

// The case's id, function, what it reveals, its arguments, and how its outputs are judged.
std::string CaseText(const v1::Case& c);

// "float32 (2, 3): 0.5, -1.25, 3, ..."
std::string TensorText(const HostTensor& tensor, int64_t values);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_CASE_TEXT_H_
