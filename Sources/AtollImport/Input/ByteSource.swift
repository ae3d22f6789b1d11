#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Bytes that arrive in order, a chunk at a time.
package protocol ByteSource: AnyObject {
  /// The total number of bytes, if known beforehand.
  var byteCount: Int? { get }

  /// Puts the next bytes at the beginning of `range` of `buffer`, which keeps its count.
  ///
  /// `range` is not empty and lies in the buffer.
  ///
  /// - Returns: how many bytes came; zero at the end and only there.
  func read(into buffer: inout [UInt8], at range: Range<Int>) throws(SystemError) -> Int
}

/// A file or pipe, read with system calls; closed when the object dies.
package final class FileSource: ByteSource {
  let path: String
  package let byteCount: Int?
  private let descriptor: Int32

  /// True when the bytes can be read a second time by opening the path again.
  package var isRegularFile: Bool { byteCount != nil }

  /// Opens `path` for reading; `-` is standard input.
  ///
  /// - Throws: `SystemError` with the operating system's reason; a folder is refused here and
  ///   not at the first read.
  package init(path: String) throws(SystemError) {
    let isStandardInput = path == "-"
    // SAFETY: the string is passed as a NUL-terminated copy that lives during the call.
    let opened = isStandardInput ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { throw SystemError.current(.open, path) }

    var information = stat()
    // SAFETY: `information` outlives the call, which writes one `stat` structure.
    guard unsafe fstat(opened, &information) == 0 else {
      let error = SystemError.current(.status, path)
      if !isStandardInput { close(opened) }
      throw error
    }
    let kind = information.st_mode & S_IFMT
    guard kind != S_IFDIR else {
      if !isStandardInput { close(opened) }
      throw SystemError(operation: .read, path: path, errno: EISDIR)
    }
    self.path = path
    descriptor = opened
    byteCount = kind == S_IFREG && !isStandardInput ? Int(information.st_size) : nil
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  package func read(into buffer: inout [UInt8], at range: Range<Int>) throws(SystemError) -> Int {
    precondition(!range.isEmpty, "there is room for at least one byte")
    precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count, "inside the buffer")
    while true {
      let descriptor = self.descriptor
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        // SAFETY: the range lies in the array (above), so the call writes inside it.
        unsafe systemRead(
          descriptor, bytes.baseAddress?.advanced(by: range.lowerBound), range.count)
      }
      if count >= 0 { return count }
      let error = SystemError.current(.read, path)
      guard error.errno == EINTR else { throw error }
    }
  }
}

/// Bytes in memory, given out in chunks of a chosen length.
package final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  private let chunkByteCount: Int
  private var position = 0

  package var byteCount: Int? { bytes.count }

  package init(_ bytes: [UInt8], chunkByteCount: Int = .max) {
    precondition(chunkByteCount > 0, "an empty chunk would mean the end")
    self.bytes = bytes
    self.chunkByteCount = chunkByteCount
  }

  package convenience init(_ text: String, chunkByteCount: Int = .max) {
    self.init(Array(text.utf8), chunkByteCount: chunkByteCount)
  }

  package func read(into buffer: inout [UInt8], at range: Range<Int>) throws(SystemError) -> Int {
    let count = min(chunkByteCount, range.count, bytes.count - position)
    for index in 0..<count { buffer[range.lowerBound + index] = bytes[position + index] }
    position += count
    return count
  }
}

/// The system call, under a name that the method above does not hide.
private func systemRead(
  _ descriptor: Int32, _ address: UnsafeMutableRawPointer?, _ byteCount: Int
) -> Int {
  unsafe read(descriptor, address, byteCount)
}
