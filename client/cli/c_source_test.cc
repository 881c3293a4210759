// The C file must compile against the public headers as a vendor would compile it, and make the same call.
#include "client/cli/c_source.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "build_paths.h"
#include "client/cli/output_bounds.h"

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
  c.set_reveals("whether */ or *\\\n/ ends the comment \x1b[2J");
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

// A command's output, including standard error; begins with "!" and its status when it fails.
std::string Output(const std::string& command) {
  // NOLINTNEXTLINE(bugprone-command-processor): the test writes the command itself
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  for (size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), got);
  const int status = pclose(pipe);
  return status == 0 ? text : absl::StrCat("!", status, " ", text);
}

// The test's own library, so that it knows every number: out = input + alpha * other over strided input.
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
  options.include_folder = DIOPI_BINARY_DIR "/include";
  options.calls = 3;
  std::ofstream(folder / "lib.c") << kLibrary;
  const std::string in_folder = "cd " + folder.string() + " && ";
  ASSERT_EQ(Output(in_folder + "cc -std=gnu11 -I " DIOPI_BINARY_DIR "/include -shared -fPIC lib.c -o lib.so"),
            "");
  const auto write = [&](const v1::Case& c, const std::vector<float>& expected) {
    const auto source =
        CSource(c, {{"input", Floats({2, 2}, {1, 2, 3, 4})}, {"other", Floats({2, 2}, {2, 4, 6, 8})}},
                {{"out", Floats({2, 2}, expected)}}, options);
    EXPECT_TRUE(source.ok()) << source.status();
    std::ofstream(folder / "repro.c") << *source;
    const std::string cc = CompileCommand(options);
    EXPECT_EQ(Output(in_folder + cc + " -Wall -Wextra -Werror -Wno-unused-function"), "");
    return Output(in_folder + RunCommand(options));
  };
  v1::Case c = AddCase();
  c.set_dtype(v1::Dtype::float32);
  c.add_judges()->set_kind(v1::Judge::EXACT);
  const std::string right = "  [0] 2   expected 2\n  [1] 4   expected 4\n  [2] 6   expected 6\n";
  EXPECT_EQ(write(c, {2, 4, 6, 8}),
            "returned 0\nout: dtype 9, shape (2, 2)\n" + right +
                "  [3] 8   expected 8\n"
                "PASSED after 3 calls: 0 elements do not match, 0 differ between calls\n");
  EXPECT_EQ(write(c, {2, 4, 6, 9}),
            "!256 returned 0\nout: dtype 9, shape (2, 2)\n" + right +
                "  [3] 8   expected 9   MISMATCH\n  MISMATCH: 1 of 4 elements\n"
                "FAILED after 3 calls: 1 elements do not match, 0 differ between calls\n");
  *c.mutable_args(0)->mutable_tensor() = c.args(2).tensor();
  c.mutable_args(0)->mutable_tensor()->set_same_as("other");
  EXPECT_NE(write(c, {2, 4, 6, 8}).find("PASSED"), std::string::npos);  // read before it is written
  c.clear_judges();                                                     // shown, not compared
  EXPECT_EQ(write(c, {2, 4, 6, 9}).substr(0, 10), "returned 0");
}

// Equal calls with different results are a failure, too, whatever the results are.
TEST(CSource, ShowsThatCallsDiffer) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "c_source_repeat_test";
  std::filesystem::create_directories(folder);
  std::string library = kLibrary;
  library.replace(library.find("return diopiSuccess"), 0, "static int n;\n  ((float*)o)[1] += n++ / 20;\n  ");
  std::ofstream(folder / "lib.c") << library;
  ASSERT_EQ(Output("cd " + folder.string() +
                   " && cc -I " DIOPI_BINARY_DIR "/include -shared -fPIC lib.c -o lib.so"),
            "");
  CSourceOptions options;
  options.library = (folder / "lib.so").string();
  options.file_name = (folder / "repro.c").string();
  options.include_folder = DIOPI_BINARY_DIR "/include";
  options.calls = 100;
  v1::Case c = AddCase();
  c.set_dtype(v1::Dtype::float32);
  c.add_judges()->set_kind(v1::Judge::EXACT);
  const auto source =
      CSource(c, {{"input", Floats({2, 2}, {1, 2, 3, 4})}, {"other", Floats({2, 2}, {2, 4, 6, 8})}},
              {{"out", Floats({2, 2}, {2, 4, 6, 8})}}, options);
  ASSERT_TRUE(source.ok()) << source.status();
  std::ofstream(folder / "repro.c") << *source;
  ASSERT_EQ(Output(CompileCommand(options)), "");
  const std::string often = Output(RunCommand(options));
  EXPECT_EQ(often.substr(0, 5), "!256 ") << often;
  EXPECT_NE(often.find("out: 1 elements DIFFER from those of the first call\n"), std::string::npos) << often;
  const std::string seldom = Output(RunCommand(options) + " 2");
  EXPECT_EQ(seldom.substr(0, 10), "returned 0") << seldom;
}

