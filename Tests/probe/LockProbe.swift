import AtollStorage
import TestSupport

/// Adds 1 to the number at the beginning of the file, `count` times, each under the writer lock.
func increment(_ file: PosixFile, _ lockFile: LockFile, count: Int) throws {
  for _ in 0..<count {
    try lockFile.lockWriter()
    defer { lockFile.unlockWriter() }
    var number: UInt64 = 0
    _ = try withUnsafeMutableBytes(of: &number) { (buffer) throws(StorageError) in
      try file.read(into: buffer, at: 0)
    }
    number += 1
    try withUnsafeBytes(of: number) { (buffer) throws(StorageError) in
      try file.write(buffer, at: 0)
    }
  }
}

/// Does what one line says, and returns the answer.
func perform(
  _ words: [Substring], _ file: PosixFile, _ lockFile: LockFile, _ slots: inout [ReaderSlot]
) throws -> String {
  let number = words.count > 1 ? UInt64(words[1]) ?? 0 : 0
  switch words.first {
  case "pin":
    slots.append(try lockFile.pin(transaction: number))
  case "unpin":
    for slot in slots { lockFile.unpin(slot) }
    slots = []
  case "pins":
    let pins = try lockFile.pins().map { "\($0.transaction):\($0.processID)" }
    return pins.sorted().joined(separator: " ")
  case "lock":
    try lockFile.lockWriter()
  case "trylock":
    return "\(try lockFile.tryLockWriter())"
  case "trynetwork":
    return "\(try lockFile.tryLockNetwork())"
  case "unlock":
    lockFile.unlockWriter()
  case "publish":
    lockFile.publish(transaction: number)
  case "wait":
    // Far longer than any test: what ends it is a wake-up.
    lockFile.wait(timeout: .seconds(3600)) { lockFile.newestTransaction > number }
    return "\(lockFile.newestTransaction)"
  case "newest":
    return "\(lockFile.newestTransaction)"
  case "others":
    let others = try lockFile.otherProcesses().map {
      "\($0.processID)\($0.writingSince == nil ? "" : " writes")"
    }
    return others.sorted().joined(separator: " ")
  case "only":
    return "\(try lockFile.isOnlyProcess())"
  case "increment":
    try increment(file, lockFile, count: Int(number))
  default:
    return "unknown command"
  }
  return "done"
}

/// Attaches to the lock file of the file at `path`, and does what the input says.
func runLockFile(_ path: String) throws {
  let file = try PosixFile(path: path, mode: .readWrite)
  let lockFile = try LockFile(for: file)
  var slots: [ReaderSlot] = []
  writeToStandardOutput("attached")
  while let line = readLine() {
    writeToStandardOutput(try perform(line.split(separator: " "), file, lockFile, &slots))
  }
}
