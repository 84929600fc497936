// The command line of a job's qsub, as PBS shows it to hooks: `executable` is the program itself, `Submit_arguments` has JSDL's
// marks around each word, though commands show it plain. Other attributes are shown as they are.
#pragma once

#include <string>
#include <string_view>

namespace annals::hooks::py {

std::string shown_command(std::string_view attribute, std::string_view kept);
std::string kept_command(std::string_view attribute, std::string_view shown);  // and back

}  // namespace annals::hooks::py
