// Nothing of this is on the host device. -*- C++ -*-
#error \
    "<thrust/device_vector.h> has no counterpart on the host device: tune this kernel on a CUDA device"
