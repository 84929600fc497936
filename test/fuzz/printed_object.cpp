// The packed attributes of a stat reply, well-formed or not: every printer ends, and reads no further than the bytes.
#include <cstdint>
#include <memory>
#include <string>

#include "tools/client/print/full.hpp"
#include "tools/client/print/job_table.hpp"
#include "tools/client/print/json.hpp"
#include "tools/client/print/manager_text.hpp"
#include "tools/client/print/nodes.hpp"
#include "tools/client/print/queue_table.hpp"

using namespace annals::client;
using annals::schema::ObjectKind;

namespace {

void print_job(std::string& out, const object_view& o) {
  job_table({.wide = false, .percent = true}).row(out, o);
  for (const size_unit unit : {size_unit::as_given, size_unit::gigabytes, size_unit::megawords}) {
    job_list({.comments = true, .hosts = true, .estimates = true, .unit = unit}, 1795216297).row(out, o);
  }
}

void print_nodes(std::string& out, const object_view& o) {
  node_printer printer;
  const object_view both[] = {o, {"other", o.packed}};
  for (const host_group& host : group_by_host(both)) {
    const node_lines lines = lines_of(host, printer.names());
    printer.block(out, host.name, lines);
    printer.dsv(out, host.name, lines, ";");
    json_document document("nodes");
    node_printer::json(out, document, host.name, lines);
    put_summary(out, host.name, lines, {.jobs = true}, {});
    put_summary(out, host.name, lines, {}, {});
    put_unavailable(out, host);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A block of its own, so that reading beyond it is seen.
  const std::unique_ptr<char[]> bytes(new char[size]);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(data[i]);
  const object_view o{"1.vm", {bytes.get(), size}};
  std::string out;
  print_job(out, o);
  print_nodes(out, o);
  queue_table::row(out, o);
  server_table::row(out, o);
  queue_list(size_unit::gigabytes).row(out, o);
  for (const ObjectKind kind :
       {ObjectKind::JOB, ObjectKind::QUEUE, ObjectKind::SERVER, ObjectKind::NODE, ObjectKind::RESOURCE}) {
    full_printer(kind, "X: ", true).put(out, o);
    dsv_printer(kind, "X: ", "|", false).put(out, o);
    json_printer(kind, "X").put(out, o);
    const manager_printer printer(kind, {});
    printer.list(out, o);
    printer.print(out, o);
  }
  return 0;
}
