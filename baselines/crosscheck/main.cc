// diopi-judge DATA OUTPUTS: judges what another program computed (judge_outputs.h); prints a verdict per
// line, as JSON.
#include <google/protobuf/util/json_util.h>

#include <iostream>

#include "baselines/crosscheck/judge_outputs.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: diopi-judge DATA_FOLDER OUTPUTS_FOLDER\n";
    return 2;
  }
  const absl::Status status =
      diopi::baselines::JudgeOutputs({argv[1], argv[2]}, [](const diopi::v1::Verdict& verdict) {
        std::string json;
        if (google::protobuf::util::MessageToJsonString(verdict, &json).ok()) std::cout << json << "\n";
      });
  if (status.ok()) return 0;
  std::cerr << "diopi-judge: " << status.message() << "\n";
  return 3;
}
