// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/launch/call.hpp"

namespace gauntlet {

CallResult run(Device& device, const Call& call) {
  std::vector<Address> addresses;
  for (const ArrayContent& content : call.arrays) {
    Array array;
    array.name = content.name;
    array.bytes = content.bytes.size();
    array.element_bytes = content.element_bytes;
    array.output = array.unwritten = !content.given;
    addresses.push_back(device.allocate(array));
    if (content.given) device.write(addresses.back(), content.bytes);
  }
  LaunchReport report = device.launch(call, addresses);
  CallResult result;
  result.completed = report.completed;
  result.findings = std::move(report.findings);
  result.arrays = call.arrays;
  for (std::size_t k = 0; k < addresses.size(); ++k) {
    ArrayContent& array = result.arrays[k];
    if (!array.bytes.empty()) device.read(addresses[k], array.bytes);
    for (const CellState state : device.states(addresses[k], array.element_bytes, array.bytes)) {
      array.defined.push_back(state == CellState::defined);
    }
  }
  return result;
}

}  // namespace gauntlet
