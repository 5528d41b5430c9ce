// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/forms.hpp"

#include <algorithm>

#include "machine/symbolic/terms.hpp"
#include "properties/oracle/element.hpp"

namespace gauntlet::spec {
namespace {

std::uint64_t hash_of(const Form& form) {
  std::uint64_t h =
      mix64(static_cast<std::uint64_t>(form.kind) << 16 | static_cast<std::uint64_t>(form.op) << 8 |
            static_cast<std::uint64_t>(form.type));
  h = mix64(h ^ form.element);
  for (const auto& [part, times] : form.parts) h = mix64(h ^ mix64(part + (times << 32)));
  return h;
}

bool equal(const Form& a, const Form& b) {
  return a.kind == b.kind && a.op == b.op && a.type == b.type && a.element == b.element &&
         a.parts == b.parts;
}

/// What a reduction of nothing, or of one part, is.
std::optional<FormId> without_reduction(const Parts& parts) {
  if (parts.empty()) return Forms::constant;
  const bool one = parts.size() == 1 && parts[0].second == 1;
  return one ? std::optional(parts[0].first) : std::nullopt;
}

}  // namespace

std::optional<FormId> Forms::find(const Form& form, std::uint64_t hash) const {
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (equal(forms_[it->second], form)) return it->second;
  }
  return std::nullopt;
}

FormId Forms::intern(Form form) {
  const auto hash = hash_of(form);
  if (const auto known = find(form, hash)) return *known;
  size_ += form.parts.size() + 1;
  forms_.push_back(std::move(form));
  const auto id = static_cast<FormId>(forms_.size() - 1);
  by_hash_.emplace(hash, id);
  return id;
}

Type Forms::type_of(Op op, Type of) {
  if (is_float(of)) return Type::f64;
  const bool adds = op == Op::sum || op == Op::product;
  return simt::symbolic::integer_type(adds ? size_of(of) : 8, !adds && is_signed(of));
}

FormId Forms::element(std::uint64_t number) {
  return intern({Form::Kind::element, Op::sum, Type::f64, number, 0, {}});
}

void Forms::add_atoms(FormId id, std::vector<FormId>& atoms) const {
  const Form& form = forms_[id];
  if (form.kind == Form::Kind::constant) return;
  if (form.kind != Form::Kind::function) {
    atoms.push_back(id);
    return;
  }
  for (const auto& [part, times] : form.parts) atoms.push_back(part);
}

FormId Forms::function(const std::vector<FormId>& of) {
  std::vector<FormId> atoms, all;
  ++round_;
  seen_.resize(forms_.size());
  for (const auto id : of) {
    all.clear();
    add_atoms(id, all);
    looked_at_ += all.size();
    for (const auto atom : all) {
      if (seen_[atom] != round_) atoms.push_back(atom);
      seen_[atom] = round_;
    }
  }
  if (atoms.empty()) return constant;
  std::sort(atoms.begin(), atoms.end());
  Form form;
  form.kind = Form::Kind::function;
  for (const auto id : atoms) form.parts.emplace_back(id, 1);
  return intern(std::move(form));
}

void Forms::normalise(Op op, Parts& parts) {
  std::sort(parts.begin(), parts.end());
  std::size_t count = 0;
  for (const auto& [part, times] : parts) {
    if (count != 0 && parts[count - 1].first == part)
      parts[count - 1].second += times;
    else
      parts[count++] = {part, times};
  }
  parts.resize(count);
  for (auto& [part, times] : parts) {
    if (op == Op::minimum || op == Op::maximum || part == constant) times = 1;
  }
}

FormId Forms::reduction(Op op, Type type, Parts parts, std::uint32_t role) {
  normalise(op, parts);
  if (const auto plain = without_reduction(parts)) return *plain;
  return intern({Form::Kind::reduction, op, type, 0, role, std::move(parts)});
}

std::optional<FormId> Forms::find(Op op, Type type, Parts parts) const {
  normalise(op, parts);
  if (const auto plain = without_reduction(parts)) return plain;
  const Form form{Form::Kind::reduction, op, type, 0, 0, std::move(parts)};
  return find(form, hash_of(form));
}

}  // namespace gauntlet::spec
