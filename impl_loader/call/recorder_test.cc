// Proof for every function of the ABI: a generated vendor library records each argument it is handed, and
// each must arrive as sent, also through libdiopi_tap.so. The record's format stands at the top of the
// generated recorder.c.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <random>

#include "build_paths.h"
#include "impl_loader/call/call.h"
#include "impl_loader/library/library.h"

namespace diopi::loader {
namespace {

using Bytes = std::vector<unsigned char>;

template <typename T>
void Append(const T& value, Bytes* out) {
  const size_t at = out->size();
  out->resize(at + sizeof(T));
  std::memcpy(out->data() + at, static_cast<const void*>(&value), sizeof(T));
}

void AppendAll(const void* data, size_t size, Bytes* out) {
  const size_t at = out->size();
  out->resize(at + size);
  if (size > 0) std::memcpy(out->data() + at, data, size);
}

// One argument, and what the recorder must record for it.
struct Sent {
  ArgValue value;
  Bytes record;
  const abi::Param* param = nullptr;
  void* behind = nullptr;  // where an out pointer points
};

// Makes distinctive random arguments and owns what their pointers point to.
class Sender {
 public:
  explicit Sender(uint64_t seed) : random_(seed) {}

  std::vector<Sent> Make(const abi::Function& function) {
    count_ = static_cast<int64_t>(random_() % 6);
    std::vector<Sent> all;
    for (int i = 1; i < function.param_size(); ++i) {
      Sent sent;
      sent.param = &function.param(i);
      bool is_count = false;
      for (const abi::Param& other : function.param()) is_count |= other.count() == sent.param->name();
      Append(static_cast<unsigned char>(sent.param->kind()), &sent.record);
      is_count ? SetInteger(count_, &sent) : Fill(&sent);
      all.push_back(std::move(sent));
    }
    return all;
  }

  // NOLINTNEXTLINE(performance-no-int-to-ptr): any address will do, nobody follows it
  void* Handle() { return reinterpret_cast<void*>(random_() | 1); }

 private:
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  static void SetInteger(int64_t value, Sent* sent) {
    sent->value = value;
    Append(value, &sent->record);
  }

  void SetPointer(void* pointer, Sent* sent) {
    sent->value = pointer;
    Append(pointer, &sent->record);
  }

  // New storage that lives as long as the sender, filled with random bytes.
  void* Storage(size_t size) {
    storage_.emplace_back(size + 1);
    for (uint64_t& word : storage_.back()) word = random_() | 1;
    return storage_.back().data();
  }

  diopiSize_t Size() {
    const int64_t length = Below(5);
    return {static_cast<const int64_t*>(Storage(static_cast<size_t>(length))), length};
  }

  static void AppendSize(const diopiSize_t& size, Bytes* out) {
    Append(size.data, out);
    Append(size.len, out);
    AppendAll(size.data, static_cast<size_t>(size.len) * sizeof(int64_t), out);
  }

  template <typename T>
  void SetBehind(T value, Sent* sent) {
    sent->behind = Storage(1);
    std::memcpy(sent->behind, &value, sizeof(T));
    SetPointer(sent->behind, sent);
    if (sent->param->direction() != abi::OUT) Append(value, &sent->record);
  }

  void SetFloating(Sent* sent) {
    const double value = std::uniform_real_distribution<double>(-1e6, 1e6)(random_);
    sent->value = value;
    if (sent->param->kind() == abi::DOUBLE) return Append(value, &sent->record);
    const float narrow = static_cast<float>(value);
    int32_t bits = 0;
    std::memcpy(&bits, &narrow, sizeof(bits));
    Append(int64_t{bits}, &sent->record);
  }

  void Fill(Sent* sent) {
    if (sent->param->nullable() && Below(3) == 0) {
      sent->value = ArgNull{};
      return Append(static_cast<void*>(nullptr), &sent->record);
    }
    switch (sent->param->kind()) {
      case abi::BOOL: {
        const bool value = Below(2) == 1;
        SetInteger(value ? 1 : 0, sent);
        sent->value = value;
        return;
      }
      case abi::INT:
      case abi::INT32:
        return SetInteger(static_cast<int32_t>(random_()), sent);
      case abi::INT64:
        return SetInteger(static_cast<int64_t>(random_()), sent);
      case abi::REDUCTION:
      case abi::ROUND_MODE:
        return SetInteger(Below(3), sent);
      case abi::MEMORY_FORMAT:
        return SetInteger(Below(5), sent);
      case abi::FLOAT:
      case abi::DOUBLE:
        return SetFloating(sent);
      default:
        return FillPointer(sent);
    }
  }

