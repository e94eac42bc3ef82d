#include "race_report.hpp"

#ifdef ROOFTUNE_HOST_RACE

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "sanitizer_fibers.hpp"

// ThreadSanitizer's interface for debuggers, which no header declares.
extern "C" {
int __tsan_get_report_data(void* report, const char** description, int* count, int* stack_count,
                           int* mop_count, int* loc_count, int* mutex_count, int* thread_count,
                           int* unique_tid_count, void** sleep_trace, std::size_t trace_size);
int __tsan_get_report_mop(void* report, std::size_t index, int* tid, void** address, int* size,
                          int* write, int* atomic, void** trace, std::size_t trace_size);
int __tsan_get_report_thread(void* report, std::size_t index, int* tid, int* os_id, int* running,
                             const char** name, int* parent_tid, void** trace,
                             std::size_t trace_size);
void __sanitizer_symbolize_pc(void* pc, const char* format, char* out, std::size_t out_bytes);
}

namespace rooftune_host {

namespace {

// Plain memory: the callback must not allocate.
struct Place {
  char file[1024] = "";
  int line = 0;
};

struct Race {
  bool seen = false;
  void* fiber = nullptr;  ///< of the thread that ran into it, no longer watched
  Place where;
  char text[4096] = "";
};
Race race;

bool is_ours(const char* file) {
  for (const char* part : {"/prelude/", "/shadow/", "/calls.hpp", "libsanitizer", "/c++/"}) {
    if (std::strstr(file, part) != nullptr) {
      return true;
    }
  }
  return file[0] == '\0' || file[0] == '<';
}

/// The innermost place of a stack that is the kernel's own; a call that was inlined has several.
Place place_of(void* const* trace, std::size_t trace_size) {
  Place first;
  for (std::size_t i = 0; i < trace_size && trace[i] != nullptr; ++i) {
    char frames[4096] = "";
    __sanitizer_symbolize_pc(trace[i], "%S", frames, sizeof frames);
    for (const char* frame = frames; *frame != '\0'; frame += std::strlen(frame) + 1) {
      Place place;
      std::snprintf(place.file, sizeof place.file, "%s", frame);
      // FILE:LINE or FILE:LINE:COLUMN
      for (char* colon = std::strrchr(place.file, ':');
           colon != nullptr && std::strspn(colon + 1, "0123456789") == std::strlen(colon + 1);
           colon = std::strrchr(place.file, ':')) {
        place.line = std::atoi(colon + 1);
        *colon = '\0';
      }
      if (!is_ours(place.file)) {
        return place;
      }
      first = first.line == 0 ? place : first;
    }
  }
  return first;
}

const char* thread_name(void* report, int threads, int wanted) {
  for (int i = 0; i < threads; ++i) {
    int tid = 0;
    int os_id = 0;
    int running = 0;
    int parent = 0;
    const char* name = nullptr;
    void* trace[1] = {};
    __tsan_get_report_thread(report, static_cast<std::size_t>(i), &tid, &os_id, &running, &name,
                             &parent, trace, 1);
    if (tid == wanted && name != nullptr && *name != '\0') {
      return name;
    }
  }
  return "the host";
}

struct Access {
  int tid = 0;
  int size = 0;
  int write = 0;
  int atomic = 0;
  Place place;
};

Access access_of(void* report, int index) {
  Access access;
  void* address = nullptr;
  void* trace[32] = {};
  __tsan_get_report_mop(report, static_cast<std::size_t>(index), &access.tid, &address,
                        &access.size, &access.write, &access.atomic, trace, 32);
  access.place = place_of(trace, 32);
  return access;
}

void describe(void* report) {
  const char* description = nullptr;
  int count = 0;
  int stacks = 0;
  int accesses = 0;
  int locations = 0;
  int mutexes = 0;
  int threads = 0;
  int tids = 0;
  void* sleep[1] = {};
  __tsan_get_report_data(report, &description, &count, &stacks, &accesses, &locations, &mutexes,
                         &threads, &tids, sleep, 1);
  std::size_t used = 0;
  for (int i = 0; i < accesses && used < sizeof race.text; ++i) {
    const Access access = access_of(report, i);
    if (i == 0) {
      race.where = access.place;
    }
    used += static_cast<std::size_t>(std::snprintf(
        race.text + used, sizeof race.text - used, "%s%s%s of %d bytes at %s:%d by %s",
        i == 0 ? "" : ", unordered with the ", access.atomic != 0 ? "atomic " : "",
        access.write != 0 ? "write" : "read", access.size, access.place.file, access.place.line,
        thread_name(report, threads, access.tid)));
  }
}

void record(void* report) {
  if (!race.seen) {
    race.seen = true;
    race.fiber = __tsan_get_current_fiber();
    describe(report);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
}

}  // namespace

bool race_seen() {
  return race.seen;
}

RaceFound take_race() {
  void* const own = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(race.fiber, 1);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  __tsan_switch_to_fiber(own, 1);
  race.seen = false;
  return {race.text, race.where.file, race.where.line};
}

}  // namespace rooftune_host

extern "C" {

/// Called by ThreadSanitizer after it has printed a report.
void __tsan_on_report(void* report) {
  rooftune_host::record(report);
}

/// A race in each launch is news, also where an earlier launch had the same. It is in the launch's
/// report, so the process need not end with an error for it.
const char* __tsan_default_options() {
  return "suppress_equal_stacks=0:suppress_equal_addresses=0:exitcode=0";
}
}

#endif
