import AtollObjects
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The key of a number, as the tests make it.
func key(_ number: String) -> [UInt8] {
  (0..<32).map { UInt8($0) &* (UInt8(number) ?? 0) }
}

/// Compacts the file, with the keys of these numbers.
///
/// Reports its progress and waits for a line before it continues, so that it can be killed there.
func compact(_ path: String, _ old: String, _ new: String) throws {
  _ = try Database.compact(path, encryptionKey: key(old), encryption: .key(key(new))) { share in
    writeToStandardOutput("progress \(share)")
    if readLine() == nil { exit(1) }
  }
}

/// Opens the file, and adds an object for each line.
func use(_ path: String, _ number: String) throws {
  let database = try Database.open(
    path, options: Database.Options(mode: .readWrite, encryptionKey: key(number)))
  writeToStandardOutput("opened")
  while let line = readLine(), line != "close" {
    try database.write { try $0.create("Thing", ["text": .string(line)]) }
    writeToStandardOutput("added")
  }
  try database.close()
}
