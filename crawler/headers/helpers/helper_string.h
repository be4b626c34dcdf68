// Words of a command line and places of files, as programs in the manner of CUDA's samples ask for them.
// Rule: the interface of "helper_string.h" in CUDA's samples, which many projects use and do not bring.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <strings.h>

#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(TO, LENGTH, FROM) strcpy(TO, FROM)
#define FOPEN(FILE_HANDLE, NAME, MODE) (FILE_HANDLE = fopen(NAME, MODE))
#define FOPEN_FAIL(RESULT) ((RESULT) == NULL)
#define SSCANF sscanf
#define SPRINTF sprintf
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

inline int stringRemoveDelimiter(char delimiter, const char *word) {
  int first = 0;
  while (word[first] == delimiter) ++first;
  return first >= static_cast<int>(strlen(word)) - 1 ? 0 : first;
}
// what stands behind `-name`, or `-name=`; null where it is not among the words
inline const char *ks_argument_behind(int count, const char **words, const char *name) {
  const size_t length = strlen(name);
  for (int at = 1; at < count; ++at) {
    const char *word = words[at] + stringRemoveDelimiter('-', words[at]);
    if (strncasecmp(word, name, length)) continue;
    if (word[length] == 0) return word + length;
    if (word[length] == '=') return word + length + 1;
  }
  return nullptr;
}
inline bool checkCmdLineFlag(const int count, const char **words, const char *name) {
  return ks_argument_behind(count, words, name) != nullptr;
}
inline int getCmdLineArgumentInt(const int count, const char **words, const char *name) {
  const char *value = ks_argument_behind(count, words, name);
  return value ? atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(const int count, const char **words, const char *name) {
  const char *value = ks_argument_behind(count, words, name);
  return value ? static_cast<float>(atof(value)) : 0.0f;
}
template <class T>
bool getCmdLineArgumentValue(const int count, const char **words, const char *name, T *value) {
  const char *text = ks_argument_behind(count, words, name);
  if (text && *text) *value = static_cast<T>(atoi(text));
  return text != nullptr;
}
inline bool getCmdLineArgumentString(const int count, const char **words, const char *name, char **value) {
  const char *text = ks_argument_behind(count, words, name);
  *value = const_cast<char *>(text);
  return text != nullptr;
}
// the name of a file that is there, which the caller frees; null where it is nowhere
inline char *sdkFindFilePath(const char *name, const char *) {
  static const char *const folders[] = {"./", "./data/", "../data/", "../../data/", "../../../data/", "./src/", "../src/"};
  for (const char *folder : folders) {
    char *path = static_cast<char *>(malloc(strlen(folder) + strlen(name) + 1));
    strcpy(path, folder);
    strcat(path, name);
    FILE *file = fopen(path, "rb");
    if (file) {
      fclose(file);
      return path;
    }
    free(path);
  }
  return nullptr;
}
