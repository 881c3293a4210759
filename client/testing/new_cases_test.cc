// Files that `diopi-cli new-operator` and `import-cases` write, used with the other commands.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "build_paths.h"
#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

namespace fs = std::filesystem;

class NewCasesTest : public ::testing::Test {
 protected:
  static Finished Cli(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), BinPath("diopi-cli"));
    return RunProgram(arguments);
  }
  Finished Agent(const std::string& cases, const std::string& pattern) {
    return RunProgram({BinPath("diopi-agent"), "--impl", LibPath("libdiopi_cpu.so"), "--data",
                       folder_ / "data", "--cases", cases, "--case", pattern, "--error-report",
                       folder_ / "errors.csv", "--quiet"});
  }

  // Runs every imported case with the reference as the library.
  void ExpectPasses(const std::string& cases) {
    const Finished tested = Agent(cases, "*.public_*");
    EXPECT_EQ(tested.code, 0) << tested.out << tested.err;
    for (const auto& row : ReportRows(folder_ / "data", "latest")) {
      EXPECT_EQ(row.at("outcome"), "pass") << row.at("case") << row.at("reason");
    }
  }

  TestFolder folder_;
};

TEST_F(NewCasesTest, NewOperatorIsTakenAsItIsAndNeverOverwritten) {
  const std::vector<std::string> command = {"new-operator",        "my_not",   "--function",
                                            "diopiSyncBnMeanMmcv", "--output", folder_ / "my_not"};
  const Finished made = Cli(command);
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  EXPECT_TRUE(absl::StrContains(made.out, "my_not/my_not.textproto\n")) << made.out;
  EXPECT_TRUE(absl::StrContains(made.out, "my_not/my_not.cc\n")) << made.out;
  EXPECT_TRUE(absl::StrContains(ReadFile(folder_ / "my_not/README.md"), "cases/ops/GUIDE.md"));
  const Finished list = Cli({"list", "cases", "--cases", folder_ / "my_not", "--fname", "my_not"});
  EXPECT_EQ(list.out, "my_not.float32.first\n") << list.err;
  const Finished gen = Cli({"gen", "--cases", folder_ / "my_not", "--fname", "my_not", "--data",
                            folder_ / "data", "--library", VendorPath("vendor_segfault")});
  EXPECT_EQ(gen.code, 1);
  EXPECT_TRUE(absl::StrContains(gen.err, "diopiSyncBnMeanMmcv has no reference")) << gen.err;

  const std::string before = ReadFile(folder_ / "my_not/my_not.textproto");
  fs::remove(folder_ / "my_not/README.md");
  const Finished again = Cli(command);
  EXPECT_EQ(again.code, 2);
  EXPECT_TRUE(absl::StrContains(again.err, "already exists")) << again.err;
  EXPECT_FALSE(fs::exists(folder_ / "my_not/README.md")) << "all or nothing";
  EXPECT_EQ(ReadFile(folder_ / "my_not/my_not.textproto"), before);
  if (access("/usr/bin/c++", X_OK) == 0) {
    const Finished compiled = RunProgram({"/usr/bin/c++", "-std=c++20", "-Wall", "-Wextra", "-Werror",
                                          "-fsyntax-only", "-I", DIOPI_SOURCE_DIR, "-I", BuildPath("include"),
                                          "-I", BuildPath("generated"), folder_ / "my_not/my_not.cc"});
    EXPECT_EQ(compiled.code, 0) << compiled.err;
  }
}

TEST_F(NewCasesTest, NewOperatorRefusesWhatIsNoName) {
  const Finished function = Cli({"new-operator", "x", "--function", "diopiAdds", "--output", folder_ / "x"});
  EXPECT_EQ(function.code, 2);
  EXPECT_TRUE(absl::StrContains(function.err, "the ABI has no function 'diopiAdds'; nearest: diopiAdd"))
      << function.err;
  const Finished name = Cli({"new-operator", "../x", "--function", "diopiAdd"});
  EXPECT_EQ(name.code, 2);
  EXPECT_TRUE(absl::StrContains(name.err, "'../x' is not a valid name")) << name.err;
}

constexpr char kConfigs[] = R"(import numpy as np
from nowhere import run_me
run_me.now()

diopi_configs = {
    'relu': dict(
        name=["relu"],
        dtype=[np.float32, np.float16],
        tensor_para=dict(
            gen_fn='Genfunc.randn',
            args=[{"ins": ["input"], "shape": ((2, 3), (), (5,))}]),
    ),
    'add_case': dict(
        name=['add'], interface=['torch'], dtype=[np.float32], atol=1e-4,
        para=dict(alpha=[2, 0.5]),
        tensor_para=dict(args=[
            {"ins": ['input'], "shape": ((4, 7),
                                         (4, 6)), "gen_fn": dict(fn='Genfunc.randint', low=-3, high=4)},
            {"ins": ['other'], "shape": ((4, 7), (4, 5)), "gen_fn": 'Genfunc.randn'}]),
    ),
    'computed': dict(name=['add'], dtype=[np.float32],
        para=dict(alpha=[n for n in (1, 2)]), tensor_para=dict(args=[])),
    'stranger': dict(name=['no_such_operator'], dtype=[np.float32],
        tensor_para=dict(args=[{"ins": ["input"], "shape": ((2,),)}])),
}
)";

