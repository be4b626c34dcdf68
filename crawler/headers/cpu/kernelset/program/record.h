// Launches as their author made them: what a kernel was given, and what memory held before and after. Of many launches of
// an instantiation those are kept that differ in their configuration, their numbers or the sizes of their memory.
//   record LAUNCH KERNEL TEST GX GY GZ BX BY BZ SHARED NANOSECONDS
//   arguments [T = float]                    of its template; nothing for none
//   parameter KIND SIZE ALIGN POINTEE POINTEE_SIZE POINTEE_CONST TYPE, then its bytes
//   pointer PARAMETER AT BUFFER OFFSET       what stands AT that byte of a parameter
//   link BUFFER AT TARGET OFFSET             the same within a buffer
//   buffer SIZE CHANGED                      then its bytes before, and those after where they are others
//   done
#pragma once

KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
namespace kernelset {

constexpr unsigned most_records = 16;  // of an instantiation
constexpr unsigned first_records = 8;  // from then on only one in so many as there were before
constexpr size_t most_record_bytes = 4 << 20, most_recorded_bytes = 40 << 20;
constexpr size_t most_record_buffers = 48, most_links = 4096, most_searched_bytes = 1 << 20;
constexpr size_t most_record_keys = 1 << 16;

struct RecordedPlace {
  size_t owner, at, buffer;
  long long offset;
};
struct RecordedContent {
  int allocation;
  std::string before;
  bool may_hold_pointers;
};
struct Record {
  bool is_open = false;
  std::string parameters;
  size_t bytes = 0;
  std::vector<RecordedContent> contents;
  std::vector<RecordedPlace> pointers, links;
};
struct RecordedInstance {
  unsigned record_count = 0, distinct = 0;
  std::map<unsigned long long, unsigned> launches_by_key;
};
static Record& current_record() {
  static auto* record = new Record();
  return *record;
}
static std::map<std::pair<int, int>, RecordedInstance>& recorded_instances() {
  static auto* all = new std::map<std::pair<int, int>, RecordedInstance>();
  return *all;
}
static size_t recorded_bytes;
static FILE* record_file() {
  static FILE* file = nullptr;
  static bool is_asked = false;
  if (is_asked) return file;
  is_asked = true;
  const char* path = getenv("KERNELSET_RECORD");
  const int descriptor = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
  file = descriptor < 0 ? nullptr : fdopen(descriptor, "a");
  return file;
}

// the allocation that a word of memory points into; -1 for any other word
static int pointed_allocation(const char* place, long long& offset) {
  const char* to;
  memcpy(&to, place, sizeof(to));
  const int number = allocation_at(to);
  if (number < 0 || allocations()[number].is_freed) return -1;
  offset = to - allocations()[number].base;
  return number;
}
static bool is_class_or_pointer(char kind) { return kind == 'p' || kind == 'c'; }
template <class AddPointer>
static void find_pointers(const char* place, size_t size, AddPointer add_pointer) {
  for (size_t at = 0; at + sizeof(void*) <= size; at += sizeof(void*)) {
    long long offset;
    const int number = pointed_allocation(place + at, offset);
    if (number >= 0) add_pointer(at, number, offset);
  }
}
// what two launches have in common that differ in the contents of their memory alone
static unsigned long long key_of(const PassedArgument* arguments, unsigned count) {
  unsigned long long key = digest_begin;
  const auto add = [&](const void* place, size_t size) {
    for (size_t at = 0; at < size; ++at) add_to_digest(key, static_cast<const unsigned char*>(place)[at]);
  };
  const unsigned shape[] = {gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z, unsigned(dynamic_bytes)};
  add(shape, sizeof(shape));
  for (unsigned which = 0; which < count; ++which) {
    const char* place = static_cast<const char*>(arguments[which].place);
    std::string bytes(place, arguments[which].type.size);
    if (is_class_or_pointer(arguments[which].type.kind)) {
      find_pointers(place, bytes.size(), [&](size_t at, int number, long long offset) {
        const unsigned long long target = allocations()[number].size * 31 + static_cast<unsigned long long>(offset);
        memcpy(&bytes[at], &target, sizeof(target));
      });
    }
    add(bytes.data(), bytes.size());
  }
  return key;
}
static bool is_power_of_two(unsigned number) { return !(number & (number - 1)); }
static bool is_wanted(const PassedArgument* arguments, unsigned count) {
  RecordedInstance& instance = recorded_instances()[{entered_kernel, entered_instance}];
  if (instance.record_count >= most_records || recorded_bytes >= most_recorded_bytes) return false;
  if (instance.launches_by_key.size() >= most_record_keys) return false;
  const unsigned times = ++instance.launches_by_key[key_of(arguments, count)];
  // the same again has other contents now and then
  if (times > 1) return times == 8 || times == 64;
  const unsigned distinct = ++instance.distinct;
  return distinct <= first_records || is_power_of_two(distinct);
}
static size_t add_content(Record& record, int number, bool may_hold_pointers) {
  for (size_t at = 0; at < record.contents.size(); ++at) {
    if (record.contents[at].allocation != number) continue;
    record.contents[at].may_hold_pointers |= may_hold_pointers;
    return at;
  }
  record.bytes += allocations()[number].size;
  record.contents.push_back({number, {}, may_hold_pointers});
  return record.contents.size() - 1;
}
static bool is_within_bounds(const Record& record) {
  return record.bytes <= most_record_bytes && record.contents.size() <= most_record_buffers && record.links.size() <= most_links;
}
static void add_parameter(Record& record, size_t which, const PassedArgument& argument) {
  const Parameter& type = argument.type;
  char head[128];
  snprintf(head, sizeof(head), "parameter %c %u %u %c %u %d ", type.kind, type.size, type.align,
           type.pointee ? type.pointee : '-', type.pointee_size, type.pointee_const);
  const char* place = static_cast<const char*>(argument.place);
  record.parameters += head;
  record.parameters += type.type;
  record.parameters += '\n';
  record.parameters.append(place, type.size);
  record.parameters += '\n';
  if (!is_class_or_pointer(type.kind)) return;
  const bool may_hold_pointers = type.kind == 'c' || is_class_or_pointer(type.pointee);
  find_pointers(place, type.size, [&](size_t at, int number, long long offset) {
    record.pointers.push_back({which, at, add_content(record, number, may_hold_pointers), offset});
  });
}
static void follow_links(Record& record) {
  // a list that grows while it is walked
  for (size_t which = 0; which < record.contents.size() && is_within_bounds(record); ++which) {
    const Allocation own = allocations()[record.contents[which].allocation];
    if (!record.contents[which].may_hold_pointers || own.size > most_searched_bytes) continue;
    find_pointers(own.base, own.size, [&](size_t at, int number, long long offset) {
      if (is_within_bounds(record)) record.links.push_back({which, at, add_content(record, number, true), offset});
    });
  }
}
static void take_record(Record& record, const PassedArgument* arguments, unsigned count) {
  for (unsigned which = 0; which < count && is_within_bounds(record); ++which) add_parameter(record, which, arguments[which]);
  follow_links(record);
  if (!is_within_bounds(record)) return;
  for (RecordedContent& content : record.contents) {
    const Allocation& own = allocations()[content.allocation];
    content.before.assign(own.base, own.size);
  }
  record.is_open = true;
}
// when the first thread of a launch begins: what it is given has the types of the kernel's own parameters
static void begin_record(const PassedArgument* arguments, unsigned count) {
  Record& record = current_record();
  record = {};
  if (!record_file()) return;
  // what we read here no thread of the kernel has read
  is_in_kernel = false;
  if (is_wanted(arguments, count)) take_record(record, arguments, count);
  is_in_kernel = true;
}
static void write_places(FILE* file, const char* word, const std::vector<RecordedPlace>& places) {
  for (const RecordedPlace& place : places) {
    fprintf(file, "%s %zu %zu %zu %lld\n", word, place.owner, place.at, place.buffer, place.offset);
  }
}
static void write_record(FILE* file, const Record& record, long long nanoseconds) {
  fprintf(file, "record %llu %d %d %u %u %u %u %u %u %zu %lld\n", launches_begun, entered_kernel, running_test, gridDim.x,
          gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z, dynamic_bytes, nanoseconds);
  fprintf(file, "arguments %s\n", arguments_of(entered_signature).c_str());
  fwrite(record.parameters.data(), 1, record.parameters.size(), file);
  write_places(file, "pointer", record.pointers);
  write_places(file, "link", record.links);
  for (const RecordedContent& content : record.contents) {
    const Allocation& own = allocations()[content.allocation];
    const bool is_changed = memcmp(own.base, content.before.data(), own.size);
    fprintf(file, "buffer %zu %d\n", own.size, is_changed);
    fwrite(content.before.data(), 1, own.size, file);
    if (is_changed) fwrite(own.base, 1, own.size, file);
  }
  fputs("done\n", file);
  fflush(file);
}
static void end_record(bool is_sound, long long nanoseconds) {
  Record& record = current_record();
  if (record.is_open && is_sound) {
    write_record(record_file(), record, nanoseconds);
    recorded_bytes += 2 * record.bytes + record.parameters.size();
    ++recorded_instances()[{entered_kernel, entered_instance}].record_count;
  }
  record = {};
}

}  // namespace kernelset
KS_SELDOM_END
KS_RUNTIME_END
