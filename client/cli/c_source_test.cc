// The C file must compile against the public headers as a vendor would compile it, and make the same call.
#include "client/cli/c_source.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace diopi::cli {
namespace {

v1::Argument* AddTensor(v1::Case* c, const std::string& name, v1::Role role,
                        const std::vector<int64_t>& shape) {
  v1::Argument* arg = c->add_args();
  arg->set_name(name);
  arg->set_role(role);
  arg->mutable_tensor()->set_dtype(v1::Dtype::float32);
  for (const int64_t size : shape) arg->mutable_tensor()->add_shape(size);
  return arg;
}

HostTensor Floats(std::vector<int64_t> shape, const std::vector<float>& values) {
  HostTensor tensor;
  tensor.shape = std::move(shape);
  tensor.data.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return tensor;
}

// diopiAdd(ctx, out, input, other, alpha) with a transposed input.
v1::Case AddCase() {
  v1::Case c;
  c.set_id("add.float32.repro_test");
  c.set_function("diopiAdd");
  c.set_reveals("whether */ ends the comment");
  AddTensor(&c, "out", v1::ROLE_OUTPUT, {2, 2});
  v1::TensorSpec* input = AddTensor(&c, "input", v1::ROLE_INPUT, {2, 2})->mutable_tensor();
  input->add_strides(1);
  input->add_strides(2);
  input->set_storage_elements(5);
  input->set_storage_offset(1);
  AddTensor(&c, "other", v1::ROLE_INPUT, {2, 2});
  v1::Argument* alpha = c.add_args();
  alpha->set_name("alpha");
  alpha->mutable_scalar()->set_dtype(v1::Dtype::float64);
  alpha->mutable_scalar()->set_f(0.5);
  return c;
}

// What a command prints, standard error included; "!" and its status in front when it fails.
std::string Output(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  for (size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), got);
  const int status = pclose(pipe);
  return status == 0 ? text : absl::StrCat("!", status, " ", text);
}

// A library of its own, so that the test knows every number: out = input + alpha * other over strided input.
constexpr char kLibrary[] = R"(
#define DIOPI_STRONG
#include <diopi/functions.h>
diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  void* o;
  const void *a, *b;
  diopiSize_t stride;
  (void)ctx;
  diopiGetTensorData(out, &o);
  diopiGetTensorDataConst(input, &a);
  diopiGetTensorDataConst(other, &b);
  diopiGetTensorStride(input, &stride);
  for (int i = 0; i < 4; ++i) {
    ((float*)o)[i] = ((const float*)a)[i / 2 * stride.data[0] + i % 2 * stride.data[1]] +
                     (float)alpha->fval * ((const float*)b)[i];
  }
  return diopiSuccess;
}
)";

TEST(CSource, CompilesAndMakesTheCall) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "c_source_test";
  std::filesystem::create_directories(folder);
  CSourceOptions options;
  options.library = (folder / "lib.so").string();
  options.file_name = "repro.c";
  const auto source =
      CSource(AddCase(), {{"input", Floats({2, 2}, {1, 2, 3, 4})}, {"other", Floats({2, 2}, {2, 4, 6, 8})}},
              {{"out", Floats({2, 2}, {2, 4, 6, 9})}}, options);
  ASSERT_TRUE(source.ok()) << source.status();
  std::ofstream(folder / "repro.c") << *source;
  std::ofstream(folder / "lib.c") << kLibrary;
  const std::string cc =
      std::string("cd ") + folder.string() + " && cc -std=gnu11 -I " DIOPI_BINARY_DIR "/include ";
  ASSERT_EQ(Output(cc + "-shared -fPIC lib.c -o lib.so"), "");
  ASSERT_EQ(Output(cc + "-Wall -Wextra -Werror -Wno-unused-function repro.c -rdynamic -ldl -lm -o repro"),
            "");
  EXPECT_EQ(Output((folder / "repro").string()),
            "returned 0\n"
            "out: dtype 9, shape (2, 2)\n"
            "  [0] 2   expected 2\n"
            "  [1] 4   expected 4\n"
            "  [2] 6   expected 6\n"
            "  [3] 8   expected 9\n");
}

TEST(CSource, RefusesWhatDoesNotFit) {
  v1::Case c = AddCase();
  EXPECT_EQ(CSource(c, {}, {}, {}).status().code(), absl::StatusCode::kInvalidArgument);
  c.mutable_args(0)->set_name("no_such_argument");
  EXPECT_EQ(CSource(c, {}, {}, {}).status().code(), absl::StatusCode::kInvalidArgument);
  c.set_function("diopiNoSuchFunction");
  EXPECT_EQ(CSource(c, {}, {}, {}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace diopi::cli
