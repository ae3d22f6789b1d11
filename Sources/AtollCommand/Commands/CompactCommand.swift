import ArgumentParser
import AtollImport
import AtollObjects
import AtollStorage

/// `atoll compact`: the smallest file with the same contents, or nearly so while it is used.
struct CompactCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Rewrites a file without its free space, or with another key.",
    discussion: """
      The new file replaces the old one only when it is complete and durable. No other process may \
      have the file open.

      With --to the copy is another file, such as a backup, and other processes may use this one.

      With --in-place nothing is copied: pages at the end of the file are moved to free space \
      before them and the file is truncated, in short transactions, while other processes read and \
      write it. The file gets nearly as short. Pages of older versions with readers stay; \
      'atoll info' shows these readers.
      """)

  @OptionGroup var file: DatabaseArgument
  @Option(
    name: .customLong("new-key-file"),
    help: ArgumentHelp(
      "Encrypt the new file with this key.", discussion: "64 random bytes, or 32.",
      valueName: "file"))
  var newKeyPath: String?

  @Flag(name: .customLong("decrypt"), help: "Do not encrypt the new file.")
  var isDecrypting = false

  @Flag(name: .customLong("in-place"), help: "Shorten the file while other processes use it.")
  var isInPlace = false

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "Write the new file there, and keep the old one unchanged.",
      discussion: "Other processes may use the file meanwhile.", valueName: "copy"),
    completion: .file())
  var copyPath: String?

  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard !isInPlace || copyPath == nil else {
      throw ValidationError("--in-place and --to exclude each other")
    }
    guard !isInPlace || newKeyPath == nil && !isDecrypting else {
      throw ValidationError("--in-place leaves the key as it is")
    }
    guard newKeyPath == nil || !isDecrypting else {
      throw ValidationError("--new-key-file and --decrypt exclude each other")
    }
  }

  func run(in context: CommandContext) throws -> ExitStatus {
    if isInPlace { return try compactInPlace(context) }
    if let copyPath { return try copy(to: copyPath, context) }
    let display = ProgressDisplay(context)
    let encryption = try encryption()
    let before: UInt64
    let after: UInt64
    do {
      (before, after) = try Database.compact(
        file.path, encryptionKey: try file.encryptionKey(), encryption: encryption
      ) { share in
        display.show("compacting \(file.path)", share: share)
      }
    } catch let error as ObjectError {
      guard case .storage(.inUse) = error, newKeyPath == nil, !isDecrypting else { throw error }
      throw CommandError("\(error); 'atoll compact --in-place' works meanwhile")
    }
    display.finish()
    if json.isOn {
      try context.writeJSON([.init("bytesBefore", before), .init("bytesAfter", after)])
    } else {
      try context.output.write(
        "\(file.path): \(Quantity.bytes(before)) before, \(Quantity.bytes(after)) now\n")
    }
    return .success
  }

  private func encryption() throws -> Database.Encryption {
    if let newKeyPath { return .key(try KeyFile.read(newKeyPath)) }
    return isDecrypting ? .none : .unchanged
  }

  /// Writes what is in the file at this moment into another one.
  private func copy(to path: String, _ context: CommandContext) throws -> ExitStatus {
    guard !FileSystem.exists(path) else {
      throw CommandError("'\(printable(path))' exists; --to makes a new file")
    }
    let display = ProgressDisplay(context)
    let encryption = try encryption()
    let version = try context.withDatabase(file) { database in
      try database.writeCompactCopy(to: path, encryption: encryption) { share in
        display.show("copying \(file.path)", share: share)
      }
    }
    display.finish()
    let byteCount = try PosixFile(path: path, mode: .readOnly).byteCount()
    if json.isOn {
      try context.writeJSON([.init("version", version), .init("bytes", byteCount)])
    } else {
      try context.output.write(
        "\(path): version \(version) of \(file.path), \(Quantity.bytes(byteCount))\n")
    }
    return .success
  }

  private func compactInPlace(_ context: CommandContext) throws -> ExitStatus {
    let display = ProgressDisplay(context)
    let options = try file.options(mode: .readWrite)
    let report = try context.withDatabase(file.path, options: options) { database in
      try database.compactInPlace { share in
        display.show("compacting \(file.path)", share: share)
      }
    }
    display.finish()
    let now = context.secondsSince1970()
    if json.isOn {
      try context.writeJSON(report.json(secondsSince1970: now))
    } else {
      try context.output.write(report.text(path: file.path, secondsSince1970: now))
    }
    return .success
  }
}

extension CompactionReport {
  fileprivate func text(path: String, secondsSince1970 now: UInt64) -> String {
    var text = "\(path): \(Quantity.bytes(byteCountBefore)) before, "
    text += "\(Quantity.bytes(byteCountAfter)) now\n"
    guard end == .heldByReaders else { return text }
    text += "\nReaders of older versions hold \(Quantity.bytes(heldByteCount)). "
    text += "Compact again when they are done.\n"
    for pin in pins { text += pin.text(secondsSince1970: now) }
    return text
  }

  fileprivate func json(secondsSince1970 now: UInt64) -> [OutputValue.Entry] {
    [
      .init("bytesBefore", byteCountBefore), .init("bytesAfter", byteCountAfter),
      .init("movedBytes", movedByteCount), .init("transactions", transactionCount),
      .init("heldBytes", heldByteCount),
      .init("pinnedVersions", .list(pins.map { .map($0.json(secondsSince1970: now)) })),
    ]
  }
}
