// The real libdiopi_tap.so in front of the recorder, which keeps every argument that it is handed: what each
// function exports, forwards and returns. impl_loader/call/recorder_test.cc proves the arguments themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "build_paths.h"
#include "diopi/diopirt.h"
#include "impl_loader/library/library.h"
#include "proto/abi/abi.h"

namespace diopi::tap {
namespace {

using loader::Library;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAreArray;

constexpr char kTap[] = DIOPI_BINARY_DIR "/lib/libdiopi_tap.so";
constexpr char kVendors[] = DIOPI_BINARY_DIR "/lib/vendors/";

// diopiAdd as the tap exports it; each Library::Open is a fresh tap once the one before it is closed.
using Add = int32_t (*)(void*, void*, const void*, const void*, const void*);

class TapTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Set("DIOPI_TAP_CONFIG", "");
    ASSERT_STREQ(diopiGetVersion(), "1.0.0");  // this program is a host: it needs libdiopirt.so
  }
  void TearDown() override {
    for (const std::string& name : set_) unsetenv(name.c_str());
  }
  void Set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    set_.insert(name);
  }
  // What the first call of a fresh tap returns and prints.
  int32_t Call(const char* function, std::string* printed) {
    absl::StatusOr<Library> tap = Library::Open(kTap);
    EXPECT_TRUE(tap.ok()) << tap.status();
    ::testing::internal::CaptureStderr();
    const int32_t code =
        reinterpret_cast<Add>(tap->Symbol(function))(nullptr, nullptr, nullptr, nullptr, nullptr);
    *printed = ::testing::internal::GetCapturedStderr();
    return code;
  }
  std::set<std::string> set_;
};

TEST_F(TapTest, ExportsTheFunctionsOfTheAbiAndNothingElse) {
  const auto symbols = loader::ReadElfSymbols(kTap);
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  std::vector<std::string> expected;
  for (const abi::Function* function : abi::Functions()) expected.push_back(function->name());
  for (const abi::Function* function : abi::MetaFunctions()) expected.push_back(function->name());
  EXPECT_THAT(symbols->exported, UnorderedElementsAreArray(expected));
  EXPECT_EQ(abi::Functions().size(), 538U);
  const std::vector<std::string> allowed = {
      "libstdc++.so.6",       "libm.so.6",    "libgcc_s.so.1", "libc.so.6",
      "ld-linux-x86-64.so.2", "libasan.so.8", "libubsan.so.1", "libtsan.so.2"};
  EXPECT_THAT(allowed, IsSupersetOf(symbols->needed)) << "the tap needs a library that a host may not have";
}

TEST_F(TapTest, WithoutALibraryNothingIsImplemented) {
  std::string printed;
  EXPECT_EQ(Call("diopiAdd", &printed), 13);
  EXPECT_THAT(printed, HasSubstr("DIOPI_TAP_IMPL is not set; expected the path of the vendor's library"));
}

TEST_F(TapTest, SaysWhyTheLibraryCannotBeLoaded) {
  std::string printed;
  Set("DIOPI_TAP_IMPL", "/no/such/library.so");
  EXPECT_EQ(Call("diopiAdd", &printed), 13);
  EXPECT_THAT(printed, HasSubstr("DIOPI_TAP_IMPL cannot be loaded: /no/such/library.so"));
}

TEST_F(TapTest, RefusesItself) {
  std::string printed;
  Set("DIOPI_TAP_IMPL", kTap);
  EXPECT_EQ(Call("diopiAdd", &printed), 13);
  EXPECT_THAT(printed, HasSubstr("DIOPI_TAP_IMPL names libdiopi_tap.so itself"));
}

TEST_F(TapTest, AFunctionThatTheLibraryLacksIsNotImplemented) {
  std::string printed;
  Set("DIOPI_TAP_IMPL", std::string(kVendors) + "vendor_good.so");
  EXPECT_EQ(Call("diopiBmm", &printed), 13);
  EXPECT_EQ(printed, "");
}

TEST_F(TapTest, TakesTheLibraryFromAFile) {
  const std::string config = ::testing::TempDir() + "/tap_test.config";
  std::ofstream(config) << "DIOPI_TAP_IMPL=" << kVendors << "vendor_good.so\n";
  Set("DIOPI_TAP_CONFIG", config);
  absl::StatusOr<Library> tap = Library::Open(kTap);
  ASSERT_TRUE(tap.ok()) << tap.status();
  EXPECT_STREQ(reinterpret_cast<const char* (*)()>(tap->Symbol("diopiGetVendorName"))(), "good");
}

}  // namespace
}  // namespace diopi::tap