  void FillPointer(Sent* sent) {
    switch (sent->param->kind()) {
      case abi::SIZE: {
        const diopiSize_t size = Size();
        sent->value = size;
        return AppendSize(size, &sent->record);
      }
      case abi::SIZE_POINTER: {
        const diopiSize_t size = Size();
        void* at = Storage(2);
        std::memcpy(at, &size, sizeof(size));
        SetPointer(at, sent);
        return AppendSize(size, &sent->record);
      }
      case abi::SCALAR_POINTER: {
        diopiScalar_t scalar = {};
        scalar.stype = static_cast<diopiDtype_t>(Below(17));
        scalar.ival = static_cast<int64_t>(random_());
        void* at = Storage(2);
        std::memcpy(at, &scalar, sizeof(scalar));
        SetPointer(at, sent);
        Append(static_cast<int64_t>(scalar.stype), &sent->record);
        return Append(scalar.ival, &sent->record);
      }
      case abi::STRING: {
        strings_.push_back("text " + std::to_string(random_()));
        SetPointer(strings_.back().data(), sent);
        Append(static_cast<int64_t>(strings_.back().size()), &sent->record);
        return AppendAll(strings_.back().data(), strings_.back().size(), &sent->record);
      }
      case abi::TENSOR_ARRAY:
      case abi::CONST_TENSOR_ARRAY:
      case abi::GENERATOR_ARRAY: {
        void* at = Storage(static_cast<size_t>(count_));
        SetPointer(at, sent);
        return AppendAll(at, static_cast<size_t>(count_) * sizeof(void*), &sent->record);
      }
      case abi::BOOL_POINTER:
        return SetBehind(sent->param->direction() != abi::OUT && Below(2) == 1, sent);
      case abi::INT64_POINTER:
        return SetBehind(static_cast<int64_t>(random_()), sent);
      case abi::DOUBLE_POINTER:
        return SetBehind(std::uniform_real_distribution<double>(-9, 9)(random_), sent);
      case abi::TENSOR_POINTER:
        sent->behind = Storage(64);
        return SetPointer(sent->behind, sent);
      default:
        return SetPointer(Handle(), sent);
    }
  }

  std::mt19937_64 random_;
  int64_t count_ = 0;
  std::deque<std::vector<uint64_t>> storage_;
  std::deque<std::string> strings_;
};

template <typename T>
T Behind(const Sent& sent, size_t index = 0) {
  T value;
  std::memcpy(&value, static_cast<const char*>(sent.behind) + index * sizeof(T), sizeof(T));
  return value;
}

// What the recorder writes through out pointers, made from the parameter's position.
void ExpectWritten(const Sent& sent, int position) {
  if (sent.behind == nullptr || sent.param->direction() == abi::IN) return;
  switch (sent.param->kind()) {
    case abi::TENSOR_POINTER:
      for (int i = 0; i < std::max(1, sent.param->fills()); ++i) {
        EXPECT_EQ(Behind<uint64_t>(sent, static_cast<size_t>(i)),
                  0x5EED0000u + 100u * static_cast<unsigned>(i) + static_cast<unsigned>(position));
      }
      return;
    case abi::INT64_POINTER:
      EXPECT_EQ(Behind<int64_t>(sent), -1000 - position);
      return;
    case abi::DOUBLE_POINTER:
      EXPECT_EQ(Behind<double>(sent), 0.5 + position);
      return;
    case abi::BOOL_POINTER:
      EXPECT_TRUE(Behind<bool>(sent));
      return;
    default:
      return;
  }
}

// How the calls reach the recorder.
enum class Way { kDirect, kTap, kWatchingTap };

class RecorderTest : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    const std::string recorder = DIOPI_BINARY_DIR "/lib/vendors/recorder.so";
    auto library = Library::Open(recorder);
    ASSERT_TRUE(library.ok()) << library.status();
    library_.emplace(*std::move(library));
    if (GetParam() != Way::kDirect) OpenTap(recorder);
    data_ = reinterpret_cast<const unsigned char* (*)()>(library_->Symbol("recorder_data"));
    size_ = reinterpret_cast<size_t (*)()>(library_->Symbol("recorder_size"));
    reset_ = reinterpret_cast<void (*)()>(library_->Symbol("recorder_reset"));
    ASSERT_TRUE(data_ != nullptr && size_ != nullptr && reset_ != nullptr);
  }

