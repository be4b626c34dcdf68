# Read at a project's first `project()`, before its languages: what the project asks for and this machine lacks is
# stood in for, so that configuring comes to its end and the compile commands are written.
include_guard(GLOBAL)
set(KERNELSET_MODULES "${CMAKE_CURRENT_LIST_DIR}")
include("${KERNELSET_TREE}")
include("${KERNELSET_MODULES}/dependencies.cmake")
include("${KERNELSET_MODULES}/lenient.cmake")
include("${KERNELSET_MODULES}/unknown.cmake")
cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" ID kernelset CALL include "${KERNELSET_MODULES}/mend.cmake")
