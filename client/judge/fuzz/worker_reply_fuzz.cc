// Fuzzes the agent's whole way from what a worker sends to a verdict: for any bytes on the channel and any
// state of the shared memory, a case whose outputs are wrong is never pass, skipped or waived. The agent's
// own code lays the tensors out, takes the answer and judges it; only the process is missing.
//
// The first byte chooses the case, the second what lies in the frame, the third what lies behind it; the rest
// is the reply. The references are numbers that no such memory holds.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "baselines/compare/compare.h"
#include "baselines/compare/judging.h"
#include "cases/base/tensor.h"
#include "cases/base/text.h"
#include "client/judge/verdict_builder.h"
#include "diopi/v1/worker.pb.h"
#include "impl_loader/caller/checks.h"
#include "impl_loader/worker/answer.h"
#include "impl_loader/worker/shared_frame.h"
#include "impl_loader/worker/shared_layout.h"
#include "impl_loader/worker/shared_memory.h"

namespace {

using diopi::HostTensor;
using diopi::TensorMap;
using diopi::loader::AskedCall;
using diopi::loader::CallOutcome;
using diopi::loader::SharedFrame;
using diopi::loader::SharedMemory;
namespace v1 = diopi::v1;

constexpr std::array<int64_t, 2> kShape = {2, 3};
constexpr size_t kMemory = 64 << 10;  // of each part

struct Asked {
  v1::WorkerCall call;
  TensorMap inputs;
  TensorMap references;
};

HostTensor Full(double value, v1::Dtype::Code dtype) {
  HostTensor tensor{dtype, {kShape.begin(), kShape.end()}, {}};
  for (int i = 0; i < 6; ++i) {
    const auto narrow = static_cast<float>(value);
    const auto* bytes = dtype == v1::Dtype::float64 ? reinterpret_cast<const char*>(&value)
                                                    : reinterpret_cast<const char*>(&narrow);
    tensor.data.append(bytes, dtype == v1::Dtype::float64 ? sizeof(value) : sizeof(narrow));
  }
  return tensor;
}

v1::Argument* AddTensor(const std::string& name, v1::Role role, v1::Dtype::Code dtype, v1::Case* c) {
  v1::Argument* arg = c->add_args();
  arg->set_name(name);
  arg->set_role(role);
  arg->mutable_tensor()->set_dtype(dtype);
  for (const int64_t size : kShape) arg->mutable_tensor()->add_shape(size);
  return arg;
}

// diopiNeg of six numbers, exact.
Asked Negation(v1::Dtype::Code dtype) {
  Asked asked;
  v1::Case* c = asked.call.mutable_case_();
  c->set_id("neg.fuzz");
  c->set_function("diopiNeg");
  c->set_dtype(dtype);
  AddTensor("out", v1::ROLE_OUTPUT, dtype, c);
  AddTensor("input", v1::ROLE_INPUT, dtype, c);
  v1::Judge* judge = c->add_judges();
  judge->set_output("out");
  judge->set_kind(v1::Judge::EXACT);
  asked.inputs["input"] = Full(-7.25, dtype);
  asked.references["out"] = Full(7.25, dtype);
  return asked;
}

Asked MayStayUnwritten() {
  Asked asked = Negation(v1::Dtype::float32);
  asked.call.mutable_case_()->mutable_judges(0)->set_may_stay_unwritten(true);
  return asked;
}

// diopiNonzero, whose output the library allocates.
Asked AllocatedByTheLibrary() {
  Asked asked;
  v1::Case* c = asked.call.mutable_case_();
  c->set_id("nonzero.fuzz");
  c->set_function("diopiNonzero");
  c->set_dtype(v1::Dtype::float32);
  AddTensor("out", v1::ROLE_LIBRARY_OUTPUT, v1::Dtype::float32, c);
  AddTensor("input", v1::ROLE_INPUT, v1::Dtype::float32, c);
  v1::Judge* judge = c->add_judges();
  judge->set_output("out");
  judge->set_kind(v1::Judge::EXACT);
  asked.inputs["input"] = Full(1, v1::Dtype::float32);
  asked.references["out"] = Full(7.25, v1::Dtype::float32);
  return asked;
}

Asked LibraryCheck() {
  Asked asked;
  asked.call.mutable_case_()->set_id("library.vendor_name");
  asked.call.mutable_case_()->set_label("vendor_name");
  asked.call.mutable_case_()->set_operator_("library");
  return asked;
}

Asked AskedCase(uint8_t which) {
  switch (which % 5) {
    case 0:
      return Negation(v1::Dtype::float32);
    case 1:
      return Negation(v1::Dtype::float64);
    case 2:
      return MayStayUnwritten();
    case 3:
      return AllocatedByTheLibrary();
    default:
      return LibraryCheck();
  }
}

SharedMemory& Memory() {
  static SharedMemory& memory = *new SharedMemory(SharedMemory::Create(kMemory, kMemory).value());
  return memory;
}

// Whether a verdict on a call may have these findings, whatever a library says: none of the profile's, and
// texts that can be shown.
bool MayBeSaid(const google::protobuf::RepeatedPtrField<v1::Finding>& findings, int depth) {
  if (depth > 4) return false;
  return std::all_of(findings.begin(), findings.end(), [depth](const v1::Finding& finding) {
    const bool ours = finding.code() >= 600 && finding.code() < 700;
    return v1::Finding::Code_IsValid(finding.code()) && finding.code() != 0 && !ours &&
           finding.name().size() <= 256 && finding.word().size() <= 64 && finding.said().size() <= 16 << 10 &&
           diopi::PrintableText(finding.said()) == finding.said() && MayBeSaid(finding.parts(), depth + 1);
  });
}

// `unwritten`: the frame is as it was before the call.
void Judge(const Asked& asked, bool unwritten, const CallOutcome& outcome) {
  const v1::Case& c = asked.call.case_();
  const v1::Case judged = diopi::baselines::WithoutJudging(c, outcome.reply.unwritten());
  const v1::Verdict verdict = diopi::agent::BuildVerdict(
      c, outcome,
      [&](const TensorMap& actual) {
        return diopi::baselines::CompareCase(judged, asked.inputs, asked.references, actual, {});
      },
      asked.inputs);
  if (!v1::Outcome_IsValid(verdict.outcome()) || verdict.outcome() == v1::OUTCOME_UNSPECIFIED) std::abort();
  if (verdict.outcome() == v1::OUTCOME_WAIVED || verdict.reason().size() > size_t{1} << 18) std::abort();
  if (!MayBeSaid(verdict.findings(), 1)) std::abort();
  const bool excused = verdict.outcome() == v1::OUTCOME_PASS || verdict.outcome() == v1::OUTCOME_SKIPPED;
  const bool may_be = unwritten && !c.judges().empty() && c.judges(0).may_stay_unwritten();
  if (excused && !c.function().empty() && !may_be) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kChoices = 3;
  if (size < kChoices) return 0;
  Asked asked = AskedCase(data[0]);
  SharedMemory& memory = Memory();
  memory.Write(memory.data_offset(), std::string(kMemory, static_cast<char>(data[2])));
  asked.call.set_sequence(1);
  asked.call.set_output_offset(memory.data_offset());
  asked.call.set_output_bytes(kMemory);
  std::vector<diopi::loader::InputView> views;
  for (const auto& [key, tensor] : asked.inputs) {
    views.push_back({key, tensor.dtype, tensor.shape, tensor.data.data(), tensor.data.size()});
  }
  std::unique_ptr<SharedFrame> frame;
  if (!asked.call.case_().function().empty()) {
    frame = SharedFrame::Lay(asked.call.case_(), views, 0, memory.frames());
    if (frame == nullptr) std::abort();
    memory.Write(diopi::loader::kFrameOffset, std::string(frame->bytes(), static_cast<char>(data[1])));
    if (data[1] == 0) frame->Prepare();
  }
  v1::WorkerReply reply;
  if (!reply.ParseFromArray(data + kChoices, static_cast<int>(size - kChoices))) return 0;
  if (data[0] < 0x80) reply.set_sequence(1);
  const AskedCall call{&asked.call, std::chrono::seconds(30), false, false, &memory, frame.get(), nullptr,
                       false};
  const uint8_t filled = data[1] == 0 ? diopi::loader::kPoison[0] : data[1];
  const bool unwritten = filled == diopi::loader::kPoison[0] || filled == diopi::loader::kPoison[1];
  Judge(asked, unwritten, diopi::loader::TakeAnswer(call, std::move(reply)));
  return 0;
}
