/// The contents of its file, as seen by an app on a device.
struct DeviceView: Codable, Equatable, Sendable {
  struct Sheet: Codable, Equatable, Sendable {
    var group = ""
    var text = ""
    var remark: String?
    var lines: [String] = []
    /// The key of the object that it links to, if that is here.
    var next: String?
    var parts: [String] = []
  }

  /// By key.
  var sheets: [String: Sheet] = [:]
  /// The newest commit of each device.
  var journals: [String: String] = [:]
  /// The names of the subscriptions.
  var subscriptions: [String] = []

  /// The expected view of a device with these subscriptions, if this is all data.
  func part(of device: Int, subscriptions: [String]) -> DeviceView {
    var part = self
    part.subscriptions = subscriptions.sorted()
    part.sheets = sheets.filter { _, sheet in
      subscriptions.contains { DeviceSubscription($0)?.matches(sheet, device: device) == true }
    }
    let here = Set(part.sheets.keys)
    for key in here {
      // Links to what is not here wait, and are not seen.
      part.sheets[key]?.parts.removeAll { !here.contains($0) }
      if let next = part.sheets[key]?.next, !here.contains(next) { part.sheets[key]?.next = nil }
    }
    return part
  }

  /// The first difference between what should be seen and this.
  func difference(from expected: DeviceView) -> String? {
    if subscriptions != expected.subscriptions {
      return "it has the subscriptions \(subscriptions), not \(expected.subscriptions)"
    }
    for key in Set(sheets.keys).union(expected.sheets.keys).sorted() {
      let (own, other) = (sheets[key], expected.sheets[key])
      if own == other { continue }
      guard let own else { return "sheet \(key) is missing" }
      guard let other else { return "sheet \(key) should not be there" }
      return "sheet \(key) is \(own), not \(other)"
    }
    return journals == expected.journals ? nil : "the journals are \(journals)"
  }
}

/// A subscription of the simulation, by its name.
enum DeviceSubscription: Hashable, Sendable {
  static let groupCount = 4

  case group(Int)
  /// The objects whose text the device has written last.
  case mine
  case all
  /// All journals; every set has it.
  case journal

  var name: String {
    switch self {
    case .group(let number): "group\(number)"
    case .mine: "mine"
    case .all: "all"
    case .journal: "journal"
    }
  }

  init?(_ name: String) {
    switch name {
    case "mine": self = .mine
    case "all": self = .all
    case "journal": self = .journal
    default:
      guard name.hasPrefix("group"), let number = Int(name.dropFirst(5)),
        (0..<Self.groupCount).contains(number)
      else { return nil }
      self = .group(number)
    }
  }

  func matches(_ sheet: DeviceView.Sheet, device: Int) -> Bool {
    switch self {
    case .group(let number): sheet.group.hasPrefix("\(number)/")
    case .mine: sheet.text.hasPrefix("\(device).")
    case .all: true
    case .journal: false
    }
  }
}
