// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A spec: what a kernel takes, how it is launched and what it must give, as text
// (docs/own_kernels.md is the language).
//
//   kernel  block_sum.cu
//   in      x:f32[n]
//   out     y:f32[grid]
//   arg     n:u32 = n
//   launch  grid=max(1, ceil(n / block)) block=32..1024 shared=4 * block
//   require block % 32 == 0
//   result  y[b] = sum(x[b * block .. (b + 1) * block])
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "base/types.hpp"
#include "properties/case/case.hpp"
#include "properties/case/variant.hpp"
#include "properties/language/expression.hpp"

namespace gauntlet::spec {

/// A free size and the values that it may have.
struct Size {
  std::string name;
  std::uint64_t least = 0, most = 0;
  std::vector<std::uint64_t> choices;  ///< not empty: these alone
  [[nodiscard]] bool allows(std::uint64_t value) const;
  [[nodiscard]] bool has_one_value() const {
    return choices.empty() ? least == most : choices.size() == 1;
  }
  [[nodiscard]] std::string domain() const;  ///< "1..64", "1,2,4"
};

/// A name that follows from the sizes, or behind `where` of a result.
struct Definition {
  std::string name;
  Expression value;
  Where where;
  // Bound:
  int slot = 0;
  bool integral = true;
  std::vector<int> variables = {};  ///< slots of the result's variables that it hangs on
};

enum class Role : std::uint8_t {
  in,
  out,
  inout,
  scratch,
  open  ///< may be read and written, and no element has to be
};

/// A number of a list or a struct, or the address of an array's element.
struct Member {
  Type type = Type::i32;  ///< of an address u64
  Expression value;       ///< of an address the element
  std::string array = {};
  [[nodiscard]] bool pointer() const { return !array.empty(); }
};

struct Array {
  std::string name;
  Role role = Role::in;
  Type type = Type::f32;
  std::vector<Expression> extents;  ///< one or two; row-major
  Expression content;          ///< of element i; none: drawn (in, inout), or none (out, scratch).
                               ///< It may name arrays above it, and its own elements before i
  bool addresses = false;      ///< elements are such: the type is `ptr`
  std::vector<Member> list;    ///< not empty: element by element, `content` is the first
  std::string file;            ///< not empty: the .npy file that holds the content
  bool wraps = false;          ///< whole numbers are taken modulo what the type holds
  std::optional<Op> identity;  ///< of this operator, in place of a content
  bool permutation = false;    ///< 0, 1, ... in a drawn order, in place of a content
  bool sorted = false;         ///< the content, drawn or not, is put in ascending order
  bool kept = false;           ///< must be left as it was found
  bool symbol = false;         ///< the kernel file's __device__ variable of this name
  std::string mangled;         ///< of a symbol: its name in the PTX, where that is another
  bool allocated = false;      ///< no parameter: the function of the host allocates it
  std::uint32_t align = 16;    ///< bytes; it may begin at any multiple
  std::optional<std::uint32_t> offset;  ///< bytes behind an aligned address where it begins
  Expression pad, pad_content;          ///< elements behind it that may be accessed, and what they
                                        ///< hold; none: none, nothing
  Where where;
  /// Something lies in it before the launches.
  [[nodiscard]] bool filled() const {
    const bool drawn = !symbol && (role == Role::in || role == Role::inout);
    return drawn || content.present() || identity || permutation;
  }
};

struct Scalar {
  std::string name;
  Type type = Type::i32;
  Expression value;
  Where where;
  std::vector<Member> members;  ///< a struct, laid out as C++ does; empty: the number `value`
  std::size_t count = 1;        ///< members that it has; there may be several values of so many
  [[nodiscard]] std::size_t bytes() const;
};

/// A parameter of the kernel: an index into arrays or scalars.
struct Parameter {
  bool array = true;
  std::size_t index = 0;
};

struct LaunchStatement {
  std::string entry;                    ///< empty: the kernel statement's
  std::vector<Expression> grid, block;  ///< one to three extents
  Expression shared;                    ///< none: 0
  bool cooperative = false;
  bool programmatic = false;   ///< it may begin before the launch before it has ended
  bool rehearsal = false;      ///< shows that what comes behind it can be done again; not timed
  std::optional<TypePair> of;  ///< of the kernel as it is compiled for these types; else its own
  Expression only;             ///< launched where this is not 0; none: always
  std::vector<Parameter> parameters;
  Where where;
};

struct Result {
  std::size_t array = 0;
  std::vector<Expression> cell;        ///< an index each: a new name runs over the extent
  std::vector<std::string> variables;  ///< empty where the index is an expression
  std::vector<int> slots;              ///< bound: of the variables, -1 where there is none
  Expression value;
  std::vector<Definition> definitions;  ///< behind `where`, in order
  std::optional<Type> accumulate;
  bool fast = false;  ///< calls the fast functions by their names, as __expf
  Expression height, within;
  Expression only;  ///< judged where this is not 0; none: always
  Where where;
  std::vector<int> forgets;  ///< bound: as an expression's, each time another row begins
};

/// The arrays that no `result` names are to hold what a program of the user writes
/// (properties/language/judge.cpp).
struct ByProgram {
  std::string program;  ///< with a '/': relative to the spec's folder; else found by $PATH
  Expression within;    ///< of sizes; none: the very bits
  Where where;
};

/// A name that the kernel's source has as a constant: the kernel is compiled for each value of a
/// size.
struct Constant {
  std::string name;
  std::string size;
  std::vector<std::uint64_t> values;
  Where where;
  bool documented = false;           ///< of that form alone; the others have no such name
  std::vector<TypePair> types = {};  ///< then: of these; empty: of all
};

/// The fastest launch for inputs of at most so many 16-byte vectors.
struct TunedStep {
  static constexpr std::uint64_t any = ~std::uint64_t{0};
  std::uint64_t vectors;
  std::uint32_t block;               ///< 0: one block, large enough to load all at once
  std::uint32_t per_multiprocessor;  ///< blocks, at most
};

/// What people are told of a kernel, and what timing launches.
struct About : gauntlet::About {
  std::uint32_t documented_grid = 0;  ///< of the first of these blocks; 0: left open
  bool swept = false;                 ///< timing tries many blocks and grids
  std::vector<TunedStep> tuned;       ///< in ascending order, the last one for any size
};

/// What a spec is read for, where it has forms or types.
struct Reading {
  std::string form;                  ///< empty: that which has every fix
  std::optional<Instance> instance;  ///< none: the first
};

struct Spec {
  std::string path;    ///< as given
  std::string folder;  ///< "" or ending in '/'
  std::string kernel;  ///< file, as it is written: beside(kernel) is its path
  std::string entry;   ///< empty: the only kernel of the file
  bool host = false;   ///< the entry is a function of the host, which makes the launches
  Where kernel_where;
  std::vector<std::string> flags;
  std::vector<Size> sizes;
  std::vector<Definition> definitions;
  std::vector<Array> arrays;
  std::vector<Scalar> scalars;
  std::vector<Parameter> parameters;  ///< in the order of their declaration
  std::vector<LaunchStatement> launches;
  std::vector<Definition> requirements;
  std::vector<Result> results;
  std::optional<ByProgram> by;
  bool result_none = false;
  bool sized = false;  ///< n, rows and columns are no sizes unless it says so
  bool tiled = false;  ///< blocks take tiles of the first array (properties/language/tiles.cpp)
  Where tile_where;
  std::uint32_t repeat = 1;  ///< how often all launches run; only outputs are new each time
  Where repeat_where;
  std::vector<Expected> expectations;
  FixesEntry fixes;
  std::vector<Where> fix_where;            ///< of each of its defects
  std::vector<TypePair> types;             ///< T->ACC; empty: it has none
  std::vector<Op> operators;               ///< that OP stands for; empty: sum
  std::vector<Instance> combinations;      ///< of both, where `types` names them in groups
  std::vector<TypePair> documented_types;  ///< of the forms that lack a fix; empty: the first
  std::vector<Op> documented_operators;    ///< of these; empty: the first
  About about;
  std::vector<Constant> constants;
  std::set<std::string> asked_fixes;  ///< that its own expressions ask for
  std::vector<Data> data;             ///< distributions that inputs are drawn from

