import AtollImport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Where a command's text goes.
protocol ByteSink: AnyObject {
  /// Columns of the terminal, nil when the text does not go to one.
  var terminalWidth: Int? { get }

  func write(_ bytes: some Sequence<UInt8>) throws(SystemError)
  func flush() throws(SystemError)
}

extension ByteSink {
  func write(_ text: String) throws(SystemError) { try write(text.utf8) }
}

/// Text on its way to a file descriptor, gathered into large writes.
///
/// The owner of the sink calls `flush` before the process ends: a full disk is an error only there,
/// and must reach the exit status.
final class DescriptorSink: ByteSink {
  private static let bufferByteCount = 1 << 16

  private let descriptor: Int32
  private let name: String
  private var buffer: [UInt8] = []

  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  static func standardOutput() -> DescriptorSink {
    DescriptorSink(descriptor: STDOUT_FILENO, name: "standard output")
  }

  static func standardError() -> DescriptorSink {
    DescriptorSink(descriptor: STDERR_FILENO, name: "standard error")
  }

  var terminalWidth: Int? { Terminal.width(descriptor) }

  func write(_ bytes: some Sequence<UInt8>) throws(SystemError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferByteCount { try flush() }
  }

  func flush() throws(SystemError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    var done = 0
    while done < buffer.count {
      let (start, descriptor) = (done, self.descriptor)
      let count = unsafe buffer.withUnsafeBytes { bytes in
        // SAFETY: start < bytes.count, and the count is what is left of the array.
        unsafe systemWrite(
          descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
      }
      if count < 0 {
        let error = SystemError.current(.write, name)
        guard error.errno == EINTR else { throw error }
      } else {
        done += count
      }
    }
  }
}

/// The system call, under a name that the methods above do not hide.
private func systemWrite(
  _ descriptor: Int32, _ address: UnsafeRawPointer?, _ byteCount: Int
) -> Int {
  unsafe write(descriptor, address, byteCount)
}
