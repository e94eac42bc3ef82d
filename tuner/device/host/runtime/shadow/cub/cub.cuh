// Nothing of this is on the host device. -*- C++ -*-
#error "<cub/cub.cuh> has no counterpart on the host device: tune this kernel on a CUDA device"