// The pointwise rule's own tolerances: an element inside passes, one outside does not.
TEST(OutputBounds, AreTheRulesOfTheCase) {
  v1::Case c = AddCase();
  c.set_dtype(v1::Dtype::float32);
  c.add_judges()->set_kind(v1::Judge::MATH);
  HostTensor r{v1::Dtype::float64, {2, 2}, {}}, sigma{v1::Dtype::float32, {2, 2}, {}};
  r.data.resize(4 * sizeof(double));
  sigma.data.resize(4 * sizeof(float));
  for (int i = 0; i < 4; ++i) StoreDouble(v1::Dtype::float64, r.data.data(), i, 1);
  const OutputBounds bounds = BoundsOf(c, {}, {{"out", r}, {"out.sigma", sigma}}, "out", {});
  EXPECT_TRUE(bounds.judged);
  EXPECT_TRUE(bounds.repeats);
  ASSERT_EQ(bounds.tolerances.size(), 4u);
  // Three quarters of a unit in the last place of 1.
  EXPECT_GT(bounds.tolerances[0], 0.75 * 0x1p-23);
  EXPECT_LT(bounds.tolerances[0], 0.76 * 0x1p-23);
  EXPECT_FALSE(BoundsOf(c, {}, {}, "out", {}).judged);
  c.mutable_judges(0)->set_kind(v1::Judge::RANDOM);
  EXPECT_FALSE(BoundsOf(c, {}, {{"out", r}}, "out", {}).judged);
  // Only diopi-cli judges the parts of complex numbers: the program compares none.
  c.mutable_judges(0)->set_kind(v1::Judge::COMPOSITION);
  for (v1::Argument& arg : *c.mutable_args()) {
    if (arg.name() == "out") arg.mutable_tensor()->set_dtype(v1::Dtype::complex64);
  }
  const OutputBounds parts = BoundsOf(c, {}, {{"out", r}, {"out.sigma", sigma}}, "out", {});
  EXPECT_FALSE(parts.judged);
  EXPECT_TRUE(parts.expected.data.empty());
}

// The C program's call also puts values into an output that callers fill before the call.
TEST(CSource, FillsAnOutputThatHoldsAnInput) {
  v1::Case c = AddCase();
  const TensorMap inputs = {{"input", Floats({2, 2}, {1, 2, 3, 4})}, {"other", Floats({2, 2}, {2, 4, 6, 8})}};
  const auto poisoned = CSource(c, inputs, {}, {});
  c.mutable_args(0)->set_holds("other");
  const auto filled = CSource(c, inputs, {}, {});
  ASSERT_TRUE(poisoned.ok() && filled.ok()) << filled.status();
  EXPECT_NE(poisoned->find("upload(a_out, NULL);"), std::string::npos);
  EXPECT_EQ(filled->find("upload(a_out, NULL);"), std::string::npos);
  EXPECT_NE(filled->find("upload(a_out, a_out_bytes);"), std::string::npos);
}

TEST(CSource, MakesSparseMatricesAndArraysOfGenerators) {
  v1::Case c;
  c.set_id("spmm.float32.repro_test");
  c.set_function("diopiSpMM");
  AddTensor(&c, "out", v1::ROLE_OUTPUT, {1, 2});
  v1::TensorList* parts = AddTensor(&c, "input", v1::ROLE_INPUT, {})->mutable_tensors();
  for (const int64_t size : {2, 1, 1}) {
    v1::TensorSpec* part = parts->add_tensors();
    part->set_dtype(v1::Dtype::float32);
    part->add_shape(size);
  }
  parts->add_sparse_shape(1);
  parts->add_sparse_shape(3);
  AddTensor(&c, "mat2", v1::ROLE_INPUT, {3, 2});
  const auto sparse = CSource(c,
                              {{"input.0", Floats({2}, {0, 1})},
                               {"input.1", Floats({1}, {2})},
                               {"input.2", Floats({1}, {5})},
                               {"mat2", Floats({3, 2}, {1, 2, 3, 4, 5, 6})}},
                              {}, {});
  ASSERT_TRUE(sparse.ok()) << sparse.status();
  EXPECT_NE(sparse->find("a_input = make_sparse(1, 3, a_input_0, a_input_1, a_input_2);"), std::string::npos)
      << *sparse;
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
