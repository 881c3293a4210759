// Device memory that this process cannot touch, of libraries of both dialects.
#include "baselines/tap/vendor_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "build_paths.h"
#include "impl_loader/library/imports.h"
#include "impl_loader/library/library.h"
#include "impl_loader/runtime/host.h"

namespace diopi::tap {
namespace {

using loader::Library;
using ::testing::HasSubstr;

// This program is the host: its runtime functions are those of libdiopirt.so.
const Library& Runtime() {
  static const Library& library = *[] {
    return new Library(
        Library::Open(loader::FileOfAddress(reinterpret_cast<const void*>(&runtime::ElementBytes)).value())
            .value());
  }();
  return library;
}

TapHost Host() {
  TapHost host;
  host.host_symbol = [](const char* name) { return Runtime().Symbol(name); };
  return host;
}

struct Dialect {
  std::string library;
  bool beside;  // a second library has the device functions
};

class VendorWatchTest : public ::testing::TestWithParam<Dialect> {};

TEST_P(VendorWatchTest, DeviceMemoryIsCopiedByTheLibrarysFunctions) {
  static const HostRuntime runtime = HostRuntime::Find(Host()).value();
  const std::string vendors = DIOPI_BINARY_DIR "/lib/vendors/";
  const std::string path = vendors + GetParam().library + ".so";
  const std::string operators = GetParam().beside ? vendors + "vendor_good.so" : path;
  const absl::Status watched =
      WatchVendor(Host(), runtime, operators, GetParam().beside ? path : "", /*observer=*/nullptr);
  ASSERT_TRUE(watched.ok()) << watched;
  // The host initialises its library only now.
  const auto library = Library::Open(path);
  ASSERT_TRUE(library.ok()) << library.status();
  const auto initialize = reinterpret_cast<int32_t (*)()>(library->Symbol("initLibrary"));
  if (initialize != nullptr) {
    ASSERT_EQ(initialize(), 0);
  }

  const runtime::DeviceFunctions functions = VendorDeviceFunctions();
  ASSERT_TRUE(functions.HasMemory());
  void* stream = nullptr;
  ASSERT_EQ(functions.stream_create(&stream), 0);
  void* memory = functions.memory_malloc(16);
  const TensorMemory tensors(&VendorDeviceFunctions);
  char back[16] = {};
  EXPECT_TRUE(tensors.Write(stream, memory, 16, /*on_host=*/false, "fifteen letters").ok());
  EXPECT_TRUE(tensors.Read(stream, memory, 16, /*on_host=*/false, back).ok());
  EXPECT_STREQ(back, "fifteen letters");

  // Without functions, an address that is not this process's is an error and not its end.
  const TensorMemory none([] { return runtime::DeviceFunctions(); });
  const absl::Status unknown = none.Read(stream, memory, 16, /*on_host=*/false, back);
  EXPECT_THAT(unknown.message(), HasSubstr("DIOPI_TAP_DEVICE_LIB"));
  EXPECT_TRUE(none.Read(stream, "host memory", 5, /*on_host=*/false, back).ok());
  functions.memory_free(memory);
}

INSTANTIATE_TEST_SUITE_P(
    Dialects, VendorWatchTest,
    ::testing::Values(Dialect{"vendor_conform_device", false}, Dialect{"vendor_conform_device", true},
                      Dialect{"vendor_register_device", false}, Dialect{"vendor_register_device", true}),
    [](const auto& test) { return test.param.library + (test.param.beside ? "_beside" : ""); });

}  // namespace
}  // namespace diopi::tap
