// A process that compacts a database file with a change of its key, or that has it open meanwhile. It
// says how far it is and waits for a line before it goes on, so that the tests can kill it there.
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

/// `PATH OLD NEW`: compacts the file, with the keys of these numbers.
func compact(_ path: String, _ old: String, _ new: String) throws {
  _ = try Database.compact(path, encryptionKey: key(old), encryption: .key(key(new))) { share in
    writeToStandardOutput("progress \(share)")
    if readLine() == nil { exit(1) }
  }
}

/// `PATH KEY`: opens the file, and adds an object for each line.
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

do {
  let arguments = CommandLine.arguments
  if arguments.count == 4 {
    try compact(arguments[1], arguments[2], arguments[3])
  } else {
    try use(arguments[1], arguments[2])
  }
  writeToStandardOutput("done")
} catch {
  writeToStandardOutput("error: \(error)")
  exit(1)
}