TEST_F(NewCasesTest, ThePublicConfigurationIsCarriedOverAndTheRestIsATable) {
  const std::string file = folder_ / "diopi_configs.py";
  WriteFile(file, kConfigs);
  const Finished run = Cli({"import-cases", file, "--output", folder_ / "mine"});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  const std::string at = file + ":";
  EXPECT_EQ(run.out,
            absl::StrCat("entries   cases\n"
                         "      2       7  imported\n"
                         "      1       1  left out: the operator's rules do not take these arguments\n"
                         "                  e.g. ",
                         at,
                         "18: add_case (add): case 1, float32: add: point 'public', diopiAdd, float32: "
                         "argument 'out': shapes (4, 6) and (4, 5) do not broadcast\n"
                         "      1       1  left out: the suite has no such operator\n"
                         "                  e.g. ",
                         at,
                         "24: stranger (no_such_operator): start one with diopi-cli new-operator "
                         "no_such_operator\n"
                         "      2       ?  left out: it cannot be read without running the file\n"
                         "                  e.g. ",
                         at,
                         "3: run_me.now(): code that would have to be run\n"
                         "Ignored, because our operator files say how to call and judge: atol (1), "
                         "interface (1)\n"
                         "7 of 9 cases imported: 4 points in 2 files in ",
                         folder_ / "mine", "\n"));

  const Finished list = Cli({"list", "cases", "--cases", folder_ / "mine", "--case", "*.public_*"});
  EXPECT_TRUE(absl::StrContains(list.out, "add.float32.public_add_case_0\n")) << list.out << list.err;
  EXPECT_TRUE(absl::StrContains(list.out, "relu.float16.public_relu_2\n")) << list.out;
  ExpectPasses(folder_ / "mine");
  EXPECT_EQ(Cli({"import-cases", file, "--output", folder_ / "mine"}).code, 2) << "nothing is overwritten";
}

// Arguments that the harness fills in, computes or renames before it calls the ABI.
constexpr char kAsTheHarness[] = R"(import numpy as np
diopi_configs = {
    # dtypes in the tensors' entries, zipped; alpha 1.
    'binary': dict(name=['add', 'mul'], is_inplace=True, tensor_para=dict(gen_fn='Genfunc.randn', args=[
        {"ins": ['input'], "shape": ((3, 4), ()), "dtype": [np.float32, np.int32, np.float32, np.bool_]},
        {"ins": ['other'], "shape": ((1, 4), (2,)), "dtype": [np.float32, np.int32, np.int8, np.bool_]}])),
    # Five dtypes and the name `input` by default.
    'plain': dict(name=['relu'], tensor_para=dict(args=[dict(shape=((2, 3),))])),
    'conv': dict(name=['conv2d'], dtype=[np.float32], atol=1e-3,
        para=dict(stride=[2, (1, 2)], padding=[0, (2, 1)], dilation=[1, 1], groups=[1, 2]),
        tensor_para=dict(args=[
            {"ins": ['input'], "shape": ((1, 2, 6, 7), (2, 4, 5, 5)), "requires_grad": [True]},
            {"ins": ['weight'], "shape": ((3, 2, 3, 3), (4, 2, 3, 2)), "requires_grad": [True]},
            {"ins": ['bias'], "shape": ((3,), None), "requires_grad": [True]}])),
    'lookup': dict(name=['embedding'], para=dict(padding_idx=[None, -2], max_norm=[None, 1.5], norm_type=[0, 2.0],
                                                 scale_grad_by_freq=[True, False]),
        tensor_para=dict(args=[
            {"ins": ['input'], "dtype": [np.int64], "shape": ((4,), (2, 3)),
             "gen_fn": dict(fn='Genfunc.randint', high=5)},
            {"ins": ['weight'], "dtype": [np.float32, np.float64], "shape": ((6, 3), (5, 4))}])),
    'gaps': dict(name=['relu'], tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((2, 5), (3, 4)), "stride": ((20, 3), None), "dtype": [np.float32]}])),
    'turned': dict(name=['sub'], para=dict(alpha=[-2]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((5, 2),), "no_contiguous": [True], "dtype": [np.float32]},
        {"ins": ['other'], "shape": ((2, 5),), "dtype": [np.float32]}])),
    'joined': dict(name=['cat', 'stack'], para=dict(dim=[-1, 0]), tensor_para=dict(seq_name='tensors', args=[
        {"ins": ['tensors'], "shape": ((3, 2), (4,)), "gen_num_range": [1, 4], "gen_policy": 'gen_tensor_list',
         "dtype": [np.int16, np.float64]}])),
    'pieces': dict(name=['split'], para=dict(split_size_or_sections=[2, [1, 4]], dim=[0, -1]), tensor_para=dict(
        args=[{"ins": ['tensor'], "shape": ((5, 3), (2, 5)), "dtype": [np.float32]}])),
    'all_of_it': dict(name=['sum', 'std'], para=dict(dim=[None, 1, [0, -1]]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((4, 3), (4, 3), (2, 3, 4)), "dtype": [np.float32]}])),
    'limits': dict(name=['norm'], para=dict(p=[-float('inf'), 2.5], dim=[None, 0], keepdim=[False, True]),
        tensor_para=dict(args=[{"ins": ['input'], "shape": ((4, 3), (4, 3)), "dtype": [np.float32]}])),
    'put': dict(name=['index_put'], is_inplace=True, para=dict(accumulate=[True, False]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((6, 4), (5,)), "dtype": [np.float32, np.int64]},
        {"ins": ['indices1'], "shape": ((3,), (1,)), "gen_fn": dict(fn='Genfunc.randint', low=-4, high=4),
         "dtype": [np.int64]},
        {"ins": ['indices2'], "value": [[0, 3, 1], None], "gen_policy": 'gen_tensor_by_value', "dtype": [np.int64]},
        {"ins": ['values'], "shape": ((3,), (1,)), "dtype": [np.float32, np.int64]}])),
    'losses': dict(name=['cross_entropy'], para=dict(label_smoothing=[False, 0.5], reduction=['sum', 'mean']),
        tensor_para=dict(args=[
            {"ins": ['input'], "shape": ((4, 5), (3, 2, 6)), "dtype": [np.float32], "requires_grad": [True]},
            {"ins": ['target'], "shape": ((4,), (3, 6)), "dtype": [np.int64],
             "gen_fn": dict(fn='Genfunc.randint', low=0, high=2)},
            {"ins": ['weight'], "shape": (None, (2,)), "dtype": [np.float32]}])),
    'zeros_by_name': dict(name=['zeros', 'ones'], para=dict(size=[(2, 0), ()])),
    'steps': dict(name=['arange'], para=dict(end=[7, 2.5], start=[True, 0])),
    'in_place_names': dict(name=['zero_', 'normal_'], para=dict(), no_output_ref=True, tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((2048,),), "dtype": [np.float32]}])),
    'nowhere': dict(name=['scatter'], para=dict(dim=[-1]), tensor_para=dict(args=[
        {"ins": ['input', 'src'], "shape": ((3, 2),), "dtype": [np.float32]},
        {"ins": ['index'], "shape": ((2, 0, 3),), "dtype": [np.int64]}])),
    'no_classes': dict(name=['cross_entropy'], para=dict(reduction=['none']), tensor_para=dict(args=[
        {"ins": ['input', 'target'], "shape": ((4, 0),), "dtype": [np.float32]}])),
    'clipped': dict(name=['clip_grad_norm_'], para=dict(max_norm=[0.1, 0.1], norm_type=[0, float('-inf')],
        error_if_nonfinite=[True, True]), tensor_para=dict(args=[
        {"ins": ['tensors'], "shape": (((), (3,)), ((2, 2), (3,))), "dtype": [np.float64],
         "gen_policy": 'gen_tensor_list_diff_shape'}])),
    'whole': dict(name=['tanh', 'sqrt', 'sum'], para=dict(), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((7,),), "dtype": [np.int16, np.uint8], "gen_fn": 'Genfunc.ones'}])),
    'quotient': dict(name=['div'], para=dict(other=[3]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((7,),), "dtype": [np.int32, np.bool_]}])),
    'sparse': dict(name=['mm'], tensor_para=dict(args=[
        {"ins": ['input', 'mat2'], "shape": ((4, 4),), "dtype": [np.float32], "sparse": [True, False]}])),
}
)";

