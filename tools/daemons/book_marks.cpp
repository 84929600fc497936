#include "tools/daemons/book_marks.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "projections/accounting/checkpoint_mark.hpp"
#include "projections/mail/mail_spool.hpp"

namespace annals::daemons {

namespace {
std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
}  // namespace

std::uint64_t books_are_at(const std::string& priv) {
  const auto lines = projections::newest_mark(content_of(priv + "/views/accounting"));
  const auto mails = projections::newest_mail_mark(content_of(priv + "/mail/mark"));
  const auto mailed = mails.generation == 0 ? UINT64_MAX : mails.done.sequence - 1;
  return lines ? std::min(lines->sequence, mailed) : 0;
}

}  // namespace annals::daemons
