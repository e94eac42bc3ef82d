// What a variant's process found out, a line each, in the job's result file. Lines are written as
// they come, so that they survive a crash.
//
//     launched                          the first launch has returned
//     fault KIND<TAB>FILE<TAB>LINE<TAB>MESSAGE    a barrier error and the like
//     overrun TEXT                      a canary was overwritten
//     count NAME VALUE                  of memory accesses, in the count build
//     census NAME UNWRITTEN NAN FIRST_NAN COUNT   of a reference's output
//     wrong NAME COUNT TEXT             elements that do not match, and the first of them
//     error SIZE TEXT                   the largest error that was seen
//     verified SECONDS                  the comparison took so long
//     sample CPU WALL                   seconds of a launch
//     note TEXT
//     crash SIGNAL PC ADDRESS TEXT      from the signal's handler
//     failed TEXT                       the process itself could not do its job
//     done
#pragma once

#include <string>
#include <vector>

#include "tuner/device/host/child/buffer.hpp"

namespace rooftune::host_child {

/// Opens the file for appending. Throws std::runtime_error.
void open_findings(const std::string& file);
/// Appends a line; newlines in it become blanks.
void report(std::string line);
/// Tells the parent that the process gets ahead.
void beat();

/// From now on, a crash is reported with the buffer that the address is near. Does nothing in the
/// builds whose sanitizer reports crashes. `buffers` must live on.
void report_crashes(const std::vector<Buffer>& buffers);
/// Gives the calling OS thread a stack for the handler, once.
void prepare_thread_for_crashes();

}  // namespace rooftune::host_child
