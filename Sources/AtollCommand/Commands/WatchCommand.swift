import ArgumentParser
import AtollImport
import AtollObjects
import AtollStorage

/// `atoll watch`: prints the commits of all processes to a file.
struct WatchCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Prints each new version of a file with its time, and what changed in it.",
    discussion: """
      The first line is the current version. Then the command waits for the commits of all \
      processes, without polling the file, and pins no version meanwhile. Versions that are \
      committed while a line is being written share the next one. A class is named when its \
      objects changed, with their count and how many were added or removed. Times are UTC. Stop \
      it with Ctrl-C, --count or --timeout.
      """)

  @OptionGroup var file: DatabaseArgument
  @OptionGroup var json: JSONFlag

  @Option(help: "Stop after this many lines for commits.")
  var count: Int?

  @Option(help: "Exit with status 1 after this many seconds without a commit.")
  var timeout: Double?

  func validate() throws {
    guard (count ?? 1) >= 1 else { throw ValidationError("--count must be at least 1") }
    guard (0...1e9).contains(timeout ?? 0) else {
      throw ValidationError("--timeout is from 0 to 1000000000 seconds")
    }
  }

  func run(in context: CommandContext) throws -> ExitStatus {
    try context.withDatabase(file) { database in
      var known = try WatchedVersion(database.snapshot())
      try write(known, known.changes(since: nil), in: context)
      var commitCount = 0
      while count.map({ commitCount < $0 }) ?? true {
        let newest = try database.waitForCommit(
          after: known.version, timeout: timeout.map { .seconds($0) })
        guard newest != nil else {
          try context.note("\(file.path): no commit in \(Quantity.duration(seconds: timeout ?? 0))")
          return .failure
        }
        let now = try WatchedVersion(database.snapshot())
        try write(now, now.changes(since: known), in: context)
        known = now
        commitCount += 1
      }
      return .success
    }
  }

  private func write(
    _ version: WatchedVersion, _ changes: [WatchedVersion.Change], in context: CommandContext
  ) throws {
    let seconds = context.secondsSince1970()
    if json.isOn {
      try context.writeJSON(Self.json(version, changes, seconds))
    } else {
      try context.output.write(Self.text(version, changes, seconds))
    }
    try context.output.flush()
  }

  private static func text(
    _ version: WatchedVersion, _ changes: [WatchedVersion.Change], _ seconds: UInt64
  ) -> String {
    let time = Timestamp(seconds: Int64(clamping: seconds), nanoseconds: 0)?.description ?? ""
    let words = changes.map { change in
      var text = "\(printable(change.name)) "
      guard let count = change.objectCount else { return text + "removed" }
      text += Quantity.count(count, "object", "objects")
      if change.difference > 0 { text += " (+\(Quantity.count(change.difference)))" }
      if change.difference < 0 { text += " (-\(Quantity.count(-change.difference)))" }
      return text
    }
    return "\(time)  version \(version.version)"
      + (words.isEmpty ? "" : "  " + words.joined(separator: ", ")) + "\n"
  }

  private static func json(
    _ version: WatchedVersion, _ changes: [WatchedVersion.Change], _ seconds: UInt64
  ) -> [OutputValue.Entry] {
    let classes = changes.map { change in
      OutputValue.map([
        .init("name", .string(change.name)), .init("objects", change.objectCount ?? 0),
        .init("added", change.difference),
      ])
    }
    return [
      .init("version", version.version), .init("seconds", seconds),
      .init("changedClasses", .list(classes)),
    ]
  }
}

/// The summary of a version, for comparison with the next one; it does not pin the version.
private struct WatchedVersion {
  struct Change {
    var name: String
    /// Nil when the class is no longer there.
    var objectCount: Int?
    /// The increase in objects.
    var difference: Int
  }

  let version: UInt64
  /// The tree of each class's objects; an equal root means equal objects.
  private let roots: [String: TreeRoot]

  /// Costs a look at each class, not at its objects.
  init(_ snapshot: Snapshot) throws {
    version = snapshot.version
    var roots: [String: TreeRoot] = [:]
    for schema in snapshot.schema.classes {
      roots[schema.name] = try snapshot.table(schema.name).tree.root
    }
    self.roots = roots
  }

  /// The changes since `older`; everything when that is nil.
  func changes(since older: WatchedVersion?) -> [Change] {
    let olderRoots = older?.roots ?? [:]
    return Set(roots.keys).union(olderRoots.keys).sorted().compactMap { name in
      let (now, before) = (roots[name], olderRoots[name])
      guard now != before else { return nil }
      let count = now.map { Int(clamping: $0.entryCount) }
      let countBefore = before.map { Int(clamping: $0.entryCount) } ?? 0
      return Change(name: name, objectCount: count, difference: (count ?? 0) - countBefore)
    }
  }
}
