#!/bin/sh
case "$1" in
  --platform|-P) printf amd ;;
  --compiler|-c) printf clang ;;
  --runtime|-r) printf rocclr ;;
  --path|-p|--rocmpath|-R) printf @home@ ;;
  --cpp_config|-C) printf ' -D__HIP_PLATFORM_AMD__= -I@home@/include' ;;
  *) printf @release@ ;;
esac
