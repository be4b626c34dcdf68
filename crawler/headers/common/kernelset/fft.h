// The host side of cuFFT and hipFFT, which are alike but for `KS_FFT` and its kin in front of each name. Declared, never
// defined: a function takes what it is given. Kernels take the types of their numbers.
// Rule: cuFFT documentation, "cuFFT API Reference"; hipFFT documentation, "API Usage".
typedef int KS_FFT(Handle);
typedef float KS_FFT(Real);
typedef double KS_FFT(DoubleReal);
enum KS_FFT(Result) {
  KS_FFT_WORD(SUCCESS), KS_FFT_WORD(INVALID_PLAN), KS_FFT_WORD(ALLOC_FAILED), KS_FFT_WORD(INVALID_TYPE), KS_FFT_WORD(INVALID_VALUE),
  KS_FFT_WORD(INTERNAL_ERROR), KS_FFT_WORD(EXEC_FAILED), KS_FFT_WORD(SETUP_FAILED), KS_FFT_WORD(INVALID_SIZE),
  KS_FFT_WORD(UNALIGNED_DATA), KS_FFT_WORD(INCOMPLETE_PARAMETER_LIST), KS_FFT_WORD(INVALID_DEVICE), KS_FFT_WORD(PARSE_ERROR),
  KS_FFT_WORD(NO_WORKSPACE), KS_FFT_WORD(NOT_IMPLEMENTED), KS_FFT_WORD(NOT_SUPPORTED) = 16
};
enum KS_FFT(Type) {
  KS_FFT_WORD(R2C) = 0x2a, KS_FFT_WORD(C2R) = 0x2c, KS_FFT_WORD(C2C) = 0x29,
  KS_FFT_WORD(D2Z) = 0x6a, KS_FFT_WORD(Z2D) = 0x6c, KS_FFT_WORD(Z2Z) = 0x69
};
#ifdef KERNELSET_PROGRAM  // a call that the library has and the model has not
#define KS_FFT_CALL(NAME)                                     \
  template <typename... Arguments>                            \
  KS_FFT(Result) KS_FFT(NAME)(Arguments &&...) {              \
    kernelset::refuse_call("FFT:" #NAME);                     \
    return KS_FFT_WORD(NOT_SUPPORTED);                        \
  }
#else
#define KS_FFT_CALL(NAME) template <typename... Arguments> KS_FFT(Result) KS_FFT(NAME)(Arguments &&...);
#endif
KS_FFT_CALL(Create) KS_FFT_CALL(Destroy) KS_FFT_CALL(Plan1d) KS_FFT_CALL(Plan2d) KS_FFT_CALL(Plan3d) KS_FFT_CALL(PlanMany)
KS_FFT_CALL(MakePlan1d) KS_FFT_CALL(MakePlan2d) KS_FFT_CALL(MakePlan3d) KS_FFT_CALL(MakePlanMany) KS_FFT_CALL(MakePlanMany64)
KS_FFT_CALL(Estimate1d) KS_FFT_CALL(Estimate2d) KS_FFT_CALL(Estimate3d) KS_FFT_CALL(EstimateMany) KS_FFT_CALL(GetSize)
KS_FFT_CALL(GetSize1d) KS_FFT_CALL(GetSize2d) KS_FFT_CALL(GetSize3d) KS_FFT_CALL(GetSizeMany) KS_FFT_CALL(GetSizeMany64)
KS_FFT_CALL(SetWorkArea) KS_FFT_CALL(SetAutoAllocation) KS_FFT_CALL(SetStream) KS_FFT_CALL(GetVersion) KS_FFT_CALL(GetProperty)
KS_FFT_CALL(ExecC2C) KS_FFT_CALL(ExecR2C) KS_FFT_CALL(ExecC2R) KS_FFT_CALL(ExecZ2Z) KS_FFT_CALL(ExecD2Z) KS_FFT_CALL(ExecZ2D)
KS_FFT_CALL(XtMakePlanMany) KS_FFT_CALL(XtExec) KS_FFT_CALL(XtSetGPUs) KS_FFT_CALL(XtMalloc) KS_FFT_CALL(XtMemcpy)
KS_FFT_CALL(XtFree) KS_FFT_CALL(XtSetCallback) KS_FFT_CALL(XtClearCallback) KS_FFT_CALL(XtGetSizeMany)
#undef KS_FFT_CALL
