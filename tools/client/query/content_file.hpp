// The files that qmgr imports hooks from and exports them to.
#pragma once

#include <string>

namespace annals::client {

// "-" is standard input, up to an empty line when it holds base64. Not 0: errno.
int read_content(const std::string& file, bool base64, std::string& text);
int write_content(const std::string& file, const std::string& text);

}  // namespace annals::client
