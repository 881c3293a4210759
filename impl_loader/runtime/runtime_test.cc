#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "build_paths.h"
#include "impl_loader/library/library.h"
#include "impl_loader/runtime/host.h"
#include "proto/abi/abi.h"

namespace diopi::runtime {
namespace {

class RuntimeTest : public testing::Test {
 protected:
  Arena host_;
  diopiContext context_{&host_, nullptr, DeviceFunctions()};
};

TEST_F(RuntimeTest, ExportsEveryFunctionOfTheAbi) {
  const auto symbols = loader::ReadElfSymbols(std::string(DIOPI_BINARY_DIR) + "/lib/libdiopirt.so");
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  for (const abi::Function* function : abi::RuntimeFunctions()) {
    EXPECT_EQ(std::count(symbols->exported.begin(), symbols->exported.end(), function->name()), 1)
        << function->name();
  }
  EXPECT_GE(abi::RuntimeFunctions().size(), 30u);
}

TEST_F(RuntimeTest, RequiredTensorsAreCompleteAndOutliveTheirSizes) {
  std::vector<int64_t> sizes = {2, 0, 3};
  diopiSize_t size{sizes.data(), 3};
  diopiTensorHandle_t tensor = nullptr;
  ASSERT_EQ(diopiRequireTensor(&context_, &tensor, &size, nullptr, diopi_dtype_int32, diopi_device),
            diopiSuccess);
  sizes.assign(3, 99);
  diopiSize_t got{};
  ASSERT_EQ(diopiGetTensorShape(tensor, &got), diopiSuccess);
  EXPECT_EQ(std::vector<int64_t>(got.data, got.data + got.len), (std::vector<int64_t>{2, 0, 3}));
  ASSERT_EQ(diopiGetTensorStride(tensor, &got), diopiSuccess);
  EXPECT_EQ(std::vector<int64_t>(got.data, got.data + got.len), (std::vector<int64_t>{3, 3, 1}));
  int64_t number = -1;
  EXPECT_EQ(diopiGetTensorNumel(tensor, &number), diopiSuccess);
  EXPECT_EQ(number, 0);
  EXPECT_EQ(diopiGetTensorElemSize(tensor, &number), diopiSuccess);
  EXPECT_EQ(number, 4);
  diopiDtype_t dtype = diopi_dtype_unsupported;
  EXPECT_EQ(diopiGetTensorDtype(tensor, &dtype), diopiSuccess);
  EXPECT_EQ(dtype, diopi_dtype_int32);
  diopiDevice_t device = diopi_host;
  EXPECT_EQ(diopiGetTensorDevice(tensor, &device), diopiSuccess);
  EXPECT_EQ(device, diopi_device);
  bool sparse = true;
  EXPECT_EQ(diopiIsTensorSparse(tensor, &sparse), diopiSuccess);
  EXPECT_FALSE(sparse);
}

TEST_F(RuntimeTest, SparseTensorsGiveTheirParts) {
  diopiTensor starts, columns, values, matrix;
  diopiConstTensorHandle_t part = &matrix;
  EXPECT_NE(diopiGetTensorCrowIndices(&matrix, &part), diopiSuccess);
  EXPECT_EQ(part, nullptr);
  matrix.row_starts = &starts;
  matrix.columns = &columns;
  matrix.values = &values;
  bool sparse = false;
  EXPECT_EQ(diopiIsTensorSparse(&matrix, &sparse), diopiSuccess);
  EXPECT_TRUE(sparse);
  EXPECT_EQ(diopiGetTensorCrowIndices(&matrix, &part), diopiSuccess);
  EXPECT_EQ(part, &starts);
  EXPECT_EQ(diopiGetTensorColIndices(&matrix, &part), diopiSuccess);
  EXPECT_EQ(part, &columns);
  EXPECT_EQ(diopiGetTensorValues(&matrix, &part), diopiSuccess);
  EXPECT_EQ(part, &values);
  const void* data = &matrix;
  EXPECT_EQ(diopiGetTensorDataConst(&matrix, &data), diopiSuccess);
  EXPECT_EQ(data, nullptr);
}

TEST_F(RuntimeTest, ScalarsStridesAndInternalTypesCanBeRequired) {
  diopiTensorHandle_t tensor = nullptr;
  diopiSize_t none{nullptr, 0};
  ASSERT_EQ(diopiRequireTensor(&context_, &tensor, &none, &none, diopi_dtype_float64, diopi_host),
            diopiSuccess);
  EXPECT_EQ(tensor->numel, 1);
  EXPECT_EQ(tensor->storage.bytes, 8u);
  const int64_t sizes[] = {3, 2};
  const int64_t strides[] = {1, 5};
  const diopiSize_t size{sizes, 2};
  const diopiSize_t stride{strides, 2};
  for (const auto& [code, bytes] : {std::pair<int, int64_t>{200, 16}, {201, 32}}) {
    const auto dtype = static_cast<diopiDtype_t>(code);
    ASSERT_EQ(diopiRequireTensor(&context_, &tensor, &size, &stride, dtype, diopi_device), diopiSuccess);
    size_t storage = 0;
    EXPECT_EQ(diopiGetTensorStorageNbytes(tensor, &storage), diopiSuccess);
    EXPECT_EQ(storage, static_cast<size_t>(8 * bytes));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->storage.data) % 64, 0u);
  }
  EXPECT_EQ(context_.Required().size(), 3u);
  context_.ReleaseRequired();
  EXPECT_TRUE(context_.Required().empty());
}

