// A run as a record of Usage Record 2.0, the XML in which grids exchange accounting.
//
// Source: OGF GFD.204, "Usage Record - Format Recommendation", and the schema of its namespace. Which element has what of a run:
// docs/howto/accounting_formats.md.
#pragma once

#include <string>

#include "projections/exports/row.hpp"

namespace annals::exporting {

// A document is the first of these, any number of records, and the last.
inline constexpr const char* usage_records_begin =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<ur:UsageRecords xmlns:ur=\"http://schema.ogf.org/urf/2013/04/urf\">\n";
inline constexpr const char* usage_records_end = "</ur:UsageRecords>\n";

// One line, of a row of `runs` that is final. A character that XML can't have stands there as U+FFFD.
std::string usage_record(const exports::row& run);

}  // namespace annals::exporting
