/// A change that a device's inbox says was not taken.
struct DeviceRefusal: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case create, delete, set, insert, replace, move, remove }

  var key: String
  var kind: Kind
  /// The text of the value that was not taken; nil where the change has none.
  var value: String?
  /// The device's clock when the change was made, in milliseconds.
  var milliseconds: UInt64
}

/// What must never happen to a commit.
struct DevicesFinding: Hashable, Sendable, CustomStringConvertible {
  enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A commit that had returned is neither there, nor outdated, nor refused.
    case lost
    /// A value that no device has written.
    case invented
    /// An element of a list is there more than once.
    case doubled
    /// Two elements of a list stand in another order than on a device, and no device moved one.
    case disordered
    /// A refusal that was not reported to the app.
    case unreported
  }

  let kind: Kind
  let text: String

  var description: String { "\(kind.rawValue): \(text)" }
}

/// Whether every commit that had returned came to something, from the devices' logs, their inboxes
/// and what is on the server at the end.
///
/// Each edit writes a value of its own. So the value that a unit has at the end tells which edit
/// won; any other edit of the unit must be older: its commit began before that of the winner had
/// ended, since the clocks of all devices are one clock here. A deletion wins whatever the clocks;
/// the attempted deletions are known from the logs, also of killed commits.
struct DevicesJudgement {
  private struct Known {
    let write: DeviceLog.Write
    let index: Int
    var edit: DeviceEdit { write.edits[index] }
    var value: String { write.name.value(index) }

    /// Whether this may have been later than another edit, by the clocks of their devices.
    func canOutdate(_ other: Known) -> Bool {
      if write.name.device == other.write.name.device {
        return (write.name, index) > (other.write.name, other.index)
      }
      return write.end ?? .max >= other.write.begin
    }
  }

  private let logs: [DeviceLog]
  private let refusals: [[DeviceRefusal]]
  private let end: DeviceView
  private var edits: [String: Known] = [:]
  private var creations: [String: [Known]] = [:]
  private var deletions: [String: [Known]] = [:]
  /// The values that an element of a list has had, by the one it was inserted with.
  private var elements: [String: [Known]] = [:]
  private var removals: [String: [Known]] = [:]
  /// The elements that a device moved, by their first values.
  private var moved: Set<String> = []
  private var refusalsByKey: [[String: [DeviceRefusal]]] = []
  private var findings: [DevicesFinding] = []

  /// Logs and refusals are in the order of the devices.
  init(logs: [DeviceLog], refusals: [[DeviceRefusal]], end: DeviceView) {
    self.logs = logs
    self.refusals = refusals
    self.end = end
    refusalsByKey = refusals.map { Dictionary(grouping: $0, by: \.key) }
    for write in logs.flatMap(\.writes) {
      for index in write.edits.indices {
        let known = Known(write: write, index: index)
        edits[known.value] = known
      }
    }
    for known in edits.values {
      switch known.edit {
      case .create(let key): creations[key, default: []].append(known)
      case .delete(let key): deletions[key, default: []].append(known)
      case .insert, .replace: elements[root(of: known.value), default: []].append(known)
      case .remove(_, let old): removals[root(of: old), default: []].append(known)
      case .move(_, let value): moved.insert(root(of: value))
      case .set, .link, .order: break
      }
    }
  }

  /// The value that an element was inserted with.
  private func root(of value: String) -> String {
    var root = value
    while case .replace(_, let old) = edits[root]?.edit { root = old }
    return root
  }

  /// The violations, in the order of the commits.
  mutating func judge() -> [DevicesFinding] {
    findings = []
    for write in logs.flatMap(\.writes) where write.end != nil {
      for index in write.edits.indices { judge(Known(write: write, index: index)) }
    }
    for (device, log) in logs.enumerated() {
      for refusal in refusals[device] where !log.told.contains(refusal.key) {
        note(.unreported, "device \(device) was not told of \(refusal)")
      }
    }
    for (key, sheet) in end.sheets.sorted(by: { $0.key < $1.key }) { verify(key, sheet) }
    return findings
  }

  private mutating func note(_ kind: DevicesFinding.Kind, _ text: String) {
    findings.append(DevicesFinding(kind: kind, text: text))
  }

  private mutating func lost(_ known: Known, _ reason: String) {
    note(.lost, "\(known.edit.text) of commit \(known.write.name): \(reason)")
  }

  private func isRefused(_ known: Known, _ kind: DeviceRefusal.Kind) -> Bool {
    let ofObject = refusalsByKey[known.write.name.device][known.edit.key] ?? []
    return ofObject.contains { refusal in
      refusal.kind == kind && refusal.milliseconds >= known.write.begin
        && refusal.milliseconds <= known.write.end ?? .max
        && refusal.value.map { hasWritten(known, Self.name(in: $0)) } ?? true
    }
  }

  /// Whether an edit is in what a commit says of a value: of an element it says the last one.
  private func hasWritten(_ known: Known, _ value: String) -> Bool {
    if value == known.value { return true }
    guard let other = edits[value], other.write.name == known.write.name else { return false }
    return root(of: value) == root(of: known.value)
  }

  /// The edit's value: that of a group stands behind the group.
  private static func name(in value: String) -> String {
    value.lastIndex(of: "/").map { String(value[value.index(after: $0)...]) } ?? value
  }

