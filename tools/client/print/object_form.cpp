#include "tools/client/print/object_form.hpp"

#include <map>

#include "tools/client/print/full.hpp"
#include "tools/client/print/json.hpp"
#include "tools/client/print/queue_table.hpp"

namespace annals::client {
namespace {

class full : public object_form {
 public:
  full(schema::ObjectKind kind, std::string_view heading, bool wrap) : printer_(kind, heading, wrap) {}
  void put(std::string& out, const object_view& o) override { printer_.put(out, o); }

 private:
  full_printer printer_;
};

class dsv : public object_form {
 public:
  dsv(schema::ObjectKind kind, std::string_view heading, std::string_view delimiter)
      : printer_(kind, heading, delimiter, false) {}
  void put(std::string& out, const object_view& o) override { printer_.put(out, o); }

 private:
  dsv_printer printer_;
};

class json : public object_form {
 public:
  json(schema::ObjectKind kind, std::string_view group, std::int64_t now, std::string version, std::string server)
      : printer_(kind, group), now_(now), version_(std::move(version)), server_(std::move(server)) {}
  void put(std::string& out, const object_view& o) override {
    begin(out);
    printer_.put(out, o);
  }
  void end(std::string& out, bool failed) override {
    if (failed && !begun_) return;
    begin(out);
    printer_.end(out);
  }

 private:
  void begin(std::string& out) {
    if (!begun_) printer_.begin(out, now_, version_, server_);
    begun_ = true;
  }
  json_printer printer_;
  std::int64_t now_;
  std::string version_, server_;
  bool begun_ = false;
};

// A table whose heading stands before its first row.
class headed : public object_form {
 public:
  void put(std::string& out, const object_view& o) final {
    if (!any_) heading(out);
    any_ = true;
    row(out, o);
  }
  void end(std::string& out, bool) final {
    if (any_) foot(out);
  }

 protected:
  virtual void heading(std::string& out) = 0;
  virtual void row(std::string& out, const object_view& o) = 0;
  virtual void foot(std::string&) {}

 private:
  bool any_ = false;
};

class jobs : public headed {
 public:
  explicit jobs(job_table_options options) : table_(options) {}
  std::span<const attributes::attribute_id> wanted() const override { return job_table::wanted(); }

 private:
  void heading(std::string& out) override { table_.heading(out); }
  void row(std::string& out, const object_view& o) override { table_.row(out, o); }
  job_table table_;
};

class listed_jobs : public headed {
 public:
  listed_jobs(job_list_options options, std::int64_t now, std::string server)
      : list_(options, now), ordered_(options.estimates && options.by_start), server_(std::move(server)) {}
  std::span<const attributes::attribute_id> wanted() const override { return job_list::wanted(); }

 private:
  void heading(std::string& out) override { list_.heading(out, server_); }
  void row(std::string& out, const object_view& o) override {
    if (ordered_) list_.row(rows_.emplace(job_list::start_of(o), "")->second, o);
    else list_.row(out, o);
  }
  void foot(std::string& out) override {
    for (const auto& [start, text] : rows_) out += text;
  }
  job_list list_;
  bool ordered_;
  std::multimap<std::int64_t, std::string> rows_;  // of equal ones the first stays first
  std::string server_;
};

template <class Table>
class fixed_table : public headed {
 public:
  std::span<const attributes::attribute_id> wanted() const override { return Table::wanted(); }

 private:
  void heading(std::string& out) override { Table::heading(out); }
  void row(std::string& out, const object_view& o) override { Table::row(out, o); }
};

class listed_queues : public headed {
 public:
  listed_queues(size_unit unit, std::string server) : list_(unit), server_(std::move(server)) {}
  std::span<const attributes::attribute_id> wanted() const override { return queue_list::wanted(); }

 private:
  void heading(std::string& out) override { queue_list::heading(out, server_); }
  void row(std::string& out, const object_view& o) override { list_.row(out, o); }
  void foot(std::string& out) override { list_.sum(out); }
  queue_list list_;
  std::string server_;
};

}  // namespace

void object_form::end(std::string&, bool) {}

object_form_ptr full_form(schema::ObjectKind kind, std::string_view heading, bool wrap) {
  return std::make_unique<full>(kind, heading, wrap);
}
object_form_ptr dsv_form(schema::ObjectKind kind, std::string_view heading, std::string_view delimiter) {
  return std::make_unique<dsv>(kind, heading, delimiter);
}
object_form_ptr json_form(schema::ObjectKind kind, std::string_view group, std::int64_t now, std::string version,
                          std::string server) {
  return std::make_unique<json>(kind, group, now, std::move(version), std::move(server));
}
object_form_ptr job_table_form(job_table_options options) { return std::make_unique<jobs>(options); }
object_form_ptr job_list_form(job_list_options options, std::int64_t now, std::string server) {
  return std::make_unique<listed_jobs>(options, now, std::move(server));
}
object_form_ptr queue_table_form() { return std::make_unique<fixed_table<queue_table>>(); }
object_form_ptr queue_list_form(size_unit unit, std::string server) {
  return std::make_unique<listed_queues>(unit, std::move(server));
}
object_form_ptr server_table_form() { return std::make_unique<fixed_table<server_table>>(); }

}  // namespace annals::client
