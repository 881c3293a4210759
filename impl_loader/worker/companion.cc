#include "impl_loader/worker/companion.h"

#include <limits>
#include <system_error>

namespace diopi::loader {
namespace {

// Calls of one frame before the next one is built.
constexpr int kCalls = 4;

}  // namespace

Companion::Companion(const v1::WorkerCall& call, const std::vector<InputView>& inputs, RunCall run)
    : call_(call), inputs_(inputs), run_(run) {
  data_.reserve(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    InputView& input = inputs_[i];
    data_.emplace_back(static_cast<const char*>(input.data), input.bytes);
    input.data = data_.back().data();
    input.key = call_.inputs(static_cast<int>(i)).key();
  }
}

void Companion::Start(VendorLibrary* vendor, const ForkGuard* forks) {
  runner_ = std::make_unique<CaseRunner>(vendor, forks);
  RunOptions options;
  options.calls = kCalls;
  options.alone = false;
  options.hold_inputs = false;
  try {
    thread_ = std::thread([this, options] {
      begun_ = true;
      begun_.notify_one();
      for (; !stop_; ++rounds_) runner_->Recycle(run_(call_, inputs_, options, runner_.get()).outputs);
    });
  } catch (const std::system_error&) {
    rounds_ = std::numeric_limits<int>::max();
    return;
  }
  begun_.wait(false);
}

void Companion::Stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

}  // namespace diopi::loader