  /// The path of a file that it names, which is relative to its folder unless it is absolute.
  [[nodiscard]] std::string beside(std::string_view file) const;
  [[nodiscard]] const Array* array(std::string_view name) const;
  [[nodiscard]] bool fast_math() const;
  /// One, only_form, where it has no fixes.
  [[nodiscard]] std::vector<gauntlet::Form> forms() const;
  /// In the order of its types, each with its operators; f32->f32 sum where it has none.
  [[nodiscard]] std::vector<Instance> instances() const;
  /// Its kernel is compiled several times, each in a namespace of its own
  /// (properties/language/copies.hpp).
  [[nodiscard]] bool has_copies() const {
    return !fixes.defects.empty() || fixes.documented || !types.empty() || !constants.empty();
  }
};

/// Throws UsageError, one line "FILE:LINE: `statement`: what is wrong; what to write". What is read
/// for another form, or other types, differs in T, ACC, OP and FIX(NAME).
[[nodiscard]] Spec parse_spec(std::string_view text, const std::string& path,
                              const Reading& reading = {});

/// The same of statements that are no file's, on top of what `begun` says: its path, its kernel.
[[nodiscard]] Spec parse_spec(std::vector<Statement> statements, Spec begun,
                              const Reading& reading = {});
/// The array or argument that one `arg` declares, with all values of an argument.
[[nodiscard]] Spec parse_declaration(const Statement& statement);

/// Where each member lies, and behind the last one the size of all: as C++ has them in a struct.
[[nodiscard]] std::vector<std::size_t> layout_of(const std::vector<Member>& members);

/// What people are told of it. Its id is the spec's path.
[[nodiscard]] Variant variant_of(const Spec& spec);

/// What the file says; UsageError where it cannot be read.
[[nodiscard]] std::string spec_text(const std::string& path);
[[nodiscard]] Spec read_spec(const std::string& path);

/// A spec with every name looked up, made once and evaluated for each case.
struct Program {
  Spec spec;  ///< bound: the names in it are slots, but those of its definitions
  int integers = 0, locals = 0, cursors = 0, kept = 0, index_slot = 0;
  int block_slot = 0, grid_slot = 0, offset_slot = 0;
  /// `let`, grid, block, blocks; in an order in which each needs earlier ones only.
  std::vector<Definition> definitions;

  Program() = default;
  Program(const Program&) = delete;  // Expression::where points into spec
  Program& operator=(const Program&) = delete;
};

/// Looks up every name. Throws UsageError ("FILE:LINE: ...") for a name that is not known where it
/// stands, with the nearest one that is, for an array or a reduction where an integer is needed,
/// and for names that need each other.
void bind(Program& program, Spec spec);

/// Finds out which reductions of a bound result need not be evaluated for each cell, or for each
/// term of another (Expression::kept and forgets); `kept`: how many have such a number.
void keep_reductions(Result& result, int& kept);

}  // namespace gauntlet::spec
