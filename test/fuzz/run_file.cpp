// What lies between a MoM and its shepherds: orders and journals of run files, requests and answers, and lines of
// /proc/PID/stat. What was read is printed and read again as the same.
#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/process_table.hpp"
#include "actors/mom/host/run_journal.hpp"
#include "actors/mom/host/user_request.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::text_of(data, size);
  const auto order_size = mom::order_size(bytes);
  fuzz::require(order_size <= bytes.size(), "an order longer than its file", bytes);
  if (const auto order = mom::parse_order(bytes.substr(0, order_size)))
    fuzz::require(mom::parse_order(mom::print_order(*order)) == order, "the order differs", bytes);
  fuzz::require(mom::parts_of(bytes, "12.borg.1").journal_at <= bytes.size(), "a journal behind its file", bytes);
  const auto journal = mom::parse_journal(bytes.substr(order_size));
  const auto marked = mom::parse_journal(mom::marked(bytes.substr(order_size), "0f"), "0f");
  fuzz::require(marked.ended == journal.ended && marked.log == journal.log, "a mark changes what is read", bytes);
  if (journal.failed)
    fuzz::require(mom::parse_journal(mom::line_of(*journal.failed)).failed == journal.failed, "the failure differs",
                  bytes);
  if (journal.ended)
    fuzz::require(mom::parse_journal(mom::line_of(*journal.ended)).ended == journal.ended, "the end differs", bytes);
  if (journal.claimed)
    fuzz::require(mom::parse_journal(mom::line_of(*journal.claimed)).claimed == journal.claimed, "the claim differs",
                  bytes);
  if (const auto request = mom::parse_request(bytes))
    fuzz::require(mom::parse_request(mom::print_request(*request)) == request, "the request differs", bytes);
  if (const auto answer = mom::parse_answer(bytes))
    fuzz::require(mom::parse_answer(mom::print_answer(*answer)) == answer, "the answer differs", bytes);
  mom::parse_stat(bytes);
  return 0;
}
