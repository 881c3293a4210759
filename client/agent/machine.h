// What this machine is: system, processor, memory, and NVIDIA's GPUs where their driver answers.
#ifndef CLIENT_AGENT_MACHINE_H_
#define CLIENT_AGENT_MACHINE_H_

#include <chrono>
#include <future>
#include <string>
#include <string_view>

#include "diopi/v1/run.pb.h"

namespace diopi::agent {

struct MachineSources {
  std::string root;                       // before /etc/os-release and /proc
  std::string nvidia_smi = "nvidia-smi";  // a path, or a name to look for in PATH
  // How long to wait for nvidia-smi, which without persistence mode starts the driver first.
  std::chrono::milliseconds limit{10'000};
};

// "AMD EPYC 9654 96-Core Processor"; empty where /proc/cpuinfo does not say.
std::string ProcessorModel(const std::string& root = "");
// That are online, hardware threads included.
int Processors();

// All GPUs of the machine, whatever --devices. Thread-safe; may take seconds where there are GPUs.
v1::Machine DescribeMachine(const MachineSources& sources = {});

// DescribeMachine of this one, once per process and beside whatever else it does: the first call starts it.
std::shared_future<v1::Machine> ThisMachine();

// Parses nvidia-smi's answer, a line per GPU: name, driver, MiB, W, MHz, MHz of the memory. "[N/A]" is not
// set; a line of other columns is left out.
google::protobuf::RepeatedPtrField<v1::Machine::Gpu> ParseGpus(std::string_view csv);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_MACHINE_H_
