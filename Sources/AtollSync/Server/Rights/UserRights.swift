internal import AtollObjects

/// The rights of one user: the rules with the user's values in them.
package struct UserRights: Hashable, Sendable {
  /// Whether everything is allowed, whatever `classes` says.
  private let isUnlimited: Bool
  /// The classes that the user has a role in.
  private let classes: [ExactText: ClassRights]

  static let everything = UserRights(isUnlimited: true, classes: [:])
  static let nothing = UserRights(isUnlimited: false, classes: [:])

  private init(isUnlimited: Bool, classes: [ExactText: ClassRights]) {
    self.isUnlimited = isUnlimited
    self.classes = classes
  }

  init(_ classes: [ExactText: ClassRights]) { self.init(isUnlimited: false, classes: classes) }

  /// The user's rights on the objects of a class; nil: none.
  subscript(className: String) -> ClassRights? {
    isUnlimited ? .everything : classes[ExactText(className)]
  }

  /// The user's view of subscriptions: each narrowed by what may be read.
  func views(of subscriptions: [ViewQuery]) -> [ViewQuery] {
    if isUnlimited { return subscriptions }
    var views: Set<ViewQuery> = []
    for subscription in subscriptions {
      guard let read = classes[ExactText(subscription.className)]?.read,
        let text = read.narrowing(subscription.text)
      else { continue }
      views.insert(ViewQuery(className: subscription.className, text: text))
    }
    return views.sorted()
  }

  /// How many bytes the text of one right may have with the user's values in it.
  static let textByteLimit = 64 << 10
  /// How many bytes of such texts the views of a device may have, each its own.
  static let narrowingByteLimit = 2 << 20

  /// Whether the texts of the rights are short enough, also in the views of subscriptions: each view
  /// has the whole text of what may be read, with values that the user may have written.
  ///
  /// `classNames`: the class of each subscription. No view is made.
  func areShort(forSubscriptionsTo classNames: some Sequence<String>) -> Bool {
    if isUnlimited { return true }
    guard classes.values.allSatisfy({ $0.longestText <= Self.textByteLimit }) else { return false }
    var left = Self.narrowingByteLimit
    for className in classNames {
      left -= classes[ExactText(className)]?.read.textByteCount ?? 0
      if left < 0 { return false }
    }
    return true
  }

  /// For a user whose rights are not short.
  static let lengthText =
    "the values that the rules take from the user's data are too long, for one rule or with so many "
    + "subscriptions; shorten them, or subscribe to less"

  /// Equal for equal rights, in every process.
  var digest: UInt64 { Self.digest(classes.mapValues(\.text), isUnlimited) }

  /// Equal where the same properties may be read.
  var readableDigest: UInt64 {
    Self.digest(classes.mapValues { $0.readable?.text ?? "all" }, isUnlimited)
  }

  /// Hashes a text that has all of it in one order.
  private static func digest(_ texts: [ExactText: String], _ isUnlimited: Bool) -> UInt64 {
    var text = isUnlimited ? "everything" : "rules"
    for (name, rights) in texts.sorted(by: { $0.key.precedes($1.key) }) {
      text += "\n\(name)\n\(rights)"
    }
    var digest = FNV1a()
    digest.add(text)
    return digest.hash
  }
}

/// A user's rights on the objects of one class.
struct ClassRights: Hashable, Sendable {
  /// The name of the role that gives the rights.
  let role: String
  let read: ObjectSelection
  /// Objects that may be changed; all of them may be read.
  let write: ObjectSelection
  /// Objects that may be made; all of them may be written.
  let insert: ObjectSelection
  /// Objects that may be deleted; all of them may be written.
  let delete: ObjectSelection
  let properties: PropertyRights
  /// The properties that subscriptions may name beside the primary key; nil: all.
  let queryable: Set<ExactText>?
  /// The property that subscriptions must fix to constants.
  let partition: String?
  /// Which properties may be read, alike for roles that differ in nothing else; nil: all.
  let readable: PropertyRights?
  /// The properties that tell whether an object may be written; nil: perhaps any.
  ///
  /// An object that could be written, and in which none of these has changed, still can.
  let writeProperties: Set<ExactText>?

  static let everything = ClassRights(
    role: "everybody", read: .all, write: .all, insert: .all, delete: .all, properties: .all,
    queryable: nil, partition: nil, writeProperties: [])

  init(
    role: String, read: ObjectSelection, write: ObjectSelection, insert: ObjectSelection,
    delete: ObjectSelection, properties: PropertyRights, queryable: Set<ExactText>?,
    partition: String?, writeProperties: Set<ExactText>?
  ) {
    self.role = role
    self.read = read
    self.write = read.intersection(write)
    self.insert = self.write.intersection(insert)
    self.delete = self.write.intersection(delete)
    self.properties = properties
    self.queryable = queryable
    self.partition = partition
    self.writeProperties = writeProperties
    readable = properties.allowsReadingAll ? nil : properties.readable
  }

  /// How many bytes the longest of its texts has.
  var longestText: Int {
    [read, write, insert, delete].reduce(0) { max($0, $1.textByteCount) }
  }

  /// Whether subscriptions may name a property.
  func allowsAsking(for property: String) -> Bool {
    properties[property] >= .read && queryable?.contains(ExactText(property)) ?? true
  }

  /// All of it in one order.
  fileprivate var text: String {
    let queryable =
      queryable.map { names in
        names.sorted { $0.precedes($1) }.map(\.text).joined(separator: ",")
      } ?? "*"
    return [
      role, read.text, write.text, insert.text, delete.text, properties.text, queryable,
      partition ?? "",
    ].joined(separator: "\n")
  }
}

extension PropertyRights {
  /// The rights without any right to write.
  fileprivate var readable: PropertyRights {
    let others = min(others, .read)
    return PropertyRights(
      named: named.mapValues { min($0, .read) }.filter { $0.value != others }, others: others)
  }

  /// All of it in one order.
  fileprivate var text: String {
    named.sorted { $0.key.precedes($1.key) }.map { "\($0.key)=\($0.value.rawValue)," }.joined()
      + "\(others.rawValue)"
  }
}

/// Some objects of a class: those for which an action is allowed.
enum ObjectSelection: Hashable, Sendable {
  case none
  case all
  /// Those that match a predicate of the query language.
  case matching(ExactText)

  /// The objects in both.
  func intersection(_ other: ObjectSelection) -> ObjectSelection {
    switch (self, other) {
    case (.none, _), (_, .none): .none
    case (.all, let some), (let some, .all): some
    case (.matching(let a), .matching(let b)):
      a == b ? self : .matching(ExactText("(\(a)) AND (\(b))"))
    }
  }

  /// The predicate for those of the objects that match another; nil when there are none.
  func narrowing(_ text: String) -> String? {
    switch self {
    case .none: nil
    case .all: text
    case .matching(let own): "(\(own)) AND (\(text))"
    }
  }

  /// How many bytes the predicate has; 0 where there is none.
  var textByteCount: Int { if case .matching(let text) = self { text.text.utf8.count } else { 0 } }

  fileprivate var text: String {
    switch self {
    case .none: "none"
    case .all: "all"
    case .matching(let text): "matching \(text)"
    }
  }
}

extension ExactText {
  /// The order of digests: of bytes, the same in every process.
  fileprivate func precedes(_ other: ExactText) -> Bool {
    text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }
}
