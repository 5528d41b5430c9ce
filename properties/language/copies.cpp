// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/spelling.hpp"

namespace gauntlet::spec {
namespace {

constexpr std::string_view space_prefix = "gauntlet__";

/// The #include lines that no condition stands around: inside a namespace their headers could not
/// be read, so that they are read before.
std::string headers_of(std::string_view source, const std::filesystem::path& folder) {
  std::string headers;
  int depth = 0;
  for_each_line(source, [&](std::string_view line) {
    const Directive directive = directive_of(line);
    if (directive.word == "if" || directive.word == "ifdef" || directive.word == "ifndef") ++depth;
    if (directive.word == "endif") --depth;
    if (directive.word != "include" || depth != 0) return;
    const std::string_view what = directive.rest;
    const auto close = what.size() > 1 && what[0] == '"' ? what.find('"', 1) : what.npos;
    std::error_code error;
    const std::filesystem::path own =
        close == what.npos ? folder : folder / std::string(what.substr(1, close - 1));
    headers += close != what.npos && std::filesystem::is_regular_file(own, error)
                   ? fmt::format("#include \"{}\"\n", own.string())
                   : fmt::format("#include {}\n", what);
  });
  return headers;
}

/// Of the types and operators that are asked for, each must be one: for nvcc any other is 0.
void check_types(const std::string& path, std::string_view source) {
  for (const std::string_view function : {"T_IS", "ACC_IS"}) {
    for (const Asked& type : asked_in(source, function)) {
      const Where where{path, type.line, type.text};
      if (!parse<Type>(type.name)) where.fail(unknown_type(type.name, enum_names<Type>));
    }
  }
  for (const Asked& op : asked_in(source, "OP_IS")) {
    (void)operator_named(op.name, {path, op.line, op.text});
  }
}

/// What is asked for and what there is must be the same.
void check_fixes(const Spec& spec, const std::string& path, std::string_view source) {
  std::vector<bool> asked(spec.fixes.defects.size(), false);
  std::vector<std::string_view> names;
  for (const auto& defect : spec.fixes.defects) names.push_back(defect.fix);
  for (const Asked& fix : asked_in(source, "FIX")) {
    const auto at = std::ranges::find(names, fix.name);
    if (at == names.end()) fail_unknown(path, fix, names);
    asked[static_cast<std::size_t>(at - names.begin())] = true;
  }
  for (std::size_t k = 0; k < asked.size(); ++k) {
    if (asked[k] || spec.asked_fixes.contains(spec.fixes.defects[k].fix)) continue;
    spec.fix_where[k].fail(fmt::format("{} does not ask for it: write #if FIX({}) ... #endif there",
                                       path, spec.fixes.defects[k].fix));
  }
}

/// f16 and bf16 have no volatile copies: a cell of these accesses the bits.
std::string volatile_text(Type acc) {
  if (acc != Type::f16 && acc != Type::bf16) return "using VOLATILE_ACC = volatile ACC;\n";
  const std::string_view name = acc == Type::f16 ? "half" : "bfloat16";
  return fmt::format(
      "struct VOLATILE_ACC {{\n"
      "  volatile unsigned short bits;\n"
      "  __device__ __forceinline__ operator ACC() const {{ return __ushort_as_{0}(bits); }}\n"
      "  __device__ __forceinline__ void operator=(ACC value) {{ bits = __{0}_as_ushort(value); "
      "}}\n"
      "}};\n",
      name);
}

bool uses(const Spec& spec, Type type) {
  return std::ranges::any_of(
      spec.types, [&](const TypePair& pair) { return pair.in == type || pair.acc == type; });
}

}  // namespace

std::string_view spelled(Type type) {
  static constexpr std::array<std::string_view, enum_names<Type>.size()> names{
      "signed char", "unsigned char",      "short",  "unsigned short", "int",   "unsigned int",
      "long long",   "unsigned long long", "__half", "__nv_bfloat16",  "float", "double"};
  return names[static_cast<std::size_t>(type)];
}

std::vector<TypePair> pairs_of(std::string_view text, const Where& where) {
  std::vector<TypePair> pairs;
  for (const std::string& word : words_of(text)) {
    const auto arrow = word.find("->");
    if (arrow == word.npos) {
      where.fail(fmt::format("`{}` is no pair of types; write T->ACC, such as f32->f32", word));
    }
    Reader in(std::string_view(word).substr(0, arrow), where);
    Reader acc(std::string_view(word).substr(arrow + 2), where);
    pairs.push_back({in.type(), acc.type()});
    in.finish("a pair is T->ACC, such as f32->f32");
    acc.finish("a pair is T->ACC, such as f32->f32");
  }
  return pairs;
}

bool applies(const Constant& constant, std::string_view form, const Instance& instance) {
  return (!constant.documented || form == "documented") &&
         (constant.types.empty() ||
          std::ranges::count(constant.types, TypePair{instance.in, instance.acc}) != 0);
}

std::vector<Constant> constants_of(const Spec& spec, std::string_view form,
                                   const Instance& instance) {
  std::vector<Constant> all = spec.constants;
  std::erase_if(all, [&](const Constant& c) { return !applies(c, form, instance); });
  return all;
}

std::vector<Instance> instances_of(const Spec& spec, std::string_view form) {
  std::vector<Instance> all = spec.instances();
  if (!lacks_fix(form)) return all;
  if (spec.documented_types.empty()) {
    all.resize(1);
    return all;
  }
  const std::vector<Op> operators =
      spec.documented_operators.empty() ? std::vector{all.front().op} : spec.documented_operators;
  std::erase_if(all, [&](const Instance& i) {
    return std::ranges::count(operators, i.op) == 0 ||
           std::ranges::count(spec.documented_types, TypePair{i.in, i.acc}) == 0;
  });
  return all;
}

Words asked_words(const Spec& spec, const gauntlet::Form& form, const Instance& instance) {
  Words words;
  if (!spec.types.empty()) words.types = std::pair(instance.in, instance.acc);
  words.op = instance.op;
  for (const auto& defect : spec.fixes.defects) {
    words.fixes.emplace_back(defect.fix, std::ranges::count(form.missing, defect.fix) == 0);
  }
  return words;
}

std::vector<std::vector<std::uint64_t>> values_of(const std::vector<Constant>& constants) {
  std::vector<std::vector<std::uint64_t>> all{{}};
  for (const Constant& constant : constants) {
    std::vector<std::vector<std::uint64_t>> longer;
    for (const auto& before : all) {
      for (const std::uint64_t value : constant.values) {
        longer.push_back(before);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<Copy> copies_of(const Spec& spec) {
  constexpr std::size_t most = 512;
  std::vector<Copy> copies;
  for (const gauntlet::Form& form : spec.forms()) {
    for (const Instance& instance : instances_of(spec, form.name)) {
      for (auto& values : values_of(constants_of(spec, form.name, instance))) {
        copies.push_back({form, instance, std::move(values)});
      }
    }
  }
  if (copies.size() > most) {
    spec.kernel_where.fail(fmt::format(
        "forms, types, operators and constants are {} kernels to be compiled; at most {}",
        copies.size(), most));
  }
  return copies;
}

std::string space_of(const Spec& spec, const Copy& copy) {
  std::string space = fmt::format("{}{}", space_prefix, copy.form.name);
  std::ranges::replace(space, '-', 'L');  // lacks: not in the name of a fix
  if (!spec.types.empty()) {
    space += fmt::format("__{}_{}_{}", name(copy.instance.in), name(copy.instance.acc),
                         name(copy.instance.op));
  }
  const auto constants = constants_of(spec, copy.form.name, copy.instance);
  for (std::size_t k = 0; k < copy.values.size(); ++k) {
    space += fmt::format("__{}{}", constants[k].name, copy.values[k]);
  }
  return space;
}

std::string symbol_of(const Spec& spec, const Copy& copy, const std::string& name) {
  if (!spec.has_copies()) return name;
  const std::string space = space_of(spec, copy);  // mangled as C++ does it
  return fmt::format("_ZN{}{}{}{}E", space.size(), space, name.size(), name);
}

std::string without_spaces(std::string name) {
  for (auto at = name.find(space_prefix); at != name.npos; at = name.find(space_prefix, at)) {
    auto end = at;
    while (end < name.size() && in_name(name[end])) ++end;
    const bool whole = at == 0 || !in_name(name[at - 1]);
    if (whole && name.compare(end, 2, "::") == 0) {
      name.erase(at, end + 2 - at);
    } else {
      at = end;
    }
  }
  return name;
}

std::string entry_in(const Spec& spec, const Copy& copy, const std::string& entry) {
  const auto constants = constants_of(spec, copy.form.name, copy.instance);
  return with_words(entry, [&](std::string_view word, std::string_view&) -> std::string {
    const auto constant = std::ranges::find(constants, word, &Constant::name);
    if (!spec.types.empty() && word == "T") return std::string(spelled(copy.instance.in));
    if (!spec.types.empty() && word == "ACC") return std::string(spelled(copy.instance.acc));
    return constant == constants.end()
               ? std::string(word)
               : std::to_string(
                     copy.values[static_cast<std::size_t>(constant - constants.begin())]);
  });
}

std::string wrapper(const Spec& spec, const std::string& path, std::string_view source) {
  check_fixes(spec, path, source);
  check_types(path, source);
  const std::filesystem::path absolute = std::filesystem::absolute(path);
  std::string text;
  if (uses(spec, Type::f16)) text += "#include <cuda_fp16.h>\n";
  if (uses(spec, Type::bf16)) text += "#include <cuda_bf16.h>\n";
  text += headers_of(source, absolute.parent_path());
  if (!spec.fixes.defects.empty()) text += "#define FIX(name) GAUNTLET_FIX_##name\n";
  if (!spec.types.empty()) {
    text +=
        "#define IDENTITY (identity_of_OP())\n#define T_IS(type) GAUNTLET_T_##type\n"
        "#define ACC_IS(type) GAUNTLET_ACC_##type\n#define OP_IS(name) GAUNTLET_OP_##name\n";
  }
  for (const Copy& copy : copies_of(spec)) {
    std::vector<std::string> defined;
    const auto define = [&](const std::string& name, std::uint64_t value) {
      text += fmt::format("#define {} {}\n", name, value);
      defined.push_back(name);
    };
    for (const auto& defect : spec.fixes.defects) {
      define("GAUNTLET_FIX_" + defect.fix,
             std::ranges::count(copy.form.missing, defect.fix) == 0 ? 1 : 0);
    }
    if (!spec.types.empty()) {
      define(fmt::format("GAUNTLET_T_{}", name(copy.instance.in)), 1);
      define(fmt::format("GAUNTLET_ACC_{}", name(copy.instance.acc)), 1);
      define(fmt::format("GAUNTLET_OP_{}", spelling_of(copy.instance.op)), 1);
    }
    text += fmt::format("namespace {} {{\n", space_of(spec, copy));
    if (!spec.types.empty()) {
      const OperatorText words = operator_text(copy.instance.acc, copy.instance.op);
      text +=
          "#line 1 \"/gauntlet/operators/op.h\"\n";  // what it does is told where it is asked for
      text += fmt::format("using T = {};\nusing ACC = {};\n{}{}", spelled(copy.instance.in),
                          spelled(copy.instance.acc), volatile_text(copy.instance.acc),
                          words.functions);
      // A macro, so that what it does stands in the line that asks for it.
      text += fmt::format("#define ATOMIC_OP(cell, value) {}\n", words.atomic);
      defined.emplace_back("ATOMIC_OP");
    }
    const auto constants = constants_of(spec, copy.form.name, copy.instance);
    for (std::size_t k = 0; k < copy.values.size(); ++k) {
      define(constants[k].name, copy.values[k]);
    }
    text += fmt::format("#include \"{}\"\n", absolute.string());
    std::string taken;
    for (const LaunchStatement& launch : spec.launches) {
      const std::string& entry = launch.entry.empty() ? spec.entry : launch.entry;
      if (!spec.host && entry.find('<') != entry.npos) taken += "(void*)&" + entry + ", ";
    }
    if (!taken.empty()) text += fmt::format("void* gauntlet_kernels[] = {{{}nullptr}};\n", taken);
    text += "}\n";
    for (const std::string& name : defined) text += fmt::format("#undef {}\n", name);
  }
  return text;
}

std::string source_of_form(const Spec& spec, const gauntlet::Form& form, const std::string& path,
                           std::string_view source) {
  check_fixes(spec, path, source);
  check_types(path, source);
  return decided(source, path, asked_words(spec, form, instances_of(spec, form.name).front()));
}

}  // namespace gauntlet::spec