TEST_F(NewCasesTest, WhatTheHarnessFillsInIsFilledIn) {
  WriteFile(folder_ / "configs.py", kAsTheHarness);
  const Finished run =
      Cli({"import-cases", folder_ / "configs.py", "--output", folder_ / "mine", "--verbose"});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_TRUE(absl::StrContains(run.out, ": sparse (mm): mm\n")) << run.out;
  EXPECT_TRUE(
      absl::StrContains(run.out, "      1       4  left out: the importer makes dense tensors only\n"))
      << run.out;
  // normal_ without its mean and deviation is an error in the file, and not a case of the harness either.
  EXPECT_TRUE(absl::StrContains(run.out, "in_place_names (normal_): case 0, float32: ")) << run.out;
  EXPECT_TRUE(absl::StrContains(run.out, "\n73 of 78 cases imported: ")) << run.out;
  const std::string add = ReadFile(folder_ / "mine/add.textproto");
  EXPECT_TRUE(absl::StrContains(add, "name: \"alpha\"\n      i: 1\n")) << add;
  const Finished list = Cli({"list", "cases", "--cases", folder_ / "mine", "--case", "*.public_*"});
  for (const char* id :
       {"relu.float16.public_plain_0", "relu.int64.public_plain_0", "add.bool.public_binary_0",
        "embedding.renorm.float64.public_lookup_1", "conv2d.backward.float32.public_conv_1", "bmm.mm",
        "fill.zero.float32.public_in_place_names_0", "div.scalar.bool.public_quotient_0"}) {
    EXPECT_EQ(absl::StrContains(list.out, id), std::string(id) != "bmm.mm") << id << "\n"
                                                                            << list.out << list.err;
  }
  ExpectPasses(folder_ / "mine");
}

