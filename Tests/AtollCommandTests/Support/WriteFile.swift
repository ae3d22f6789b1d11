#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
import Testing

/// Writes a file for a test.
func writeFile(_ path: String, _ bytes: [UInt8]) throws {
  let file = try #require(fopen(path, "w"))
  defer { fclose(file) }
  #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
}

/// Reads a whole file.
func readFile(_ path: String) throws -> [UInt8] {
  let file = try #require(fopen(path, "r"))
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { return bytes }
    bytes += buffer[..<count]
  }
}
