internal import Atoll

/// An observer of what a query of a class finds, and the numbers that it was told of.
final class ApiObserver {
  let kind: String
  let query: ApiQuery
  /// Whether the key is an integer, by which the file knows an object: one that was deleted and made
  /// again with the same key is a changed one, with another number.
  private let hasIntegerKey: Bool
  /// What was there when the observation began.
  private let initialNumbers: [Int]
  var token: NotificationToken?
  var sectionToken: NotificationToken?
  var sections = ApiSectionRecord()
  private(set) var numbers: [Int]?
  /// What was wrong with what it was told.
  private(set) var problem: String?

  init(kind: ApiKind, query: ApiQuery, numbers: [Int]) {
    self.kind = kind.name
    hasIntegerKey = kind.key?.initial.isInteger ?? false
    self.query = query
    initialNumbers = numbers
  }

  var name: String { "an observer of \(kind) \(query.text ?? "")" }

  func hear(_ notice: ApiNotice) {
    guard !notice.isInitial else {
      if numbers != nil { problem = "\(name) is told of the beginning twice" }
      if notice.numbers != initialNumbers {
        problem =
          "\(name) begins with \(notice.numbers), and there was \(initialNumbers)"
      }
      numbers = notice.numbers
      return
    }
    guard let numbers else {
      problem = "\(name) is told of a change before the beginning"
      return
    }
    for index in notice.deletions + notice.modifications where !numbers.indices.contains(index) {
      problem = "\(name) is told of a change at \(index), and there were \(numbers.count)"
      return
    }
    var told: [Int?] = numbers
    if hasIntegerKey { for index in notice.modifications { told[index] = nil } }
    for index in notice.deletions.reversed() { told.remove(at: index) }
    for index in notice.insertions {
      guard notice.numbers.indices.contains(index), index <= told.count else {
        problem = "\(name) is told of an insertion at \(index)"
        return
      }
      told.insert(notice.numbers[index], at: index)
    }
    let isSame =
      told.count == notice.numbers.count
      && zip(told, notice.numbers).allSatisfy { $0 == nil || $0 == $1 }
    if !isSame {
      problem =
        "\(name) had \(numbers), was told of deletions \(notice.deletions), insertions "
        + "\(notice.insertions) and modifications \(notice.modifications), and has \(notice.numbers)"
    }
    self.numbers = notice.numbers
  }
}

/// An observer of an object or of one of its collections, and what it was told of.
final class ApiPartObserver {
  let number: Int
  let kind: String
  private let field: ApiField?
  var token: NotificationToken?
  /// The contents of the collection as they were told last; nil before the beginning.
  private var contents: ApiValue?
  /// What there was when the observer was asked last.
  private var row: ApiRow?
  /// The properties that it was told of since then.
  private var changed: Set<String> = []
  private var isAtEnd = false

  init(number: Int, field: ApiField?, row: ApiRow) {
    self.number = number
    kind = row.kind
    self.field = field
    self.row = row
  }

  func hear(_ contents: ApiValue) { self.contents = contents }
  func hear(_ properties: [String]) { changed.formUnion(properties) }
  func hearOfEnd() { isAtEnd = true }

  /// What is wrong with what it was told, where `new` is there now.
  ///
  /// `renumbered`: the numbers of embedded objects that were changed in place.
  func problem(_ new: ApiRow?, renumbered: Set<Int>) -> String? {
    defer {
      row = new
      changed = []
    }
    if let field {
      let expected = new?.values[field.name] ?? field.initial
      if contents == expected { return nil }
      return
        "an observer of #\(number).\(field.name) knows \(contents.map { "\($0)" } ?? "nothing")"
        + ", expected \(expected)"
    }
    guard let new else {
      return isAtEnd ? nil : "an observer of #\(number) is not told of its deletion"
    }
    if isAtEnd { return "an observer of #\(number) is told of a deletion" }
    for (name, value) in new.values where row?.values[name] != value && !changed.contains(name) {
      if case .object(let part) = value, renumbered.contains(part) { continue }
      return "an observer of #\(number) is not told of \(name), which is \(value)"
    }
    return nil
  }
}
