import AtollImport

/// A file that holds nothing but an encryption key.
enum KeyFile {
  /// The key in the file at `path`; how long it is, is checked where it is used.
  static func read(_ path: String) throws(SystemError) -> [UInt8] {
    let source = try FileSource(path: path)
    // One byte more than the longest key, so that a longer file is not taken for a key.
    var buffer = [UInt8](repeating: 0, count: 65)
    var count = 0
    while count < buffer.count {
      let read = try source.read(into: &buffer, at: count..<buffer.count)
      if read == 0 { break }
      count += read
    }
    return Array(buffer[..<count])
  }
}
