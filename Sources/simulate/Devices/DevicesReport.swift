/// What came of one run.
struct DevicesTally: Equatable, Sendable {
  var killCount = 0
  var serverKillCount = 0
  /// Commits that a device said have returned.
  var commitCount = 0
  /// Edits of these commits that were judged.
  var editCount = 0
  /// Refused and outdated changes in the inboxes.
  var refusalCount = 0
  /// Objects on the server at the end.
  var sheetCount = 0
  var checkCount = 0
  /// Connections that the network cut, and those of them that were silent before.
  var cutCount = 0
  var silenceCount = 0
  /// Nanoseconds from the last kill until all devices agree.
  var settleTime: UInt64 = 0
}

/// What must never happen.
struct DevicesViolation: Error, Equatable, Sendable, CustomStringConvertible {
  enum Kind: String, CaseIterable, Sendable {
    /// A commit that had returned came to nothing.
    case lost
    /// A value that no device has written.
    case invented
    /// An element of a list is there more than once.
    case doubled
    /// Elements of a list that stand in another order than on a device.
    case disordered
    /// A refusal that was not reported to the app.
    case unreported
    /// A device does not hold what its subscriptions ask for.
    case unequal
    /// A check finds faults, or a call failed.
    case unclean
    /// A process waits for ever.
    case stuck

    init(_ kind: DevicesFinding.Kind) {
      switch kind {
      case .lost: self = .lost
      case .invented: self = .invented
      case .doubled: self = .doubled
      case .disordered: self = .disordered
      case .unreported: self = .unreported
      }
    }
  }

  let kind: Kind
  let message: String
  /// The last things that were done.
  let history: [String]

  var description: String { "\(kind.rawValue): \(message)" }
}

/// The report of a simulation of devices and a server.
struct DevicesReport: Sendable {
  let options: DevicesRunOptions
  var tally = DevicesTally()
  /// The first, which ends the run.
  var violation: DevicesViolation?

  init(_ options: DevicesRunOptions) { self.options = options }

  /// Whether nothing was wrong.
  var isSound: Bool { violation == nil }

  private func count(_ kind: DevicesViolation.Kind) -> Int { violation?.kind == kind ? 1 : 0 }

  /// What people want to know beside the summary.
  var details: [String] {
    guard let violation else { return [] }
    var lines = ["violation: \(violation)"]
    lines += violation.history.map { "  \($0)" }
    lines.append(
      "  again: swift run simulate devices --kills \(options.killCount) --seed "
        + "\(options.seed) --devices \(options.deviceCount) --transactions "
        + "\(options.transactionCount)\(options.hasProxy ? " --proxy" : "")"
        + "\(options.listOperationCount > 1 ? " --lists \(options.listOperationCount)" : "")"
        + "\(options.seconds.map { " --seconds \($0)" } ?? "")")
    return lines
  }

  /// One line for people.
  var summary: String {
    var line =
      "kills \(tally.killCount), of the server \(tally.serverKillCount), transactions "
      + "\(tally.commitCount), edits judged \(tally.editCount), refused or outdated "
      + "\(tally.refusalCount), objects at the end \(tally.sheetCount), files checked "
      + "\(tally.checkCount), connections cut \(tally.cutCount), silent before "
      + "\(tally.silenceCount), all agreed after \(tally.settleTime / 1_000_000) ms"
    for kind in DevicesViolation.Kind.allCases { line += ", \(kind.rawValue) \(count(kind))" }
    return line
  }

  /// One line for programs.
  var json: String {
    var entries = [
      "\"kills\":\(tally.killCount)", "\"serverKills\":\(tally.serverKillCount)",
      "\"transactions\":\(tally.commitCount)", "\"edits\":\(tally.editCount)",
      "\"refusals\":\(tally.refusalCount)",
      "\"objects\":\(tally.sheetCount)",
      "\"cuts\":\(tally.cutCount)", "\"silences\":\(tally.silenceCount)",
      "\"checks\":\(tally.checkCount)", "\"settleNanoseconds\":\(tally.settleTime)",
    ]
    entries += DevicesViolation.Kind.allCases.map { "\"\($0.rawValue)\":\(count($0))" }
    return "{\(entries.joined(separator: ","))}"
  }
}
