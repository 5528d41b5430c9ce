// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads what `gauntlet check --json report.json` wrote (docs/json.md): read_report report.json
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "read_report report.json\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  const auto report = nlohmann::json::parse(file);
  for (const auto& form : report.at("forms")) {
    std::cout << form.at("variant").get<std::string>() << '@' << form.at("form").get<std::string>()
              << ": " << form.at("outcome").get<std::string>() << '\n';
    for (const auto& example : form.at("counterexamples")) {
      std::cout << "  " << example.at("case").get<std::string>() << '\n';
      for (const auto& finding : example.at("findings")) {
        std::cout << "    " << finding.at("kind").get<std::string>() << ' '
                  << finding.at("array").get<std::string>() << '\n';
      }
    }
  }
}
