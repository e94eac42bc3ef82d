// Nothing of this is on the host device.
#error "<cuda_fp4.h> has no counterpart on the host device: tune this kernel on a CUDA device"