// Names, numbers, dtypes and null tensors that the harness passes differently from the ABI.
constexpr char kOtherwise[] = R"(import numpy as np
diopi_configs = {
    'copies': dict(name=['copy_'], tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((), (3, 4)), "no_contiguous": [True],
         "dtype": [np.uint8, np.float32, np.complex64]},
        {"ins": ['other'], "shape": ((), (4, 1)), "dtype": [np.float64, np.int16, np.float32]}])),
    'truths': dict(name=['any', 'all'], para=dict(dim=[None, -1, 0], keepdim=[True, True, False]),
        tensor_para=dict(args=[{"ins": ['input'], "shape": ((2, 3), (2, 3), ()), "dtype": [np.bool_, np.int8]}])),
    'entropies': dict(name=['binary_cross_entropy', 'binary_cross_entropy_with_logits'],
        para=dict(reduction=['none', 'sum']), tensor_para=dict(gen_fn='Genfunc.rand', args=[
        {"ins": ['input', 'target'], "shape": ((6,), (2, 5)), "dtype": [np.float32, np.float64]},
        {"ins": ['weight'], "shape": (None, (5,)), "dtype": [np.int16, np.uint8]}])),
    'lists': dict(name=['_foreach_add', '_foreach_mul'], para=dict(scalar=[2, -0.5]), tensor_para=dict(args=[
        {"ins": ['self'], "shape": ((3,), ()), "dtype": [np.float32], "gen_policy": 'gen_tensor_list',
         "gen_num_range": [2, 4]}])),
    'norms': dict(name=['_foreach_norm'], tensor_para=dict(args=[
        {"ins": ['self'], "shape": ((3, 2),), "dtype": [np.float64], "gen_policy": 'gen_tensor_list',
         "gen_num_range": [2, 2]}])),
    'tiles': dict(name=['repeat'], para=dict(repeats=[(2, 3), ()]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((4,), ()), "dtype": [np.bool_]}])),
    'threes': dict(name=['addcmul', 'addcdiv'], para=dict(value=[0.5, 3]), tensor_para=dict(args=[
        {"ins": ['input', 'tensor1', 'tensor2'], "shape": ((4, 2), (3,)), "dtype": [np.float32]}])),
    'whole_threes': dict(name=['addcmul'], para=dict(value=[2.5]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((4, 1),), "dtype": [np.int8, np.int64]},
        {"ins": ['tensor1', 'tensor2'], "shape": ((3,),), "dtype": [np.int8, np.int64]}])),
    'between': dict(name=['lerp'], para=dict(weight=[True, 0.25]), tensor_para=dict(args=[
        {"ins": ['input', 'end'], "shape": ((2, 3), (5,)), "dtype": [np.float32]}])),
    'between_tensors': dict(name=['lerp'], tensor_para=dict(args=[
        {"ins": ['input', 'end'], "shape": ((2, 3),), "dtype": [np.float32]},
        {"ins": ['weight'], "shape": ((3,),), "dtype": [np.float32]}])),
    'grids': dict(name=['meshgrid'], tensor_para=dict(args=[
        {"ins": ['tensors'], "shape": (((3,), (), (2,)),), "dtype": [np.int32],
         "gen_policy": 'gen_tensor_list_diff_shape'}])),
    'to_columns': dict(name=['im2col'], para=dict(kernel_size=[2, (1, 2)], padding=[0, (1, 0)]),
        tensor_para=dict(args=[{"ins": ['input'], "shape": ((1, 2, 4, 5), (2, 1, 3, 3)), "dtype": [np.float32]}])),
    'from_columns': dict(name=['col2im'], para=dict(output_size=[3, (4, 2)], kernel_size=[2, (2, 1)], stride=[1, 2]),
        tensor_para=dict(args=[{"ins": ['input'], "shape": ((2, 8, 4), (1, 2, 2)), "dtype": [np.float32]}])),
    'steps': dict(name=['rmsprop'], para=dict(lr=[0.1], alpha=[0.9], eps=[1e-3], weight_decay=[0], momentum=[0.5],
        centered=[True]), tensor_para=dict(gen_fn='Genfunc.rand', args=[
        {"ins": ['param', 'param_grad', 'square_avg', 'momentum_buffer'], "shape": ((7,),), "dtype": [np.float32]},
        {"ins": ['grad_avg'], "shape": ((7,),), "dtype": [np.float32], "gen_fn": 'Genfunc.zeros'}])),
    'adaptive_steps': dict(name=['adadelta'], para=dict(lr=[0.5], rho=[0.9], eps=[1e-3], weight_decay=[0]),
        tensor_para=dict(gen_fn='Genfunc.rand', args=[
        {"ins": ['param', 'param_grad', 'square_avg', 'acc_delta'], "shape": ((7,),), "dtype": [np.float64]}])),
    'adam_steps': dict(name=['adam'], para=dict(lr=[0.1], beta1=[0.9], beta2=[0.99], eps=[1e-3], weight_decay=[0],
        step=[2]), tensor_para=dict(gen_fn='Genfunc.rand', args=[
        {"ins": ['param', 'param_grad', 'exp_avg', 'exp_avg_sq', 'max_exp_avg_sq'], "shape": ((7,),),
         "dtype": [np.float32]}])),
    # randn_int draws whole numbers for int32 alone. Integers are not divided by 0.
    'rests': dict(name=['remainder'], para=dict(other=[2.5, 0, True]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((6,), (6,), (0,)), "dtype": [np.int32, np.float32, np.bool_],
         "gen_fn": dict(fn='Genfunc.randn_int', low=-4, high=4)}])),
    'rests_of_numbers': dict(name=['remainder'], para=dict(self=[3, -1.5]), tensor_para=dict(args=[
        {"ins": ['other'], "shape": ((5,), (2, 2)), "dtype": [np.int32, np.float64, np.int8],
         "gen_fn": dict(fn='Genfunc.randn_int', low=1, high=4)}])),
    'rests_of_tensors': dict(name=['remainder'], tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((5,),), "dtype": [np.int8, np.bool_, np.int8]},
        {"ins": ['other'], "shape": ((5,),), "dtype": [np.float16, np.bool_, np.int32],
         "gen_fn": dict(fn='Genfunc.randint', low=2, high=9)}])),
    'bounds': dict(name=['clamp'], is_inplace=True, tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((4, 9), (40,)), "dtype": [np.float32]},
        {"ins": ['min'], "shape": (None, (40,)), "dtype": [np.float32]},
        {"ins": ['max'], "shape": ((9,), None), "dtype": [np.float32]}])),
    'products': dict(name=['prod'], para=dict(dim=[0, None], dtype=[np.float32, np.bool_]),
        tensor_para=dict(args=[{"ins": ['input'], "shape": ((3, 2), (5,)),
                                "dtype": [np.float64, np.float16, np.int8]}])),
    'cuts': dict(name=['slice_op'], para=dict(dim=[0, -1], index=[slice(1, 5, 2), slice(-3, -1, 1)]),
        tensor_para=dict(args=[{"ins": ['input'], "shape": ((6, 2), (4,)), "dtype": [np.uint8]}])),
    'classes': dict(name=['one_hot'], para=dict(num_classes=[-1, 9]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((3,), (2, 2)), "dtype": [np.int64],
         "gen_fn": dict(fn='Genfunc.randint', high=6)}])),
    'classes_by_chance': dict(name=['one_hot'], tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((3,),), "dtype": [np.int64], "gen_fn": 'Genfunc.ones'}])),
    'lengths': dict(name=['vector_norm'], para=dict(dim=[None, (0, 1)], keepdim=[True, False],
                                                    dtype=[None, np.float64]),
        tensor_para=dict(args=[{"ins": ['input'], "shape": ((3, 2), (2, 3)), "dtype": [np.float32]}])),
    'likelihoods': dict(name=['nll_loss'], tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((9,), (4, 3)), "dtype": [np.float32]},
        {"ins": ['target'], "shape": ((), (4,)), "dtype": [np.int64], "gen_fn": dict(fn='Genfunc.randint', high=3)},
        {"ins": ['weight'], "shape": (None, (3,)), "dtype": [np.float32]}])),
    'bits': dict(name=['bitwise_and', 'bitwise_or'], para=dict(other=[-2]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((9,),), "dtype": [np.bool_], "gen_fn": 'Genfunc.mask'}])),
    'layer': dict(name=['linear'], tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((4, 3), (4, 3)), "dtype": [np.float32]},
        {"ins": ['weight'], "shape": ((0, 3), (2, 3)), "dtype": [np.float32]},
        {"ins": ['bias'], "shape": ((4, 0), (4, 2)), "dtype": [np.float32]}])),
    'magnitudes': dict(name=['abs'], tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((4,),), "dtype": [np.bool_, np.int16]}])),
    'greatest': dict(name=['amax'], para=dict(dim=[1], keepdim=[True]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((4, 3),), "dtype": [np.float32]}])),
    # Integers have no gradient; the nearest elements are another function than weighted ones.
    'whole_bounds': dict(name=['hardtanh'], para=dict(min_val=[-1], max_val=[1]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((9,),), "dtype": [np.float32, np.int8]}])),
    'nearest': dict(name=['interpolate'], para=dict(size=[(4, 3)]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((1, 2, 3, 2),), "dtype": [np.float32]}])),
    'larger_truths': dict(name=['maximum', 'minimum'], tensor_para=dict(args=[
        {"ins": ['input', 'other'], "shape": ((9,),), "dtype": [np.bool_]}])),
    'lines': dict(name=['pool1d'], para=dict(kernel_size=[2, 3, 0], padding=[1, 1, 0],
        count_include_pad=[False, True, True], mode=['avg', 'max', 'avg'],
        adaptive=[False, False, True], output_size=[0, 0, (None,)]),
        tensor_para=dict(args=[{"ins": ['input'], "shape": ((2, 3, 7), (1, 2, 9), (3, 5)), "dtype": [np.float32]}])),
    'volumes': dict(name=['max_pool3d'], para=dict(kernel_size=[2, (1, 2, 3)], return_indices=[True, False]),
        tensor_para=dict(args=[{"ins": ['input'], "shape": ((1, 2, 4, 5, 6), (2, 3, 4, 5)), "dtype": [np.float32]}])),
    'parts': dict(name=['adaptive_max_pool2d', 'adaptive_avg_pool2d'],
        para=dict(output_size=[(None, None), (2, None), 3]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((1, 4, 5), (2, 1, 6, 3), (1, 7, 7)), "dtype": [np.float64]}])),
    'kernels': dict(name=['conv3d', 'conv_transpose3d'], para=dict(stride=[2], padding=[1]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((1, 2, 4, 3, 5),), "dtype": [np.float32]},
        {"ins": ['weight'], "shape": ((2, 2, 3, 2, 3),), "dtype": [np.float32]},
        {"ins": ['bias'], "shape": (None,), "dtype": [np.float32]}])),
    'windows': dict(name=['unfold'], para=dict(dimension=[-1, 0], size=[3, 1], step=[2, 1]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((2, 9), ()), "dtype": [np.float32, np.int8]}])),
    'draws': dict(name=['random'], para=dict(start=[-3, 2], end=[4, None]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((5000,), (0, 2)), "dtype": [np.int32]}])),
    'coins': dict(name=['bernoulli'], para=dict(p=[None, 0.25, True]), tensor_para=dict(gen_fn='Genfunc.rand', args=[
        {"ins": ['input'], "shape": ((300, 9), (4000,), (7,)), "dtype": [np.float32]}])),
    'orders': dict(name=['randperm'], para=dict(n=[500, 0])),
    'ways': dict(name=['cdist'], para=dict(p=[2, 1], compute_mode=['donot_use_mm_for_euclid_dist', None]),
        tensor_para=dict(args=[{"ins": ['x1'], "shape": ((5, 4), (2, 3, 4)), "dtype": [np.float32]},
                               {"ins": ['x2'], "shape": ((3, 4), (1, 6, 4)), "dtype": [np.float32]}])),
    # None is an ellipsis. A mask picks as many as the gradient has rows.
    'picks': dict(name=['index'], tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((6, 5), (4, 3, 9), (2, 3, 8)), "dtype": [np.float32, np.int16]},
        {"ins": ['first'], "shape": ((4,), (1,), None), "dtype": [np.int64],
         "gen_fn": dict(fn='Genfunc.randint', low=-2, high=2)},
        {"ins": ['second'], "shape": (None, None, (3, 8)), "dtype": [np.bool_], "gen_fn": 'Genfunc.mask'},
        {"ins": ['third'], "shape": (None, (9,), None), "dtype": [np.uint8], "gen_fn": 'Genfunc.mask'}])),
    'channels': dict(name=['instance_norm'], tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((2, 3, 40),), "dtype": [np.float32]},
        {"ins": ['weight', 'bias'], "shape": ((3,),), "dtype": [np.float32]}])),
    'rows': dict(name=['layer_normGB'], para=dict(normalized_shape=[(4, 5)]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((3, 4, 5),), "dtype": [np.float64]},
        {"ins": ['weight', 'bias'], "shape": ((4, 5),), "dtype": [np.float64]}])),
    'factors': dict(name=['cholesky_ex'], para=dict(upper=[True]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((3, 4, 5),), "dtype": [np.float64], "gen_fn": 'Genfunc.sym_mat'}])),
    'triangles': dict(name=['triangular_solve'], para=dict(upper=[False, True]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((2, 3, 2), (3, 1)), "dtype": [np.float64]},
        {"ins": ['A'], "shape": ((2, 3, 3), (2, 3, 3)), "dtype": [np.float64]}])),
    'alignments': dict(name=['ctc_loss'], para=dict(reduction=['none']), tensor_para=dict(args=[
        {"ins": ['log_probs'], "shape": ((9, 3, 6),), "dtype": [np.float32]},
        {"ins": ['targets'], "shape": ((3, 4),), "dtype": [np.int64],
         "gen_fn": dict(fn='Genfunc.randint', low=1, high=6)},
        {"ins": ['input_lengths'], "shape": ((3,),), "dtype": [np.int64],
         "gen_fn": dict(fn='Genfunc.randint', low=8, high=10)},
        {"ins": ['target_lengths'], "shape": ((3,),), "dtype": [np.int64],
         "gen_fn": dict(fn='Genfunc.randint', low=1, high=4)}])),
    'alignments_by_chance': dict(name=['ctc_loss'], tensor_para=dict(args=[
        {"ins": ['log_probs'], "shape": ((9, 3, 6),), "dtype": [np.float32]},
        {"ins": ['targets', 'input_lengths', 'target_lengths'], "shape": ((3,),), "dtype": [np.int64]}])),
    'frames': dict(name=['pad'], para=dict(pad=[(1, 2)], mode=['constant'], value=[True]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((3, 4),), "dtype": [np.float32, np.bool_]}])),
    'regions': dict(name=['roi_align'], para=dict(output_size=[2]), tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((2, 3, 8, 8),), "dtype": [np.float32]},
        {"ins": ['boxes'], "value": ([[1, 0.5, 1.25, 6.5, 7]],), "dtype": [np.float32]}])),
    'device_statistics': dict(name=['batch_norm_gather_stats_with_counts'], para=dict(momentum=[0.1], eps=[1e-5]),
        tensor_para=dict(gen_fn='Genfunc.positive', args=[
        {"ins": ['input'], "shape": ((4, 3, 5),), "dtype": [np.float32]},
        {"ins": ['running_mean', 'running_var'], "shape": ((3,),), "dtype": [np.float32]},
        {"ins": ['mean_all', 'invstd_all'], "shape": ((2, 3),), "dtype": [np.float32]},
        {"ins": ['count_all'], "shape": ((2,),), "dtype": [np.float32],
         "gen_fn": dict(fn='Genfunc.randint', low=2, high=6)}])),
    'device_sums': dict(name=['batch_norm_backward_reduce'], para=dict(input_g=[True], weight_g=[False], bias_g=[True]),
        tensor_para=dict(args=[{"ins": ['grad_output', 'input'], "shape": ((4, 3, 5),), "dtype": [np.float32]},
        {"ins": ['mean', 'invstd', 'weight'], "shape": ((3,),), "dtype": [np.float32]}])),
    'signs': dict(name=['sgn'], tensor_para=dict(args=[
        {"ins": ['input'], "shape": ((6,),), "dtype": [np.complex64, np.float32], "gen_fn": 'Genfunc.randn_complx'}])),
    'no_dtype': dict(name=['add'], para=dict(alpha=[np.float32]), tensor_para=dict(args=[
        {"ins": ['input', 'other'], "shape": ((4, 3),), "dtype": [np.float32]}])),
    'no_slice': dict(name=['slice_op'], para=dict(dim=[0, 0], index=[slice(1, 2, step=1), 5]),
        tensor_para=dict(args=[{"ins": ['input'], "shape": ((6, 2), (6, 2)), "dtype": [np.uint8]}])),
}
)";

