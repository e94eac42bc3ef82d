// Messages over a pair of pipes: four bytes of length, little-endian, then as many of JSON text.
#pragma once

#include <optional>
#include <string>
#include <variant>

namespace rooftune::cuda {

enum class ReadEnd {
  closed,     ///< the other side is gone, maybe in the middle of a message
  timed_out,  ///< nothing came in time
  garbled,    ///< a length that no message has
};

class Channel {
 public:
  /// Descriptors that stay the caller's.
  Channel(int read_descriptor, int write_descriptor)
      : read_(read_descriptor), write_(write_descriptor) {}

  /// False where the other side is gone. Never raises SIGPIPE.
  bool write(const std::string& text);
  /// Waits no longer than that for each part of the message; nullopt: for ever.
  std::variant<std::string, ReadEnd> read(std::optional<double> seconds);

 private:
  std::optional<ReadEnd> read_bytes(char* into, std::size_t count, std::optional<double> seconds);

  int read_;
  int write_;
};

}  // namespace rooftune::cuda
