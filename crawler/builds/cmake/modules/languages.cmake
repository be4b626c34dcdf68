# Read after the languages of a project: that of the dialect which is asked for may never be named, where the compiler
# is a package's or a program's that CMake does not know.
if(NOT CMAKE_${KERNELSET_LANGUAGE}_COMPILER_LOADED)
  enable_language(${KERNELSET_LANGUAGE})
endif()
