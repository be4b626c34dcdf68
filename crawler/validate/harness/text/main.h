
int main() {
  if (const char* problem = test::device_problem()) {
    printf("Skipped: %s\n", problem);
    return 77;
  }
  int failed = 0;
  for (const test::Case& one : test::cases()) {
    const std::string wrong = test::run(one);
    printf("%s %s%s%s\n", wrong.empty() ? "[  ok  ]" : "[FAILED]", one.name, wrong.empty() ? "" : ": ", wrong.c_str());
    failed += !wrong.empty();
  }
  printf(failed ? "%d of the tests failed.\n" : "All tests passed!\n", failed);
  return failed != 0;
}
