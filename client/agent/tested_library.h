// The library that the options name: what a run and an exploration both do with it.
#ifndef CLIENT_AGENT_TESTED_LIBRARY_H_
#define CLIENT_AGENT_TESTED_LIBRARY_H_

#include "absl/status/statusor.h"
#include "baselines/compare/compare.h"
#include "baselines/compare/contract.h"
#include "client/agent/options.h"
#include "client/judge/case_judge.h"
#include "client/setup/library_facts.h"
#include "diopi/v1/run.pb.h"
#include "diopi/v1/selection.pb.h"
#include "diopi/v1/worker.pb.h"
#include "impl_loader/worker/worker.h"

namespace diopi::agent {

// Bytes of a vendor's name or version that are kept.
inline constexpr size_t kMostName = 4096;

// Reads --impl and --device-lib without loading them. Errors of InspectOperators; InvalidArgument for a
// damaged file, and for a library that is not the one that --require-sha256 names.
absl::StatusOr<LibraryFacts> InspectTested(const AgentOptions& options);

// Implements --max-bytes auto: sets the bound that the free memory of this machine allows or, if it is less,
// the memory of the tested library's device, which a worker of its own measures. Returns a sentence with the
// bound and the memory that set it.
std::string FitToDevice(const AgentOptions& options, const LibraryFacts& facts,
                        SelectionArguments* arguments);

// `device`: -1 where the worker may use any. Hides the data folder and the credentials.
loader::WorkerOptions MakeWorkerOptions(const AgentOptions& options, const LibraryFacts& facts,
                                        double timeout_s, int device);

// `options` must outlive the judge.
CaseJudgeOptions MakeJudgeOptions(const AgentOptions& options, const baselines::CompareOptions& compare,
                                  int calls);

// What is stored of a run or an exploration. `hello`: of the worker that loaded the library.
v1::RunOptions DescribeRun(const AgentOptions& options, const LibraryFacts& facts,
                           const v1::WorkerHello& hello, const v1::Selection& selection,
                           const baselines::DeclaredContracts& contracts);
v1::RunProfile MakeRunProfile(const AgentOptions& options);

// What the commands that repeat a case take from the options.
v1::RunCommand MakeRunCommand(const AgentOptions& options);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_TESTED_LIBRARY_H_
