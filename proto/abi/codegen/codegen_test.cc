// Runs the real abi_codegen on good and bad files, and the real compilers on what it writes.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <type_traits>

#include "build_paths.h"
#include "diopi/diopi_device.h"
#include "diopi/diopirt.h"
#include "diopi/functions.h"
#include "proto/abi/kernels.h"

namespace {

struct Ran {
  int status = -1;
  std::string output;
};

Ran Shell(const std::string& command) {
  Ran ran;
  // NOLINTNEXTLINE(bugprone-command-processor): the test writes the command itself
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> buffer;
  size_t n = 0;
  while ((n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) ran.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

class CodegenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = ::testing::TempDir() + "/codegen_XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override { Shell("rm -rf '" + folder_ + "'"); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }

  static Ran Compile(const std::string& compiler, const std::string& standard, const std::string& file) {
    return Shell(compiler + " -std=" + standard +
                 " -Wall -Wextra -pedantic -Werror -fsyntax-only -I " DIOPI_BINARY_DIR "/include " + file);
  }

  std::string folder_;
};

constexpr char kAll[] =
    "#include <diopi/diopi_device.h>\n#include <diopi/functions.h>\n#include <diopi/functions_ext.h>\n"
    "#include <diopi/functions_lmdeploy.h>\n#include <diopi/functions_mmcv.h>\n"
    "#include <diopi/functions_sparse.h>\n#include <diopi/functions.h>\n";

TEST_F(CodegenTest, HeadersCompileCleanly) {
  const std::string c = Write("all.c", std::string(kAll) +
                                           "diopiError_t f(void); diopiError_t f(void) { "
                                           "return diopiAdd ? diopiSuccess : diopiNoImplement; }\n");
  const std::string cc = Write("all.cc", std::string(kAll) +
                                             "diopiError_t f() { diopiScalar_t s; s.stype = "
                                             "diopi_dtype_bool; s.ival = 1; (void)s; return "
                                             "diopiAdd != nullptr ? diopiSuccess : diopiNoImplement; }\n");
  for (const char* standard : {"c11", "c17"}) {
    const Ran ran = Compile(C_COMPILER, standard, c);
    EXPECT_EQ(ran.status, 0) << standard << "\n" << ran.output;
  }
  for (const char* standard : {"c++11", "c++14", "c++17", "c++20"}) {
    const Ran ran = Compile(CXX_COMPILER, standard, cc);
    EXPECT_EQ(ran.status, 0) << standard << "\n" << ran.output;
  }
}

TEST_F(CodegenTest, OperatorsAreWeakUnlessAskedOtherwise) {
  const std::string body =
      "\nextern \"C\" diopiError_t diopiReluInp(diopiContextHandle_t, diopiTensorHandle_t) { "
      "return diopiSuccess; }\n";
  const std::string library = folder_ + "/lib.so";
  const std::string build = std::string(CXX_COMPILER) +
                            " -fvisibility=hidden -fPIC -shared -I " DIOPI_BINARY_DIR "/include -o " +
                            library + " " + folder_ + "/lib.cc && nm -D " + library;
  struct Row {
    const char* prefix;
    const char* symbol;
  };
  for (const Row& row : {Row{"", " W diopiReluInp"}, Row{"#define DIOPI_STRONG\n", " T diopiReluInp"}}) {
    Write("lib.cc", row.prefix + std::string(kAll) + body);
    const Ran ran = Shell(build);
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_NE(ran.output.find(row.symbol), std::string::npos) << ran.output;
    EXPECT_EQ(ran.output.find("_Z"), std::string::npos) << "a mangled name: " << ran.output;
  }
}

// Values of the ABI, against the numbers the vendors were built with.
TEST(HeaderTest, ValuesAreTheAbis) {
  EXPECT_EQ(sizeof(diopiSize_t), 16u);
  EXPECT_EQ(offsetof(diopiSize_t, len), 8u);
  EXPECT_EQ(sizeof(diopiScalar_t), 16u);
  EXPECT_EQ(offsetof(diopiScalar_t, fval), 8u);
  EXPECT_EQ(offsetof(diopiScalar_t, ival), 8u);
  EXPECT_EQ(sizeof(diopiError_t), 4u);
  EXPECT_EQ(sizeof(diopiDtype_t), 4u);
  EXPECT_EQ(sizeof(diopiDeviceIndex_t), 1u);
  EXPECT_EQ(diopiNoImplement, 13);
  EXPECT_EQ(diopi5DNotSupported, 12);
  EXPECT_EQ(diopiNoRegisteredGetLastErrorFunction, 11);
  EXPECT_EQ(diopiForceFallbackToCPU, 14);
  EXPECT_EQ(diopiDtypeNotSupported, 1000);
  EXPECT_EQ(diopi_dtype_float16, 8);
  EXPECT_EQ(diopi_dtype_bool, 11);
  EXPECT_EQ(diopi_dtype_bfloat16, 12);
  EXPECT_EQ(diopi_dtype_complex128, 16);
  EXPECT_EQ(diopi_dtype_unsupported, 255);
  EXPECT_EQ(diopi_device, 1);
  EXPECT_EQ(ReductionSum, 2);
  EXPECT_EQ(RoundModeFloor, 2);
  EXPECT_EQ(ChannelsLast1d, 4);
}

// The lists that entry points are made of give the ABI's own types, in its order.
extern "C" diopiError_t codegen_linear(DIOPI_PARAMETERS_diopiLinear);
static_assert(std::is_same_v<decltype(codegen_linear), decltype(diopiLinear)>);

TEST(KernelHeaderTest, MissingNamesTheFirstThatMayNotBeNull) {
  int memory = 0;
  auto* tensor = reinterpret_cast<diopiTensorHandle_t>(&memory);
  diopiLinearArgs linear{nullptr, tensor, tensor, nullptr, nullptr};
  EXPECT_STREQ(linear.Missing(), "weight");
  linear.weight = tensor;
  EXPECT_EQ(linear.Missing(), nullptr) << "bias may be null";
  linear.out = nullptr;
  EXPECT_STREQ(linear.Missing(), "out");
  diopiScalar_t alpha{};
  const diopiAddInpScalarArgs add{nullptr, tensor, nullptr, &alpha};
  EXPECT_STREQ(add.Missing(), "other") << "a scalar";
}

constexpr char kOther[] = "file: \"x.h\"\n";

TEST_F(CodegenTest, BadDataIsToldWithItsLine) {
  const std::string fn = "file: \"functions.h\"\nfunction {\n  name: \"diopiX\"\n";
  const std::string ctx = "  param { name: \"ctx\" kind: CONTEXT c_type: \"diopiContextHandle_t\" }\n";
  const auto with = [&](const std::string& param) { return fn + ctx + "  param { " + param + " }\n}\n"; };
  struct Row {
    std::string text;
    std::string message;
  };
  const Row rows[] = {
      {"file: \"functions.h\"\nfunction {\n  nam: 1\n}\n",
       ":3: Message type \"diopi.abi.Function\" has no field"},
      {"function {", ":1: "},
      {fn + "}\n", ":2: diopiX: the first parameter must be the context"},
      {with("name: \"n\" kind: INT64 c_type: \"int64_t\" }\n  param { name: \"ctx\" kind: CONTEXT c_type: "
            "\"diopiContextHandle_t\""),
       ":6: diopiX.ctx: the name is used twice"},
      {with("name: \"n\" kind: INT64 c_type: \"int\""),
       ":5: diopiX.n: kind INT64 does not match c_type 'int'"},
      {with("name: \"n\" c_type: \"int\""), ":5: diopiX.n: `kind` is missing"},
      {with("name: \"n\" kind: INT"), ":5: diopiX.n: `c_type` is missing"},
      {with("name: \"1n\" kind: INT c_type: \"int\""), ":5: diopiX.1n: '1n' is not a C identifier"},
      {with("name: \"a\" kind: CONST_TENSOR_ARRAY c_type: \"diopiConstTensorHandle_t*\""),
       ":5: diopiX.a: an array needs `count`"},
      {with("name: \"a\" kind: TENSOR_ARRAY count: \"n\" c_type: \"diopiTensorHandle_t*\""),
       ":5: diopiX.a: count 'n' is not a parameter"},
      {with("name: \"a\" kind: TENSOR_ARRAY count: \"ctx\" c_type: \"diopiTensorHandle_t*\""),
       ":5: diopiX.a: count 'ctx' is not an integer"},
      {with("name: \"t\" kind: TENSOR count: \"ctx\" c_type: \"diopiTensorHandle_t\""),
       ":5: diopiX.t: `count` is for arrays only"},
      {with("name: \"t\" kind: TENSOR direction: INOUT scratch_size: \"n\" c_type: \"diopiTensorHandle_t\""),
       ":5: diopiX.t: `scratch_size` is for a TENSOR and names an INT64_POINTER"},
      {with("name: \"b\" kind: BOOL prepares: \"ctx\" c_type: \"bool\""),
       ":5: diopiX.b: `prepares` is for a BOOL and names scratch memory"},
      {with("name: \"t\" kind: CONST_TENSOR direction: OUT c_type: \"diopiConstTensorHandle_t\""),
       ":5: diopiX.t: a const tensor cannot be written"},
      {with("name: \"t\" kind: TENSOR_POINTER c_type: \"diopiTensorHandle_t*\""),
       ":5: diopiX.t: TENSOR_POINTER is one handle"},
      {with("name: \"t\" kind: TENSOR fills: 2 c_type: \"diopiTensorHandle_t\""),
       ":5: diopiX.t: `fills` is for"},
      {with("name: \"n\" kind: INT on_host: true c_type: \"int\""), ":5: diopiX.n: `on_host` is for"},
      {with("name: \"n\" kind: INT nullable: true c_type: \"int\""), ":5: diopiX.n: a value cannot be null"},
      {with("name: \"n\" kind: INT direction: OUT c_type: \"int\""),
       ":5: diopiX.n: a value cannot be written"},
      {with("name: \"n\" kind: OTHER c_type: \"long\""), ":5: diopiX.n: OTHER is for runtime"},
      {with("name: \"t\" kind: TENSOR c_type: \"diopiTensorHandle_t\" dtypes: \"half\""),
       ":5: diopiX.t: unknown dtype 'half'"},
      {with("name: \"n\" kind: INT c_type: \"int\"") + "function {\n  name: \"diopiX\"\n" + ctx + "}\n",
       ":7: function 'diopiX' is declared twice"},
  };
  const std::string other = Write("other.textproto", kOther);
  const std::string check =
      ABI_CODEGEN " --runtime " + other + " --device " + other + " --meta " + other + " ";
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const std::string path = Write("bad.textproto", row.text);
    const Ran ran = Shell(check + path);
    EXPECT_EQ(ran.status, 1);
    EXPECT_NE(ran.output.find(path + row.message), std::string::npos) << ran.output;
  }
  const Ran missing = Shell(check + folder_ + "/absent.textproto");
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.output.find("absent.textproto:0: cannot be read"), std::string::npos) << missing.output;
  EXPECT_EQ(Shell(std::string(ABI_CODEGEN) + std::string(" --what")).status, 2);
  EXPECT_EQ(Shell(std::string(ABI_CODEGEN) + std::string(" --meta x")).status, 2);
}

}  // namespace
