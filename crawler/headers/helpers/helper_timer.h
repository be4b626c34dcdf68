// Stop watches, as programs in the manner of CUDA's samples have them.
// Rule: the interface of "helper_timer.h" in CUDA's samples, which many projects use and do not bring.
#pragma once
#include <chrono>

class StopWatchInterface {
 public:
  virtual ~StopWatchInterface() {}
  void start() {
    began_ = std::chrono::steady_clock::now();
    is_running_ = true;
  }
  void stop() {
    total_ += since_start();
    is_running_ = false;
    ++sessions_;
  }
  void reset() {
    total_ = 0.0f;
    sessions_ = 0;
    began_ = std::chrono::steady_clock::now();
  }
  float getTime() { return is_running_ ? total_ + since_start() : total_; }
  float getAverageTime() { return sessions_ ? total_ / sessions_ : 0.0f; }

 private:
  float since_start() const {
    if (!is_running_) return 0.0f;
    return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - began_).count();
  }
  std::chrono::steady_clock::time_point began_;
  float total_ = 0.0f;
  int sessions_ = 0;
  bool is_running_ = false;
};
typedef StopWatchInterface StopWatchLinux;

inline bool sdkCreateTimer(StopWatchInterface **timer) {
  *timer = new StopWatchInterface();
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface **timer) {
  delete *timer;
  *timer = nullptr;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface **timer) {
  if (*timer) (*timer)->start();
  return true;
}
inline bool sdkStopTimer(StopWatchInterface **timer) {
  if (*timer) (*timer)->stop();
  return true;
}
inline bool sdkResetTimer(StopWatchInterface **timer) {
  if (*timer) (*timer)->reset();
  return true;
}
inline float sdkGetTimerValue(StopWatchInterface **timer) { return *timer ? (*timer)->getTime() : 0.0f; }
inline float sdkGetAverageTimerValue(StopWatchInterface **timer) { return *timer ? (*timer)->getAverageTime() : 0.0f; }