TEST_F(NewCasesTest, WhatTheHarnessCallsOtherwiseIsCarriedOver) {
  WriteFile(folder_ / "configs.py", kOtherwise);
  const Finished run =
      Cli({"import-cases", folder_ / "configs.py", "--output", folder_ / "mine", "--verbose"});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  for (const char* told :
       {": copies (copy_): case 0: complex64\n", ": rests (remainder): case 1: integers divided by 0\n",
        ": rests (remainder): case 2: the remainder of bool\n",
        ": rests_of_tensors (remainder): case 0: the remainder of bool\n",
        ": products (prod): case 0: factors of float64 rounded to float32\n",
        ": classes_by_chance (one_hot): case 0: the number of classes is random\n",
        ": lengths (vector_norm): case 1: a dtype of the result\n",
        ": magnitudes (abs): case 0: the absolute value of bool\n",
        ": no_dtype (add): case 0: alpha: no attribute can hold 'float32'\n",
        ": no_slice (slice_op): case 0: index is not a literal: slice(1, 2, step=1)\n",
        ": alignments_by_chance (ctc_loss): case 0: the length of the longest target is random\n",
        ": signs (sgn): case 0: complex64\n",
        ": no_slice (slice_op): case 1: slice_op does not take these arguments: "}) {
    EXPECT_TRUE(absl::StrContains(run.out, told)) << told << run.out;
  }
  EXPECT_TRUE(absl::StrContains(run.out, "130 of 146 cases imported: ")) << run.out;
  const Finished list = Cli({"list", "cases", "--cases", folder_ / "mine", "--case", "*.public_*"});
  for (const char* id : {"copy.uint8.public_copies_1",
                         "reduce_all.int8.public_truths_0_2",
                         "clamp.inplace_tensor.float32.public_bounds_1",
                         "bce_loss.backward.float64.public_entropies_0",
                         "foreach_mul.scalar.float32.public_lists_0",
                         "addcmul.inplace.float32.public_threes_0",
                         "addcmul.int8.public_whole_threes_0",
                         "lerp.scalar.float32.public_between_0",
                         "lerp.float32.public_between_tensors_0",
                         "remainder.scalar_base.int8.public_rests_of_numbers_1_3",
                         "prod.int8.public_products_1",
                         "bitwise_or.scalar.bool.public_bits_0",
                         "linear.float32.public_layer_1",
                         "pool1d.backward.float32.public_lines_0",
                         "pool1d.float32.public_lines_1",
                         "max_pool3d.with_indices.float32.public_volumes_0",
                         "adaptive_max_pool2d.float64.public_parts_0",
                         "conv3d.backward.float32.public_kernels_0",
                         "conv_transpose3d.float32.public_kernels_0",
                         "unfold.int8.public_windows_1",
                         "random.int32.public_draws_1",
                         "bernoulli.inplace.float32.public_coins_0",
                         "bernoulli.scalar.float32.public_coins_2",
                         "randperm.int64.public_orders_0",
                         "cdist.backward.float32.public_ways_1",
                         "index.backward.float32.public_picks_1",
                         "index.int16.public_picks_2_2",
                         "instance_norm.float32.public_channels_0",
                         "layer_norm_gb.float64.public_rows_0",
                         "cholesky.backward.float64.public_factors_0",
                         "triangular_solve.backward.float64.public_triangles_0",
                         "ctc_loss.backward.float32.public_alignments_0",
                         "pad.bool.public_frames_0_2",
                         "roi_align.backward.float32.public_regions_0",
                         "sync_batch_norm.gather.float32.public_device_statistics_0",
                         "sync_batch_norm.backward_reduce.float32.public_device_sums_0",
                         "sgn.float32.public_signs_0"}) {
    EXPECT_TRUE(absl::StrContains(list.out, std::string(id) + "\n")) << id << "\n" << list.out << list.err;
  }
  for (const char* id : {"pool1d.backward.float32.public_lines_1", "bernoulli.float32.public_coins_1",
                         "triangular_solve.backward.float64.public_triangles_1",
                         "hardtanh.backward.int8.public_", "interpolate.linear.float32.public_"}) {
    EXPECT_FALSE(absl::StrContains(list.out, id)) << id << "\n" << list.out;
  }
  // A tensor that the harness leaves out is null, not the operator's own.
  EXPECT_TRUE(absl::StrContains(ReadFile(folder_ / "mine/bce_loss.textproto"),
                                "name: \"weight\"\n      null: true\n"));
  ExpectPasses(folder_ / "mine");
}

