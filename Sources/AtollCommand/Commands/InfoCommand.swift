import ArgumentParser
import AtollCapture
import AtollImport
import AtollObjects
import AtollStorage

/// `atoll info`: what is in a file, and how its bytes are used.
struct InfoCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows the classes, versions, readers and sizes of a file.",
    discussion: """
      A reader of an older version keeps the pages of that version from being reused; the bytes \
      that it retains are shown beside it. For a synced file the command shows the subscriptions, \
      the cursor, the outbox and the refused changes. The store of a server is named as such: only \
      the server writes to it. A process in a long transaction keeps all \
      others from writing. The compression ratio compares the live pages with their size without \
      compression; for large classes it is that of a sample of the leaves. Nothing is verified: \
      that is what 'atoll check' does.
      """)

  @OptionGroup var file: DatabaseArgument
  @OptionGroup var json: JSONFlag

  func run(in context: CommandContext) throws -> ExitStatus {
    let contents = try context.withDatabase(file) { database in
      // Before the snapshot of this command, which would count as a reader.
      let status = try database.status()
      let snapshot = try database.snapshot()
      let classes = try snapshot.schema.classes.map { found in
        (found, try snapshot.table(found.name).count)
      }
      return Contents(
        status: status, classes: classes, pendingLinkCount: snapshot.pendingLinkCount,
        compressionSavings: try snapshot.compressionSavings(), sync: try SyncStatus(snapshot),
        isServerStore: snapshot.isServerStore,
        secondsSince1970: context.secondsSince1970())
    }
    if json.isOn {
      try context.writeJSON(contents.json)
    } else {
      try context.output.write(contents.text(path: file.path))
    }
    return .success
  }
}

/// The information about a file.
private struct Contents {
  var status: DatabaseStatus
  var classes: [(schema: ClassSchema, objectCount: Int)]
  var pendingLinkCount: Int
  /// About how many bytes more the live pages would take without compression.
  var compressionSavings: UInt64
  /// Nil for a file that is not synced.
  var sync: SyncStatus?
  var isServerStore: Bool
  var secondsSince1970: UInt64

  private var uncompressedByteCount: UInt64 { status.liveByteCount + compressionSavings }

  /// How many bytes a live byte stands for; nil for an empty file.
  private var compressionRatio: Double? {
    status.liveByteCount > 0
      ? Double(uncompressedByteCount) / Double(status.liveByteCount) : nil
  }

  func text(path: String) -> String {
    var text = "\(path): format \(AtollStorage.formatVersion), version \(status.version)"
    text += status.isEncrypted ? ", encrypted\n" : "\n"
    text += "  file     \(Quantity.bytes(status.fileByteCount))\n"
    text += "  live     \(Quantity.bytes(status.liveByteCount))"
    if let compressionRatio {
      text += ", about \(Quantity.bytes(uncompressedByteCount)) without compression"
      text += " (ratio \(Quantity.fixed(compressionRatio, digitCount: 2)))"
    }
    text += "\n  free     \(Quantity.bytes(status.freeByteCount))\n"
    if status.retiredByteCount > 0 {
      text += "  retired  \(Quantity.bytes(status.retiredByteCount)), of older versions\n"
    }

    for (schema, objectCount) in classes {
      let kind = schema.isEmbedded ? " (embedded)" : schema.isAsymmetric ? " (asymmetric)" : ""
      text += "\n\(printable(schema.name))\(kind): "
      text += Quantity.count(objectCount, "object", "objects") + "\n"
      text += Self.properties(of: schema)
    }

    if let sync { text += sync.text }
    if isServerStore { text += "\nthe store of a server, which alone writes to it\n" }
    if pendingLinkCount > 0 {
      let links = Quantity.count(pendingLinkCount, "link waits", "links wait")
      text += "\n\(links) for objects that are not in the file yet\n"
    }
    if !status.otherProcesses.isEmpty { text += "\n" }
    for process in status.otherProcesses { text += process.text(secondsSince1970) + "\n" }
    if !status.pins.isEmpty {
      let pins = Quantity.count(status.pins.count, "older version is", "older versions are")
      text += "\n\(pins) pinned by readers\n"
    }
    for pin in status.pins { text += pin.text(secondsSince1970: secondsSince1970) }
    return text
  }

  private static func properties(of schema: ClassSchema) -> String {
    let names = schema.properties.map { printable($0.name) }
    let nameWidth = names.map { DisplayWidth.of($0) }.max() ?? 0
    let types = schema.properties.map { printable($0.typeName) }
    let typeWidth = types.map { DisplayWidth.of($0) }.max() ?? 0
    var text = ""
    for (index, property) in schema.properties.enumerated() {
      var roles: [String] = []
      if schema.primaryKey?.hasSameBytes(as: property.name) == true {
        roles.append("primary key")
      } else if property.isIndexed {
        roles.append("indexed")
      }
      if property.isFullTextIndexed { roles.append("full text") }
      if property.deletionRule != .nullify { roles.append(property.deletionRule.name) }
      let role = roles.joined(separator: ", ")
      let (name, type) = (names[index], types[index])
      text += "  " + name + spaces(nameWidth - DisplayWidth.of(name) + 2) + type
      if !role.isEmpty { text += spaces(typeWidth - DisplayWidth.of(type) + 2) + role }
      text += "\n"
    }
    for index in schema.indexes {
      text += index.isUnique ? "  unique index: " : "  index: "
      text += index.properties.map(printable).joined(separator: ", ") + "\n"
    }
    return text
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

  /// The version that was not whole when the file was opened.
  private var rolledBackFrom: UInt64? {
    if case .rolledBack(let from, _) = status.opening { from } else { nil }
  }

  var json: [OutputValue.Entry] {
    let classes = classes.map { schema, objectCount in
      OutputValue.map(schema.json + [.init("objects", objectCount)])
    }
    let pins = status.pins.map { OutputValue.map($0.json(secondsSince1970: secondsSince1970)) }
    return [
      .init("formatVersion", Int(AtollStorage.formatVersion)),
      .init("version", status.version), .init("fileBytes", status.fileByteCount),
      .init("liveBytes", status.liveByteCount), .init("freeBytes", status.freeByteCount),
      .init("retiredBytes", status.retiredByteCount),
      .init("uncompressedBytes", uncompressedByteCount),
      .init("compressionRatio", compressionRatio.map(OutputValue.double) ?? .null),
      .init("pendingLinks", pendingLinkCount), .init("classes", .list(classes)),
      .init("rolledBackFrom", rolledBackFrom.map { .int(Int64(clamping: $0)) } ?? .null),
      .init("sync", sync.map(\.json) ?? .null), .init("isServerStore", isServerStore),
      .init("pinnedVersions", .list(pins)), .init("isEncrypted", status.isEncrypted),
      .init(
        "otherProcesses",
        .list(status.otherProcesses.map { .map($0.json(secondsSince1970)) })),
    ]
  }
}
