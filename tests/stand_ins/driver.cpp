// Stands for libamdhip64.so and, where it is called so, for libcuda.so: the module interface over a device that is a
// process. `device.txt` beside the library says what it is, one `name value` a line; without it, there is no device.
#include <fcntl.h>

#include "device.h"
#include "memory.h"

#define CALL(amd, nvidia)                                                \
  __asm__(".globl cu" #nvidia "\n.set cu" #nvidia ", hip" #amd); \
  extern "C" int hip##amd

namespace {

struct Settings {
  std::map<std::string, std::string> told;
  std::string folder;
  bool is_cuda;
  Settings() {
    Dl_info about;
    dladdr(reinterpret_cast<void*>(&all_read), &about);
    folder = std::string(about.dli_fname).substr(0, std::string(about.dli_fname).rfind('/'));
    is_cuda = strstr(about.dli_fname, "libcuda");
    FILE* file = fopen((folder + "/device.txt").c_str(), "r");
    char name[64], value[256];
    while (file && fscanf(file, "%63s %255[^\n]", name, value) == 2) told[name] = value;
    if (file) fclose(file);
  }
  std::string text(const char* name) const { return told.count(name) ? told.at(name) : ""; }
  long long number(const char* name, long long otherwise) const {
    return told.count(name) ? atoll(told.at(name).c_str()) : otherwise;
  }
};
const Settings& settings() {
  static const Settings all;
  return all;
}

struct Function {
  uint64_t place;
  Answer about;
};

class Device {
 public:
  Device() : memory(size_t(settings().number("memory", 1 << 30))) {
    void* place = mmap(nullptr, sizeof(Stamp) * most_stamps, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    stamps = static_cast<Stamp*>(place);
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) abort();
    process_ = fork();
    if (process_ == 0) {
      close(to[1]);
      close(from[0]);
      DeviceProcess(to[0], from[1], stamps, settings().folder + "/modules").serve();
    }
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
    signal(SIGPIPE, SIG_IGN);
  }
  ~Device() {
    close(to_);
    close(from_);
    if (!lost_) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    munmap(stamps, sizeof(Stamp) * most_stamps);
  }
  int send(Command command, const void* payload = nullptr, size_t bytes = 0) {
    command.bytes = unsigned(bytes);
    if (lost_) return lost_;
    if (all_written(to_, &command, sizeof(command)) && (!bytes || all_written(to_, payload, bytes))) return ok;
    return lose();
  }
  int ask(Command command, const void* payload, size_t bytes, Answer& answer) {
    if (const int error = send(command, payload, bytes)) return error;
    return all_read(from_, &answer, sizeof(answer)) ? answer.error : lose();
  }
  int wait() {
    Answer answer;
    return ask({settle, 0, {}, {}, 0, 0}, nullptr, 0, answer);
  }
  int wait_for(const Stamp& stamp) {
    while (!stamp.done) {
      int status = 0;
      if (lost_) return lost_;
      if (waitpid(process_, &status, WNOHANG) == process_) return lost_ = meaning(status);
      usleep(20);
    }
    return ok;
  }
  DeviceMemory memory;
  Stamp* stamps;
  unsigned stamps_given = 0;

 private:
  int lose() {
    int status = 0;
    if (!lost_ && waitpid(process_, &status, 0) == process_) lost_ = meaning(status);
    return lost_;
  }
  static int meaning(int status) {
    if (!WIFSIGNALED(status)) return launch_failed;
    const int number = WTERMSIG(status);
    const int error = number == SIGABRT ? asserted : number == SIGSEGV || number == SIGBUS ? illegal_address : launch_failed;
    // AMD's library ends its process when a kernel leaves its memory
    if (error == illegal_address && settings().number("aborts", 0)) abort();
    return error;
  }
  pid_t process_;
  int to_, from_, lost_ = 0;
};

bool initialised;
Device* device;
std::map<std::string, int> calls;

// `fail NAME:NTH:ERROR` refuses the NTH call of that name
int injected(const char* name) {
  const std::string wanted = settings().text("fail");
  const std::string now = std::string(name) + ":" + std::to_string(++calls[name]) + ":";
  return wanted.rfind(now, 0) == 0 ? atoi(wanted.c_str() + now.size()) : 0;
}
int usable(const char* name) {
  if (const int error = injected(name)) return error;
  return !initialised ? not_initialised : !device ? bad_device : ok;
}
#define USABLE(name) \
  if (const int error = usable(name)) return error

size_t elf_size(const unsigned char* image) {
  uint64_t sections;
  uint16_t size, count;
  memcpy(&sections, image + 0x28, 8);
  memcpy(&size, image + 0x3a, 2);
  memcpy(&count, image + 0x3c, 2);
  return size_t(sections) + size_t(size) * count;
}
// the path of a library that this machine can open; empty for an object of a real device; false for what is no object
bool placed(const unsigned char* image, std::string& path) {
  const bool is_elf = !memcmp(image, "\177ELF\2\1", 6);
  const bool is_text = strstr(reinterpret_cast<const char*>(image), ".entry") != nullptr;
  if (!is_elf) return settings().is_cuda && is_text;
  uint16_t machine;
  memcpy(&machine, image + 0x12, 2);
  if (machine == 224 || machine == 190) return (machine == 190) == settings().is_cuda;
  char name[] = "/tmp/stand-in-XXXXXX";
  const int file = mkstemp(name);
  const bool written = file >= 0 && all_written(file, image, elf_size(image));
  close(file);
  path = name;
  return written;
}
int attribute(int which) {
  static const std::map<int, std::pair<const char*, int>> amd = {
      {56, {"threads", 1024}}, {26, {"", 1024}}, {27, {"", 1024}}, {28, {"", 1024}}, {29, {"", 2147483647}},
      {30, {"", 65536}}, {31, {"", 65536}}, {74, {"shared", 65536}}, {87, {"warp", 64}}, {5, {"clock", 1700000}},
      {63, {"multiprocessors", 104}}, {60, {"memory_clock", 1600000}}, {59, {"bus", 4096}}, {19, {"l2", 8388608}},
      {23, {"major", 9}}, {61, {"minor", 0}}};
  static const std::map<int, std::pair<const char*, int>> nvidia = {
      {1, {"threads", 1024}}, {2, {"", 1024}}, {3, {"", 1024}}, {4, {"", 64}}, {5, {"", 2147483647}},
      {6, {"", 65535}}, {7, {"", 65535}}, {8, {"", 49152}}, {97, {"shared", 232448}}, {10, {"warp", 32}},
      {13, {"clock", 1980000}}, {16, {"multiprocessors", 132}}, {36, {"memory_clock", 3201000}}, {37, {"bus", 6144}},
      {38, {"l2", 62914560}}, {75, {"major", 9}}, {76, {"minor", 0}}};
  const auto& all = settings().is_cuda ? nvidia : amd;
  const auto found = all.find(which);
  return found == all.end() ? -1 : int(settings().number(found->second.first, found->second.second));
}

}  // namespace

CALL(Init, Init)(unsigned) {
  if (const int error = injected("Init")) return error;
  if (settings().told.empty()) return no_device;
  initialised = true;
  return ok;
}
CALL(DriverGetVersion, DriverGetVersion)(int* version) {
  *version = int(settings().number("version", settings().is_cuda ? 12080 : 60443484));
  return ok;
}
CALL(GetDeviceCount, DeviceGetCount)(int* count) {
  if (const int error = injected("GetDeviceCount")) return error;
  *count = int(settings().number("devices", 1));
  return *count || settings().is_cuda ? ok : no_device;
}
CALL(DeviceGet, DeviceGet)(int* number, int ordinal) {
  *number = ordinal;
  return ordinal < settings().number("devices", 1) ? ok : bad_device;
}
CALL(DeviceGetName, DeviceGetName)(char* name, int size, int) {
  snprintf(name, size_t(size), "%s", settings().text("name").c_str());
  return ok;
}
CALL(DeviceGetAttribute, DeviceGetAttribute)(int* value, int which, int) {
  *value = attribute(which);
  return *value < 0 ? bad_value : ok;
}
static int opened() {
  if (const int error = injected("SetDevice")) return error;
  if (!device) device = new Device;
  return ok;
}
extern "C" int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &device;
  return opened();
}
extern "C" int cuCtxSetCurrent(void* context) { return context == &device ? ok : bad_value; }
extern "C" int cuDevicePrimaryCtxRelease_v2(int) {
  delete device;
  device = nullptr;
  return ok;
}
extern "C" int cuFuncSetAttribute(void*, int which, int value) {
  return which == 8 && value <= attribute(97) ? ok : bad_value;
}
extern "C" int cuCtxResetPersistingL2Cache() { return device->send({reset_cache, 0, {}, {}, 0, 0}); }
extern "C" int cuGetErrorName(int number, const char** name) {
  *name = number == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR";
  return ok;
}
extern "C" int hipSetDevice(int) { return opened(); }
extern "C" const char* hipGetErrorName(int number) {
  return number == 700 ? "hipErrorIllegalAddress" : "hipError";
}
extern "C" int hipGetDevicePropertiesR0600(char* properties, int) {
  memset(properties, 0, 1472);
  snprintf(properties, 256, "%s", settings().text("name").c_str());
  snprintf(properties + 1160, 256, "%s", settings().text("arch").c_str());
  return ok;
}
CALL(DeviceSynchronize, CtxSynchronize)() {
  USABLE("DeviceSynchronize");
  return device->wait();
}
CALL(MemGetInfo, MemGetInfo_v2)(size_t* free, size_t* total) {
  USABLE("MemGetInfo");
  *free = device->memory.free_bytes();
  *total = device->memory.total();
  return ok;
}
CALL(Malloc, MemAlloc_v2)(void** place, size_t size) {
  USABLE("Malloc");
  *place = device->memory.allocate(size);
  return *place ? ok : no_memory;
}
CALL(Free, MemFree_v2)(void* place) {
  USABLE("Free");
  device->wait();
  return device->memory.free(place) ? ok : bad_value;
}
CALL(MemcpyHtoD, MemcpyHtoD_v2)(void* to, const void* from, size_t size) {
  USABLE("MemcpyHtoD");
  if (const int error = device->wait()) return error;
  if (!device->memory.holds(to, size)) return bad_value;
  memcpy(to, from, size);
  return ok;
}
CALL(MemcpyDtoH, MemcpyDtoH_v2)(void* to, const void* from, size_t size) {
  USABLE("MemcpyDtoH");
  if (const int error = device->wait()) return error;
  if (!device->memory.holds(from, size)) return bad_value;
  memcpy(to, from, size);
  return ok;
}
CALL(MemcpyDtoD, MemcpyDtoD_v2)(void* to, const void* from, size_t size) {
  USABLE("MemcpyDtoD");
  if (const int error = device->wait()) return error;
  if (!device->memory.holds(to, size) || !device->memory.holds(from, size)) return bad_value;
  memmove(to, from, size);
  return ok;
}
CALL(MemsetD8, MemsetD8_v2)(void* place, unsigned char byte, size_t size) {
  USABLE("MemsetD8");
  if (const int error = device->wait()) return error;
  if (!device->memory.holds(place, size)) return bad_value;
  memset(place, byte, size);
  // of AMD's cache no part is kept for whom a kernel likes
  return settings().is_cuda ? ok : device->send({reset_cache, 0, {}, {}, 0, 0});
}
CALL(ModuleLoadData, ModuleLoadData)(void** module, const void* image) {
  USABLE("ModuleLoadData");
  std::string path;
  if (!placed(static_cast<const unsigned char*>(image), path)) return bad_image;
  Answer answer;
  const int error = device->ask({load, 0, {}, {}, 0, 0}, path.c_str(), path.size() + 1, answer);
  *module = reinterpret_cast<void*>(answer.place);
  return error;
}
CALL(ModuleUnload, ModuleUnload)(void* module) {
  USABLE("ModuleUnload");
  return device->send({unload, reinterpret_cast<uint64_t>(module), {}, {}, 0, 0});
}
CALL(ModuleGetFunction, ModuleGetFunction)(void** function, void* module, const char* symbol) {
  USABLE("ModuleGetFunction");
  static std::map<uint64_t, Function> functions;
  Answer answer;
  const Command command = {find, reinterpret_cast<uint64_t>(module), {}, {}, 0, 0};
  const int error = device->ask(command, symbol, strlen(symbol) + 1, answer);
  if (!error) *function = &(functions[answer.place] = {answer.place, answer});
  return error;
}
CALL(FuncGetAttribute, FuncGetAttribute)(int* value, int which, void* function) {
  USABLE("FuncGetAttribute");
  const Answer& about = static_cast<Function*>(function)->about;
  *value = int(which == 0 ? about.most_threads : which == 1 ? about.static_shared : 0);
  return which == 0 || which == 1 ? ok : bad_value;
}
CALL(ModuleLaunchKernel, LaunchKernel)
(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void*,
 void** values, void**) {
  USABLE("ModuleLaunchKernel");
  const Answer& about = static_cast<Function*>(function)->about;
  const bool over = int(shared + about.static_shared) > attribute(settings().is_cuda ? 97 : 74) || bx * by * bz > about.most_threads;
  if (settings().number("silent", 0)) return ok;
  if (over) return launch_resources;
  std::string payload;
  for (unsigned at = 0; at < about.count; ++at) payload.append(static_cast<char*>(values[at]), about.sizes[at]);
  const Command command = {launch, about.place, {gx, gy, gz}, {bx, by, bz}, shared, 0};
  return device->send(command, payload.data(), payload.size());
}
CALL(EventCreateWithFlags, EventCreate)(void** event, unsigned) {
  USABLE("EventCreate");
  if (device->stamps_given == most_stamps) return no_memory;
  *event = &device->stamps[device->stamps_given++];
  return ok;
}
CALL(EventRecord, EventRecord)(void* event, void*) {
  USABLE("EventRecord");
  Stamp* mark = static_cast<Stamp*>(event);
  mark->done = 0;
  return device->send({stamp, uint64_t(mark - device->stamps), {}, {}, 0, 0});
}
CALL(EventSynchronize, EventSynchronize)(void* event) {
  USABLE("EventSynchronize");
  return device->wait_for(*static_cast<Stamp*>(event));
}
CALL(EventElapsedTime, EventElapsedTime)(float* milliseconds, void* begin, void* end) {
  USABLE("EventElapsedTime");
  const Stamp &from = *static_cast<Stamp*>(begin), &to = *static_cast<Stamp*>(end);
  const std::string scale = settings().text("timescale");
  *milliseconds = float(to.nanoseconds - from.nanoseconds) * 1e-6f * (scale.empty() ? 1 : float(atof(scale.c_str())));
  return from.done && to.done ? ok : bad_value;
}
CALL(EventDestroy, EventDestroy_v2)(void*) {
  USABLE("EventDestroy");
  return ok;
}
