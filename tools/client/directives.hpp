// The #PBS lines of a job script (pbs guide: qsub). Pure. Directives stand before the first line that is neither blank
// nor a comment; each is a prefix and options as on a command line, where quotes join words. One that ends in a backslash
// goes on in the next line, which has no prefix. Only qsub knows what they mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace annals::client {

constexpr std::string_view default_directive_prefix = "#PBS";

struct directive_scan {
  std::vector<std::string> lines;  // the text behind the prefix of each directive, in order, without outer blanks
  bool has_cr_lf = false;          // a line ended in CR LF: PBS refuses the script
};
// An empty prefix turns directives off (qsub -C "").
directive_scan scan_directives(std::string_view script, std::string_view prefix = default_directive_prefix);

// Splits into words at blanks; '...' and "..." join, as does a backslash before a blank, quote or backslash. A quote that
// is not closed ends with the text; `unmatched` tells of it.
std::vector<std::string> split_words(std::string_view text, bool* unmatched = nullptr);

}  // namespace annals::client
