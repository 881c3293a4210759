#include "impl_loader/caller/in_process.h"

#include <gtest/gtest.h>

#include "impl_loader/caller/test_cases.h"

namespace diopi::loader {
namespace {

TEST(InProcessLibrary, CallsAndTellsErrorsApart) {
  auto good = InProcessLibrary::Open(VendorPath("good"));
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ((*good)->vendor_name(), "good");
  EXPECT_EQ((*good)->impl_version(), "1.2.3");
  const auto result = (*good)->Call(AddCase({2, 3}), AddInputs({2, 3}), v1::Dtype::unsupported);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(Floats(result->at("out")), AddResult({2, 3}));
  // This library refuses anything but float32, which proves that the output was widened.
  EXPECT_EQ((*good)->Call(AddCase({2}), AddInputs({2}), v1::Dtype::noise64).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ((*good)->Call(NewCase("diopiSub"), {}, v1::Dtype::unsupported).status().code(),
            absl::StatusCode::kUnimplemented);

  const std::pair<std::string, absl::StatusCode> bad[] = {{"noimplement", absl::StatusCode::kUnimplemented},
                                                          {"dtype", absl::StatusCode::kInvalidArgument},
                                                          {"error", absl::StatusCode::kInternal},
                                                          {"throws", absl::StatusCode::kInternal},
                                                          {"past_end", absl::StatusCode::kInternal}};
  for (const auto& [vendor, code] : bad) {
    auto library = InProcessLibrary::Open(VendorPath(vendor));
    ASSERT_TRUE(library.ok()) << library.status();
    EXPECT_EQ((*library)->Call(AddCase({2}), AddInputs({2}), v1::Dtype::unsupported).status().code(), code)
        << vendor;
  }
}

TEST(InProcessLibrary, MissingFile) {
  EXPECT_EQ(InProcessLibrary::Open("/does/not/exist.so").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace diopi::loader
