#!/bin/sh
# answers like nvcc @release@, and compiles a configure run's probes as plain C++
top=@home@
dry=
for word in "$@"; do
  case "$word" in
    --version|-V)
      echo "nvcc: NVIDIA (R) Cuda compiler driver"
      echo "Cuda compilation tools, release @release@, V@release@.@build@"
      exit 0 ;;
    -v|--verbose|--dryrun|-dryrun) dry=1 ;;
  esac
done
if [ -n "$dry" ]; then
  {
    echo "#\$ _NVVM_BRANCH_=nvvm"
    echo "#\$ TOP=$top"
    echo "#\$ PATH=$top/bin:/usr/bin:/bin"
    echo "#\$ INCLUDES=\"-I$top/include\""
    echo "#\$ LIBRARIES=  \"-L$top/lib64/stubs\" \"-L$top/lib64\""
    echo "#\$ cudafe++ a.cu"
    echo "#\$ g++ a.o \"-L$top/lib64/stubs\" \"-L$top/lib64\" -lcudadevrt -lcudart_static -lrt -lpthread -ldl"
  } >&2
fi
for word in "$@"; do
  shift
  if [ -n "$skip" ]; then skip=; continue; fi
  if [ -n "$split" ]; then split=; set -- "$@" $(echo "$word" | tr , ' '); continue; fi
  case "$word" in
    -gencode|--generate-code|-arch|-code|-ccbin|-Xptxas|-Xcudafe|-Xfatbin|-Xnvlink|-t|--threads|-x) skip=1 ;;
    --keep-dir|-cudart) skip=1 ;;
    -Xcompiler|--compiler-options) split=1 ;;
    -Xlinker|-forward-unknown-to-host-compiler|--options-file|-rdc*|-dc|-dlink|-lib|--keep|-keep) ;;
    -arch=*|-code=*|-ccbin=*|--generate-code=*|--gpu-*|-Xcompiler=*|-Xptxas=*|-cudart=*|--cudart=*|--compiler-*) ;;
    --expt-*|-expt-*|--extended-lambda|-extended-lambda|--use_fast_math|-use_fast_math|--*|-v|-dryrun|-lineinfo) ;;
    -isystem=*) set -- "$@" -isystem "${word#-isystem=}" ;;
    -lcuda*|-lcublas*|-lcu*|-lnv*) ;;
    *.cu) set -- "$@" -x c++ "$word" -x none ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec /usr/bin/g++ -D__NVCC__ -D__CUDACC__ -D__CUDACC_VER_MAJOR__=@major@ \
  -D__CUDACC_VER_MINOR__=@minor@ -D__CUDACC_VER_BUILD__=@build@ \
  -D__device__= -D__global__= -D__host__= -D__shared__= -D__constant__= -I@home@/include "$@"