// One configuration, as text between the braces, and the report on it, after "FILE:LINE: ".
struct OddRow {
  const char* entry;
  int carried;
  std::vector<std::string> told;
};

TEST_F(NewCasesTest, OddConfigurationsAreToldAndNeverRun) {
  const std::string args = "tensor_para=dict(args=[dict(ins=['input'], shape=((2,),))])";
  const std::string relu = "name=['relu'], dtype=[np.float32], ";
  const std::string huge = "'x': dict(name=['fill_'], dtype=[np.float32], para=dict(value=[0x" +
                           std::string(20'000, 'f') + "]), ARGS)";
  const std::vector<OddRow> rows = {
      {"'x': dict(name='relu', dtype=(np.float32, 'float16'), tensor_para={'args': ({'ins': 'input', "
       "'shape': "
       "[[2], (), (5,)]},)})",
       6,
       {}},
      {"'a-b': dict(RELU ARGS), 'a_b': dict(RELU ARGS)", 2, {}},
      {"'x': dict(RELU ARGS), 'x': dict(RELU ARGS)", 1, {"x: it is there again in line 2"}},
      {"**base", 0, {"base: its name cannot be read without running the file"}},
      {"f'x{1}': dict(RELU ARGS)", 0, {"f'x{1}': its name cannot be read without running the file"}},
      {"5: dict(RELU ARGS)", 1, {}},
      {"'x': dict(**base)",
       0,
       {"x: the configuration has a key that cannot be read without running the file"}},
      {"'x': dict({k: v for k, v in y})", 0, {"x: the configuration is not a dictionary of literals"}},
      {"'x': {}", 0, {"x: it has no name"}},
      {"'x': dict(name=[f'relu'], dtype=[np.float32], ARGS)", 0, {"x: name is not a literal: f'relu'"}},
      {"'x': dict(name=[5], dtype=[np.float32], ARGS)", 0, {"x: name is not a list of names: [5]"}},
      {"'x': dict(name=['relu'], dtype=[np.float33, 5], ARGS)", 0, {"x: unknown dtype: np.float33"}},
      {"'x': dict(RELU ARGS, colour=1)", 1, {}},
      {"'x': dict(RELU ARGS, atol=compute())", 1, {}},
      {"'x': dict(RELU tensor_para=dict(args=[dict(ins=['input'], shape=())]))", 0, {"x: it has no case"}},
      {"'x': dict(RELU tensor_para=dict(args=[dict(ins=['input'], shape=((-1,), (2.5,), (N,), (10**9,), "
       "(99999999999999999999,), (3,)))]))",
       1,
       {"x (relu): case 0: not a shape: (-1,)", "x (relu): case 1: not a shape: (2.5,)",
        "x (relu): case 2: shape is not a literal: N", "x (relu): case 3: shape is not a literal: 10 ** 9",
        "x (relu): case 4: not a shape: (99999999999999999999,)"}},
      {"'x': dict(RELU tensor_para=dict(args=[dict(ins=['input'], shape=((1000000000000, "
       "1000000000000),))]))",
       0,
       {"x (relu): case 0: more elements than a tensor can have"}},
      {"'x': dict(RELU tensor_para=dict(gen_fn=lambda s: 1, args=[dict(ins=['input'], shape=((2,),))]))",
       0,
       {"x: gen_fn is not a dictionary of literals"}},
      {"'x': dict(RELU tensor_para=dict(gen_fn=dict(fn='Genfunc.uniform', low=0, high=1, size=2), "
       "args=[dict(ins=['input'], shape=((2,),))]))",
       0,
       {"x (relu): case 0: no fill corresponds to gen_fn dict(fn='Genfunc.uniform', low=0, high=1, size=2)"}},
      {"'x': dict(RELU tensor_para=dict(gen_fn=dict(fn='Genfunc.randint', low='a', high=1), "
       "args=[dict(ins=['input'], shape=((2,),))]))",
       0,
       {"x: low is not a number: 'a'"}},
      {"'x': dict(name=['add'], dtype=[np.float32], para=dict(alpha=[99999999999999999999, float('abc'), "
       "{1, []}, 'a\\ud800', 2]), tensor_para=dict(args=[dict(ins=['input'], shape=((2,),) * 5)]))",
       0,
       {"x: shape is not a list of literals"}},
      {"'x': dict(name=['add'], dtype=[np.float32], para=dict(alpha=[99999999999999999999, float('abc'), "
       "{1, []}, 2]), tensor_para=dict(args=[dict(ins=['input', 'other'], shape=((2,), (2,), (2,), (2,)))]))",
       1,
       {"x (add): case 0: alpha: no attribute can hold such a number",
        "x (add): case 1: alpha is not a literal: float('abc')",
        "x (add): case 2: alpha is not a literal: {1, []}"}},
      {"'\\x1b[31m\\n': {}", 0, {"?[31m?: it has no"}},
      {"'x': dict(name=['cat'], dtype=[np.float32], tensor_para=dict(args=[dict(ins=['tensors'], "
       "shape=((2,),), gen_policy='gen_tensor_list', gen_num_range=[1, 1000000000])]))",
       0,
       {"x (cat): case 0: a list of more than 1024 tensors"}},
      {"'x': dict(name=['split'], dtype=[np.float32], para=dict(split_size_or_sections=[1]), "
       "tensor_para=dict(args=[dict(ins=['tensor'], shape=((1000000,),))]))",
       0,
       {"x (split): case 0: more than 4096 pieces"}},
      {"'x': dict(name=['interpolate'], dtype=[np.float32], para=dict(scale_factor=[float('nan')]), "
       "tensor_para=dict(args=[dict(ins=['input'], shape=((1, 1, 2, 2),))]))",
       0,
       {"x (interpolate): case 0: interpolate does not take these arguments: ValueError"}},
      {huge.c_str(), 0, {"x (fill_): case 0: value: no attribute can hold such a number"}},
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string entry = rows[i].entry;
    for (const auto& [from, to] : {std::pair<std::string, std::string>("RELU ", relu), {"ARGS", args}}) {
      for (size_t at = entry.find(from); at != std::string::npos; at = entry.find(from)) {
        entry.replace(at, from.size(), to);
      }
    }
    const std::string file = folder_ / absl::StrCat("odd", i, ".py");
    WriteFile(file, "import numpy as np\ndiopi_configs = {" + entry + "}\n");
    const Finished run =
        Cli({"import-cases", file, "--output", folder_ / absl::StrCat("out", i), "--verbose"});
    EXPECT_EQ(run.code, 0) << rows[i].entry << run.err;
    for (const std::string& told : rows[i].told) {
      EXPECT_TRUE(absl::StrContains(run.out, absl::StrCat("left out: ", file, ":2: ", told)))
          << rows[i].entry << "\n"
          << run.out;
    }
    EXPECT_TRUE(absl::StrContains(run.out, absl::StrFormat("%7d  imported\n", rows[i].carried)))
        << rows[i].entry << "\n"
        << run.out;
    if (rows[i].carried == 0) continue;
    // The written files are valid, including labels.
    const Finished list =
        Cli({"list", "cases", "--cases", folder_ / absl::StrCat("out", i), "--case", "*.public_*"});
    EXPECT_EQ(list.code, 0) << rows[i].entry << list.err;
  }
}

// Runs neither the file nor modules beside it: Python would find a hostile ast.py first.
TEST_F(NewCasesTest, NoCodeIsRun) {
  const std::string evil = "open('" + (folder_ / "ran") + "', 'w')\n";
  WriteFile(folder_ / "ast.py", evil);
  WriteFile(folder_ / "evil.py", evil);
  WriteFile(folder_ / "configs.py", "import evil\n" + evil + "@evil.run\nclass X(evil.Y): pass\n" +
                                        "diopi_configs: dict = {'x': [evil.run() for _ in (1,)]}\n" +
                                        "diopi_configs['y'] = {}\nfor x in y: diopi_configs[x] = {}\n");
  const Finished run = RunProgram({"/bin/sh", "-c",
                                   "cd '" + folder_.path() + "' && exec " + BinPath("diopi-cli") +
                                       " import-cases configs.py --output mine --verbose"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
  for (const char* told : {":2: open(", ":4: @evil.run: code that would have to be run",
                           ":5: x: the configuration is not a dictionary of literals",
                           ":6: diopi_configs['y'] = {}: code that", ":7: for x in y:: code that"}) {
    EXPECT_TRUE(absl::StrContains(run.out, std::string("left out: configs.py") + told)) << told << "\n"
                                                                                        << run.out;
  }
}

TEST_F(NewCasesTest, FilesThatCannotBeRead) {
  const std::string head = "diopi_configs = {'a': ";
  std::string many;  // names, and shapes of another kind
  for (int i = 0; i < 1001; ++i) many += "'n',";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {std::string("x = 1\0", 6), "cannot contain null bytes"},
      {"diopi_configs = {'\xff': 1}\n", "no Python"},
      {head + std::string(5000, '(') + "1" + std::string(5000, ')') + "}", "too many nested parentheses"},
      {head + std::string(50'000, '-') + "1}", "nested too deep"},
      {"diopi_configs = 5\n", "diopi_configs is not a dictionary literal"},
      {"", "no `diopi_configs = {...}` in it"},
      {head + "dict(name=[" + many + "], dtype=[np.int8], para=dict(value=[" + many +
           "]), tensor_para=" + "dict(args=[dict(ins=['input'], shape=[" + many + "])]))}",
       "more than 1000000 cases"},
  };
  for (const auto& [text, why] : rows) {
    WriteFile(folder_ / "odd.py", text);
    const Finished run = Cli({"import-cases", folder_ / "odd.py", "--output", folder_ / "mine"});
    EXPECT_EQ(run.code, 2) << why << run.out;
    EXPECT_TRUE(absl::StrContains(run.err, folder_ / "odd.py")) << run.err;
    EXPECT_TRUE(absl::StrContains(run.err, why)) << run.err;
    EXPECT_FALSE(fs::exists(folder_ / "mine"));
  }
  WriteFile(folder_ / "odd.py", "# -*- coding: latin-1 -*-\ndiopi_configs = {'caf\xe9': {}}\n");
  const Finished run = Cli({"import-cases", folder_ / "odd.py", "--output", folder_ / "mine"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(absl::StrContains(run.out, ":2: caf\xc3\xa9: it has no")) << run.out;
}

TEST_F(NewCasesTest, WhatIsNoConfiguration) {
  WriteFile(folder_ / "a.py", "x = 1\n");
  WriteFile(folder_ / "b.py", "x = 1\ny = (\n");
  const Finished none = Cli({"import-cases", folder_ / "a.py", "--output", folder_ / "mine"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(absl::StrContains(none.err, "no `diopi_configs = {...}` in it")) << none.err;
  const Finished broken = Cli({"import-cases", folder_ / "b.py", "--output", folder_ / "mine"});
  EXPECT_EQ(broken.code, 2);
  EXPECT_TRUE(absl::StrContains(broken.err, "b.py:2: no Python")) << broken.err;
  EXPECT_EQ(Cli({"import-cases", folder_ / "none.py", "--output", folder_ / "mine"}).code, 2);
}

}  // namespace
}  // namespace diopi::testing
