/// An open file of the operating system, closed when its last user lets go.
///
/// A system call holds a reference for its length. So `close()` on the file that
/// owns the descriptor can never let a number go to another file in the middle of a call.
final class FileDescriptor: Sendable {
  let rawValue: Int32

  /// Takes over an open descriptor.
  init(owning rawValue: Int32) {
    self.rawValue = rawValue
  }

  deinit {
    SystemCalls.close(rawValue)
  }
}

extension FileDescriptor {
  /// Fills `buffer` from `offset` as far as the file goes, and returns the count of bytes read.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(ErrorNumber) -> Int {
    var done = 0
    while done < buffer.count {
      let position = try Self.position(offset, plus: done)
      // SAFETY: `done` is at most the buffer's count.
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let byteCount = unsafe try SystemCalls.read(rawValue, into: rest, at: position)
      if byteCount == 0 { break }
      done += byteCount
    }
    return done
  }

  /// Writes all of `bytes` at `offset`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(ErrorNumber) {
    var done = 0
    while done < bytes.count {
      let position = try Self.position(offset, plus: done)
      // SAFETY: `done` is at most the buffer's count.
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let byteCount = unsafe try SystemCalls.write(rawValue, rest, at: position)
      // A write that writes nothing and reports nothing would be repeated for ever.
      guard byteCount > 0 else { throw .inputOutput }
      done += byteCount
    }
  }

  /// The file offset of byte `done` of a transfer that begins at `offset`.
  private static func position(_ offset: UInt64, plus done: Int) throws(ErrorNumber) -> Int64 {
    let (sum, overflow) = offset.addingReportingOverflow(UInt64(done))
    guard !overflow, let position = Int64(exactly: sum) else { throw .fileTooLarge }
    return position
  }
}