  void TearDown() override {
    unsetenv("DIOPI_TAP_IMPL");
    unsetenv("DIOPI_TAP_CALLED");
  }

  // The tap loads its tools from the folder of its own file, and only where a setting asks for one: so the
  // files are copied, not linked.
  void OpenTap(const std::string& recorder) {
    const std::string folder = ::testing::TempDir() + "/recorder_test_tap";
    std::filesystem::create_directories(folder);
    for (const auto& [name, file] :
         {std::pair("libdiopi_tap.so", DIOPI_BINARY_DIR "/lib/libdiopi_tap.so"),
          std::pair("libdiopi_tap_tools.so", DIOPI_BINARY_DIR "/lib/vendors/forwarding_tools.so")}) {
      std::filesystem::remove(folder + "/" + name);  // the library of the test before may still be mapped
      std::filesystem::copy_file(file, folder + "/" + name);
    }
    setenv("DIOPI_TAP_IMPL", recorder.c_str(), 1);
    if (GetParam() == Way::kWatchingTap) setenv("DIOPI_TAP_CALLED", "/dev/null", 1);
    auto tap = Library::Open(folder + "/libdiopi_tap.so");
    ASSERT_TRUE(tap.ok()) << tap.status();
    tap_.emplace(*std::move(tap));
  }

  // Takes the next `n` bytes of the record.
  Bytes Take(size_t n) {
    n = std::min(n, size_() - at_);
    Bytes bytes(data_() + at_, data_() + at_ + n);
    at_ += n;
    return bytes;
  }

  void CallAndCompare(const abi::Function& function, int index, uint64_t seed) {
    SCOPED_TRACE(function.name());
    Sender sender(seed);
    const std::vector<Sent> sent = sender.Make(function);
    std::vector<ArgValue> args(sent.size());
    for (size_t i = 0; i < sent.size(); ++i) args[i] = sent[i].value;
    auto* context = static_cast<diopiContextHandle_t>(sender.Handle());
    reset_();
    at_ = 0;
    const auto result =
        CallFunction((tap_.has_value() ? *tap_ : *library_).Symbol(function.name()), function, context, args);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->kind, CallResult::Kind::kReturned);
    EXPECT_EQ(result->error_code, index);
    const Bytes name = Take(function.name().size());
    EXPECT_EQ(std::string(name.begin(), name.end()), function.name());
    Bytes expected;
    Append(static_cast<unsigned char>(abi::CONTEXT), &expected);
    Append(context, &expected);
    EXPECT_EQ(Take(expected.size()), expected) << "the context";
    for (size_t i = 0; i < sent.size(); ++i) {
      SCOPED_TRACE(sent[i].param->name());
      EXPECT_EQ(Take(sent[i].record.size()), sent[i].record);
      ExpectWritten(sent[i], static_cast<int>(i) + 1);
      ++arguments_;
    }
    EXPECT_EQ(at_, size_()) << "the function was handed more than was sent";
  }

  std::optional<Library> library_;
  std::optional<Library> tap_;  // closed after each test: the next one gets a fresh one
  const unsigned char* (*data_)() = nullptr;
  size_t (*size_)() = nullptr;
  void (*reset_)() = nullptr;
  size_t at_ = 0;
  int64_t arguments_ = 0;
};

TEST_P(RecorderTest, EveryArgumentOfEveryFunctionArrives) {
  int functions = 0;
  for (const abi::Function* function : abi::Functions()) {
    for (uint64_t round = 0; round < 8; ++round) {
      CallAndCompare(*function, functions, static_cast<uint64_t>(functions) * 1000 + round);
      if (HasFatalFailure()) return;
    }
    ++functions;
  }
  EXPECT_EQ(functions, 538);
  RecordProperty("functions", functions);
  RecordProperty("arguments", static_cast<int>(arguments_));
  std::printf("%d functions, %lld arguments compared\n", functions, static_cast<long long>(arguments_));
}

std::string WayName(const ::testing::TestParamInfo<Way>& test) {
  return test.param == Way::kDirect ? "direct" : test.param == Way::kTap ? "tap" : "watching_tap";
}
INSTANTIATE_TEST_SUITE_P(Ways, RecorderTest, ::testing::Values(Way::kDirect, Way::kTap, Way::kWatchingTap),
                         WayName);

}  // namespace
}  // namespace diopi::loader
