internal import Atoll

/// An observer of all objects of a class, and the numbers that it was told of.
final class ApiObserver {
  let kind: String
  /// What was there when the observation began.
  private let initialNumbers: [Int]
  var token: NotificationToken?
  private(set) var numbers: [Int]?
  /// What was wrong with what it was told.
  private(set) var problem: String?

  init(kind: String, numbers: [Int]) {
    self.kind = kind
    initialNumbers = numbers
  }

  func hear(_ notice: ApiNotice) {
    guard !notice.isInitial else {
      if numbers != nil { problem = "an observer of \(kind) is told of the beginning twice" }
      if notice.numbers != initialNumbers {
        problem =
          "an observer of \(kind) begins with \(notice.numbers), and there was \(initialNumbers)"
      }
      numbers = notice.numbers
      return
    }
    guard var told = numbers else {
      problem = "an observer of \(kind) is told of a change before the beginning"
      return
    }
    for index in notice.deletions.reversed() where told.indices.contains(index) {
      told.remove(at: index)
    }
    for index in notice.insertions {
      guard notice.numbers.indices.contains(index), index <= told.count else {
        problem = "an observer of \(kind) is told of an insertion at \(index)"
        return
      }
      told.insert(notice.numbers[index], at: index)
    }
    if told != notice.numbers {
      problem =
        "an observer of \(kind) had \(numbers ?? []), was told of deletions \(notice.deletions) "
        + "and insertions \(notice.insertions), and has \(notice.numbers)"
    }
    numbers = notice.numbers
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
