#include "tools/client/print/full.hpp"

#include "tools/client/print/shown.hpp"

namespace annals::client {
namespace {

constexpr std::size_t width = 79, tab_columns = 8;
constexpr std::string_view indent = "    ";
constexpr std::string_view next_line = "\n\t";

// Puts `piece` at `column` and answers the column after it.
std::size_t put_piece(std::string& out, std::string_view piece, std::size_t column) {
  while (column + piece.size() > width) {
    const std::size_t fits = column < width ? width - column : 0;
    out.append(piece.substr(0, fits)).append(next_line);
    piece.remove_prefix(fits);
    column = tab_columns;
  }
  out.append(piece);
  return column + piece.size();
}

}  // namespace

void put_wrapped(std::string& out, std::string_view value, std::size_t column) {
  if (column + value.size() <= width) {
    out.append(value);
    return;
  }
  for (bool first = true; !value.empty(); first = false) {
    const auto comma = value.find(',');
    const std::string_view piece = value.substr(0, comma == std::string_view::npos ? comma : comma + 1);
    value.remove_prefix(piece.size());
    if (!first && column + piece.size() > width) {
      out.append(next_line);
      column = tab_columns + 1;
    }
    column = put_piece(out, piece, column);
  }
}

void put_attribute_name(std::string& out, const label& l, std::string_view resource) {
  out.append(l.name);
  if (!resource.empty()) {
    out.push_back('.');
    out.append(resource);
  }
}

full_printer::full_printer(schema::ObjectKind kind, std::string_view heading, bool wrap)
    : labels_(kind), heading_(heading), wrap_(wrap) {}

void full_printer::put(std::string& out, const object_view& object) {
  out.append(heading_).append(object.name).push_back('\n');
  for_each_attribute(object.packed, [&](const attributes::entry& e) {
    const label* l = labels_.find(e.id);
    if (!l) return;
    const std::size_t line = out.size();
    out.append(indent);
    put_attribute_name(out, *l, e.resource);
    out.append(" = ");
    const shown value(is_date(*l, e.resource) ? dates_.of(e.value) : e.value, line_ends::continue_line);
    if (wrap_)
      put_wrapped(out, value, out.size() - line);
    else
      out.append(std::string_view(value));
    out.push_back('\n');
  });
  out.push_back('\n');
}

dsv_printer::dsv_printer(schema::ObjectKind kind, std::string_view heading, std::string_view delimiter,
                         bool epoch_dates)
    : labels_(kind), heading_(heading), delimiter_(delimiter), epoch_dates_(epoch_dates) {}

void dsv_printer::put(std::string& out, const object_view& object) {
  out.append(heading_);
  put_value(out, object.name);
  for_each_attribute(object.packed, [&](const attributes::entry& e) {
    const label* l = labels_.find(e.id);
    if (!l) return;
    out.append(delimiter_);
    put_attribute_name(out, *l, e.resource);
    out.push_back('=');
    put_value(out, !epoch_dates_ && is_date(*l, e.resource) ? dates_.of(e.value) : e.value);
  });
  out.push_back('\n');
}

// One object is one line, so a line end is escaped as the delimiter is.
void dsv_printer::put_value(std::string& out, std::string_view value) const {
  const shown printable(value, line_ends::kept);
  for (std::string_view rest = printable; !rest.empty();) {
    if (!delimiter_.empty() && rest.starts_with(delimiter_)) {
      out.append("\\").append(delimiter_);
      rest.remove_prefix(delimiter_.size());
      continue;
    }
    if (rest.front() == '\n') out.append("\\n");
    else if (rest.front() == '\\') out.append("\\\\");
    else out.push_back(rest.front());
    rest.remove_prefix(1);
  }
}

}  // namespace annals::client