TEST_F(RuntimeTest, RequiredMemoryIsPoisonedAndGuarded) {
  context_.poison = 0xA5;
  diopiTensorHandle_t buffer = nullptr;
  ASSERT_EQ(diopiRequireBuffer(&context_, &buffer, 100, diopi_device), diopiSuccess);
  void* data = nullptr;
  ASSERT_EQ(diopiGetTensorData(buffer, &data), diopiSuccess);
  const auto* bytes = static_cast<const uint8_t*>(data);
  EXPECT_TRUE(std::all_of(bytes, bytes + 100, [](uint8_t b) { return b == 0xA5; }));
  EXPECT_EQ(CheckCanaries(buffer->storage).count, 0);
}

// A workspace can be huge, and what is poisoned travels to the device in each call.
TEST_F(RuntimeTest, OnADeviceOnlyTheEndsOfLargeMemoryArePoisoned) {
  static uint64_t copied;
  static void* copied_on;
  DeviceFunctions functions;
  functions.memory_malloc = [](uint64_t bytes) { return std::malloc(bytes); };
  functions.memory_free = std::free;
  functions.stream_synchronize = [](void*) { return 0; };
  functions.copy_h2d = [](void* stream, void* dst, const void* src, uint64_t bytes) {
    std::memcpy(dst, src, bytes);
    copied += bytes;
    copied_on = stream;
    return 0;
  };
  for (const int64_t bytes : {int64_t{8} << 20, int64_t{100} << 20}) {
    Arena device(functions, &host_);
    diopiContext context(&host_, &device, functions);
    int of_the_call = 0, of_the_host = 0;
    context.stream = &of_the_call;
    context.fill_stream = &of_the_host;
    context.poison = 0xA5;
    copied = 0;
    diopiError_t error = diopiErrorOccurred;
    const diopiTensor* tensor = context.Require(diopi_dtype_uint8, {bytes}, {1}, diopi_device, &error);
    ASSERT_EQ(error, diopiSuccess);
    EXPECT_EQ(copied_on, &of_the_host);
    const diopi::runtime::Buffer& buffer = tensor->storage;
    EXPECT_EQ(copied, (uint64_t{8} << 20) + buffer.head + buffer.tail);
    EXPECT_EQ(buffer.data[0], std::byte{0xA5});
    EXPECT_EQ(buffer.data[bytes - 1], std::byte{0xA5});
    EXPECT_EQ(std::memcmp(buffer.zone(), buffer.zone_mirror(), buffer.head), 0);
    EXPECT_EQ(std::memcmp(buffer.data + bytes, buffer.mirror + bytes, buffer.tail), 0);
    context.ReleaseRequired();
  }
  host_.Rewind({});
}

TEST_F(RuntimeTest, NonsenseIsRefused) {
  diopiTensorHandle_t tensor = nullptr;
  const int64_t negative[] = {-1};
  const int64_t huge[] = {INT64_MAX, 8};
  const int64_t two[] = {2, 2};
  const diopiSize_t bad[] = {{negative, 1}, {huge, 2}, {nullptr, 2}, {two, -2}};
  for (const diopiSize_t& size : bad) {
    EXPECT_NE(diopiRequireTensor(&context_, &tensor, &size, nullptr, diopi_dtype_int8, diopi_device),
              diopiSuccess);
    EXPECT_EQ(tensor, nullptr);
  }
  const diopiSize_t good{two, 2};
  const diopiSize_t negative_stride{negative, 1};
  EXPECT_NE(diopiRequireTensor(&context_, &tensor, &good, &negative_stride, diopi_dtype_int8, diopi_device),
            diopiSuccess);
  EXPECT_NE(diopiRequireTensor(&context_, &tensor, &good, nullptr, diopi_dtype_unsupported, diopi_device),
            diopiSuccess);
  EXPECT_NE(diopiRequireBuffer(&context_, &tensor, -1, diopi_device), diopiSuccess);
}

