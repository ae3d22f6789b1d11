/// The name of a commit: the device, how often its program had been started, the commit's number
/// then.
///
/// No two commits have one name, whatever was killed in between.
struct WriteName: Hashable, Comparable, Sendable, CustomStringConvertible {
  var device: Int
  var session: Int
  var number: Int

  var description: String { "\(device).\(session).\(number)" }

  init(device: Int, session: Int, number: Int) {
    self.device = device
    self.session = session
    self.number = number
  }

  init?(_ text: Substring) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int(String($0)) }
    guard parts.count == 3, let device = parts[0], let session = parts[1], let number = parts[2]
    else { return nil }
    self.init(device: device, session: session, number: number)
  }

  init?(_ text: String) { self.init(text[...]) }

  /// The value that the edit with this place in the commit writes.
  func value(_ index: Int) -> String { "\(self).\(index)" }

  static func < (a: Self, b: Self) -> Bool {
    (a.device, a.session, a.number) < (b.device, b.session, b.number)
  }
}

/// One change of a shared object; each commit changes an object at most once, its list up to many
/// times.
///
/// Its value is unique: the commit's name and its place there.
enum DeviceEdit: Hashable, Sendable {
  /// Makes the object, with its group and its text.
  case create(key: String)
  case delete(key: String)
  case set(key: String, property: String)
  /// Adds an element to the list.
  case insert(key: String)
  /// Writes the value in the place of another one.
  case replace(key: String, old: String)
  /// Takes an element out of the list.
  case remove(key: String, old: String)
  /// Moves the element that has the value.
  case move(key: String, value: String)
  /// The order of the list after the other edits of the commit.
  case order(key: String, values: [String])
  /// Changes links, which have no values of their own.
  case link(key: String)

  var key: String {
    switch self {
    case .create(let key), .delete(let key), .set(let key, _), .insert(let key),
      .replace(let key, _), .remove(let key, _), .move(let key, _), .order(let key, _),
      .link(let key):
      key
    }
  }

  /// One word: keys, names and values have neither spaces nor colons.
  var text: String {
    switch self {
    case .create(let key): "create:\(key)"
    case .delete(let key): "delete:\(key)"
    case .set(let key, let property): "set:\(key):\(property)"
    case .insert(let key): "insert:\(key)"
    case .replace(let key, let old): "replace:\(key):\(old)"
    case .remove(let key, let old): "remove:\(key):\(old)"
    case .move(let key, let value): "move:\(key):\(value)"
    case .order(let key, let values): "order:\(key):\(values.joined(separator: ","))"
    case .link(let key): "link:\(key)"
    }
  }

  init?(_ text: Substring) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    switch (parts.first, parts.count) {
    case ("create", 2): self = .create(key: parts[1])
    case ("delete", 2): self = .delete(key: parts[1])
    case ("set", 3): self = .set(key: parts[1], property: parts[2])
    case ("insert", 2): self = .insert(key: parts[1])
    case ("replace", 3): self = .replace(key: parts[1], old: parts[2])
    case ("remove", 3): self = .remove(key: parts[1], old: parts[2])
    case ("move", 3): self = .move(key: parts[1], value: parts[2])
    case ("order", 3):
      self = .order(key: parts[1], values: parts[2].split(separator: ",").map(String.init))
    case ("link", 2): self = .link(key: parts[1])
    default: return nil
    }
  }
}

/// The log of a device's actions, outside of its database.
///
/// A line each, which ends with a full stop so that half a line is known as such; times are
/// milliseconds since 1970:
///
///     begin NAME TIME EDIT…    about to be committed; TIME is before its clock was read
///     done NAME TIME           the commit has returned
///     told KEY                 the app's handler was told that a change of the object was refused
///     trouble WORDS            the app's handler was told of something else
///
/// A session begins with an empty line: the line before it may have been cut off by a kill.
struct DeviceLog: Equatable, Sendable {
  struct Write: Equatable, Sendable {
    let name: WriteName
    /// Before the commit's clock was read.
    let begin: UInt64
    /// After it had returned; nil if that is not known.
    var end: UInt64?
    let edits: [DeviceEdit]
  }

  struct Damage: Error, Equatable, CustomStringConvertible {
    let line: Int
    let text: String

    var description: String { "line \(line) of the log makes no sense: '\(text)'" }
  }

  private(set) var writes: [Write] = []
  /// The keys of the objects of reported refusals.
  private(set) var told: Set<String> = []
  private(set) var troubles: [String] = []

  init() {}

  /// - Throws: `Damage` for a line that no kill can have left.
  init(_ text: String) throws(Damage) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.isEmpty {
      if read(line) { continue }
      let isCutOff = index + 1 >= lines.count || lines[index + 1].isEmpty
      guard isCutOff else { throw Damage(line: index + 1, text: String(line)) }
    }
  }

  private mutating func read(_ line: Substring) -> Bool {
    var words = line.split(separator: " ")
    guard words.count >= 2, words.removeLast() == "." else { return false }
    let verb = words.removeFirst()
    switch verb {
    case "begin":
      guard words.count >= 2, let name = WriteName(words[0]), let time = UInt64(words[1]) else {
        return false
      }
      let edits = words.dropFirst(2).compactMap { DeviceEdit($0) }
      guard edits.count == words.count - 2 else { return false }
      writes.append(Write(name: name, begin: time, end: nil, edits: edits))
    case "done":
      // The commit under way is the newest one of the device.
      guard words.count == 2, let name = WriteName(words[0]), let time = UInt64(words[1]),
        writes.last?.name == name
      else { return false }
      writes[writes.count - 1].end = time
    case "told":
      guard words.count == 1 else { return false }
      told.insert(String(words[0]))
    case "trouble": troubles.append(words.joined(separator: " "))
    default: return false
    }
    return true
  }

  /// The newest commit that had returned.
  var lastDone: WriteName? { writes.last { $0.end != nil }?.name }

  static func begin(_ name: WriteName, _ time: UInt64, _ edits: [DeviceEdit]) -> String {
    (["begin \(name) \(time)"] + edits.map(\.text) + ["."]).joined(separator: " ")
  }

  static func done(_ name: WriteName, _ time: UInt64) -> String { "done \(name) \(time) ." }
  static func told(_ key: String) -> String { "told \(key) ." }

  static func trouble(_ words: String) -> String {
    "trouble \(words.split { $0.isWhitespace }.joined(separator: " ")) ."
  }
}
