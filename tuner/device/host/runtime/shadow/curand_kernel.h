// Nothing of this is on the host device.
#error "<curand_kernel.h> has no counterpart on the host device: tune this kernel on a CUDA device"