  // MARK: Edits

  private mutating func judge(_ known: Known) {
    let sheet = end.sheets[known.edit.key]
    switch known.edit {
    case .create(let key):
      if sheet == nil, deletions[key] == nil, !isRefused(known, .create) {
        lost(known, "the object is not there")
      }
      judge(known, sheet.map(\.text), sheet)
      judge(known, sheet.map(\.group), sheet)
    case .delete(let key):
      guard sheet != nil, !isRefused(known, .delete) else { return }
      if creations[key]?.contains(where: { $0.canOutdate(known) }) != true {
        lost(known, "the object exists, and no device made it again")
      }
    case .set(_, let property):
      let value: String? =
        switch property {
        case "group": sheet?.group
        case "text": sheet?.text
        default: sheet?.remark
        }
      judge(known, value, sheet)
    case .insert: judgeElement(known, .insert, sheet)
    case .replace: judgeElement(known, .replace, sheet)
    case .remove(_, let old):
      guard let sheet, !isRefused(known, .remove) else { return }
      let values = (elements[root(of: old)] ?? []).map(\.value)
      if let value = sheet.lines.first(where: { values.contains($0) }) {
        lost(known, "the element is there, with \(value)")
      }
    case .order(_, let values):
      if let sheet { judgeOrder(known, values, sheet) }
    case .move, .link: break
    }
  }

  /// What stood in one order stays in it, but for what was moved.
  private mutating func judgeOrder(
    _ known: Known, _ values: [String], _ sheet: DeviceView.Sheet
  ) {
    var places: [String: Int] = [:]
    for (place, line) in sheet.lines.enumerated() { places[root(of: line)] = place }
    let there = values.map(root).filter { places[$0] != nil && !moved.contains($0) }
    for (a, b) in zip(there, there.dropFirst()) where places[a, default: 0] > places[b, default: 0]
    {
      note(
        .disordered,
        "\(a) stood before \(b) in sheet \(known.edit.key) in commit \(known.write.name)")
    }
  }

  /// Judges what wrote one property, which has `value` at the end.
  private mutating func judge(_ known: Known, _ value: String?, _ sheet: DeviceView.Sheet?) {
    if isRefused(known, .set) { return }
    guard sheet != nil else {
      let isGone = deletions[known.edit.key] != nil || isOfRefusedCreation(known)
      if !isGone { lost(known, "the object is not there") }
      return
    }
    let winner = Self.name(in: value ?? "")
    if winner == known.value { return }
    guard let winner = edits[winner] else {
      // The default of an object that was deleted and made again.
      if !wasMadeAgain(known) { lost(known, "the value is '\(value ?? "")'") }
      return
    }
    if !winner.canOutdate(known), !wasMadeAgain(known) {
      lost(known, "the value is the older one of \(winner.value)")
    }
  }

  private func isOfRefusedCreation(_ known: Known) -> Bool {
    if case .create = known.edit { return isRefused(known, .create) }
    return false
  }

  /// Whether the object can have been deleted after the edit arrived, and made again.
  ///
  /// A deletion wins whatever the clocks: a device that was offline may delete what others have
  /// made since, and make it again with values that are older than theirs.
  private func wasMadeAgain(_ known: Known) -> Bool {
    let key = known.edit.key
    return deletions[key]?.contains { deletion in
      guard
        deletion.write.name.device != known.write.name.device
          || deletion.write.name > known.write.name
      else { return false }
      return creations[key]?.contains { $0.canOutdate(deletion) } == true
    } == true
  }

  private mutating func judgeElement(
    _ known: Known, _ kind: DeviceRefusal.Kind, _ sheet: DeviceView.Sheet?
  ) {
    // A commit inserts an element with the last value that it gave it.
    if isRefused(known, kind) || kind == .replace && isRefused(known, .insert) { return }
    guard let sheet else {
      if deletions[known.edit.key] == nil { lost(known, "the object is not there") }
      return
    }
    let root = root(of: known.value)
    // Of an element that it takes out in the end, a commit says nothing else.
    let isTakenOut = removals[root]?.contains { removal in
      removal.write.name == known.write.name && isRefused(removal, .remove)
    }
    if isTakenOut == true { return }
    let lines = Set(sheet.lines)
    let there = (elements[root] ?? []).filter { lines.contains($0.value) }
    if there.contains(where: { $0.value == known.value || $0.canOutdate(known) }) { return }
    if wasMadeAgain(known) { return }
    if let older = there.first {
      lost(known, "the element has the older value \(older.value)")
    } else if removals[root] == nil {
      lost(known, "the element is not there")
    }
  }

  // MARK: Values at the end

  private mutating func verify(_ key: String, _ sheet: DeviceView.Sheet) {
    var roots: Set<String> = []
    for line in sheet.lines {
      guard edits[line]?.edit.key == key else {
        note(.invented, "sheet \(key) has the line \(line), which no device wrote there")
        continue
      }
      guard !roots.insert(root(of: line)).inserted else { continue }
      note(.doubled, "sheet \(key) has the element \(root(of: line)) twice")
    }
    for value in [sheet.text, sheet.group, sheet.remark ?? ""] where !value.isEmpty {
      guard edits[Self.name(in: value)]?.edit.key != key else { continue }
      note(.invented, "sheet \(key) has the value \(value), which no device wrote there")
    }
  }
}