TEST_F(RuntimeTest, NullArgumentsAreErrors) {
  diopiTensor tensor;
  const diopiSize_t size{nullptr, 0};
  diopiTensorHandle_t out = nullptr;
  diopiStreamHandle_t stream = nullptr;
  uint64_t seed = 0;
  void* pointer = nullptr;
  EXPECT_NE(diopiGetTensorData(nullptr, &pointer), diopiSuccess);
  EXPECT_NE(diopiGetTensorData(&tensor, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorDataConst(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorShape(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorStride(&tensor, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorDtype(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorDevice(&tensor, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorNumel(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorElemSize(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorStoragePtr(&tensor, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorStorageOffset(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorStorageNbytes(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorDeviceIndex(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorCrowIndices(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorColIndices(&tensor, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetTensorValues(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiIsTensorSparse(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiGetCurrentDeviceIndex(nullptr), diopiSuccess);
  EXPECT_NE(diopiGetStream(nullptr, &stream), diopiSuccess);
  EXPECT_NE(diopiRequireTensor(nullptr, &out, &size, nullptr, diopi_dtype_int8, diopi_host), diopiSuccess);
  EXPECT_NE(diopiRequireTensor(&context_, nullptr, &size, nullptr, diopi_dtype_int8, diopi_host),
            diopiSuccess);
  EXPECT_NE(diopiRequireTensor(&context_, &out, nullptr, nullptr, diopi_dtype_int8, diopi_host),
            diopiSuccess);
  EXPECT_NE(diopiRequireBuffer(nullptr, nullptr, 1, diopi_host), diopiSuccess);
  EXPECT_NE(diopiGeneratorGetState(nullptr, nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiGeneratorSetState(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiGeneratorGetSeedAndOffset(nullptr, &seed, nullptr), diopiSuccess);
  EXPECT_NE(diopiRecordStart(nullptr, nullptr), diopiSuccess);
  EXPECT_NE(diopiRecordEnd(nullptr), diopiSuccess);
  EXPECT_STREQ(diopiGetVersion(), "1.0.0");
}

TEST_F(RuntimeTest, GeneratorsGiveAndTakeTheirStateAndMayBeAbsent) {
  diopiGenerator generator{7, 8};
  diopiTensorHandle_t state = nullptr;
  ASSERT_EQ(diopiGeneratorGetState(&context_, &generator, &state), diopiSuccess);
  EXPECT_EQ(diopiGeneratorSetSeedAndOffset(&generator, 1, 2), diopiSuccess);
  EXPECT_EQ(generator.seed, 1u);
  ASSERT_EQ(diopiGeneratorSetState(&generator, state), diopiSuccess);
  EXPECT_EQ(generator.seed, 7u);
  EXPECT_EQ(generator.offset, 8u);
  uint64_t seed = 0;
  uint64_t offset = 1;
  EXPECT_EQ(diopiGeneratorGetSeedAndOffset(nullptr, &seed, &offset), diopiSuccess);
  EXPECT_EQ(seed, kDefaultSeed);
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(diopiGeneratorSetSeedAndOffset(nullptr, 1, 2), diopiSuccess);
  EXPECT_EQ(diopiGeneratorGetState(&context_, nullptr, &state), diopiSuccess);
  diopiTensorHandle_t small = nullptr;
  ASSERT_EQ(diopiRequireBuffer(&context_, &small, 4, diopi_host), diopiSuccess);
  EXPECT_NE(diopiGeneratorSetState(&generator, small), diopiSuccess);
}

TEST_F(RuntimeTest, DataIncludesTheStorageOffset) {
  diopiTensor tensor;
  tensor.dtype = diopi_dtype_float32;
  tensor.storage = host_.Allocate(64);
  tensor.storage_offset = 3;
  void* data = nullptr;
  void* storage = nullptr;
  EXPECT_EQ(diopiGetTensorData(&tensor, &data), diopiSuccess);
  EXPECT_EQ(diopiGetTensorStoragePtr(&tensor, &storage), diopiSuccess);
  EXPECT_EQ(static_cast<std::byte*>(data) - static_cast<std::byte*>(storage), 12);
}

int32_t MakeStream(diopiStreamHandle_t* stream) {
  *stream = nullptr;
  return 5;
}

TEST_F(RuntimeTest, RegistrationIsKeptUntilCleared) {
  EXPECT_EQ(diopiRegisterStreamCreateFunc(MakeStream), diopiSuccess);
  EXPECT_EQ(RegisteredFunctions().stream_create, &MakeStream);
  EXPECT_EQ(RegisteredFunctions().memory_malloc, nullptr);
  ClearRegisteredFunctions();
  EXPECT_EQ(RegisteredFunctions().stream_create, nullptr);
}

}  // namespace
}  // namespace diopi::runtime
