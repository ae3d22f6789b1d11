internal import Atoll
internal import Foundation

/// How observed sections have changed.
struct ApiSectionNotice {
  /// The numbers of the objects in each section now.
  let sections: [[Int]]
  var isInitial = false
  var deletions: [IndexPath] = []
  var insertions: [IndexPath] = []
  var modifications: [IndexPath] = []
  var insertedSections = IndexSet()
  var deletedSections = IndexSet()
}

/// What an observer was told of the sections of what a query finds, by the remainder of the numbers.
struct ApiSectionRecord {
  /// How many remainders there are.
  static let divisor = 3

  private(set) var sections: [[Int]]?
  /// What was wrong with what it was told.
  private(set) var problem: String?

  /// The sections of these objects.
  static func sections(of numbers: [Int]) -> [[Int]] {
    var sections: [[Int]] = []
    for number in numbers.sorted() {
      if let index = sections.firstIndex(where: { $0[0] % divisor == number % divisor }) {
        sections[index].append(number)
      } else {
        sections.append([number])
      }
    }
    return sections
  }

  mutating func hear(_ notice: ApiSectionNotice) {
    defer { sections = notice.sections }
    if notice.isInitial { return }
    guard let sections else {
      problem = "sections are told of a change before the beginning"
      return
    }
    var told: [[Int?]] = sections
    for path in notice.modifications { told[path[0]][path[1]] = nil }
    for path in notice.deletions.reversed() { told[path[0]].remove(at: path[1]) }
    for section in notice.deletedSections.reversed() { told.remove(at: section) }
    for section in notice.insertedSections { told.insert([], at: section) }
    for path in notice.insertions {
      told[path[0]].insert(notice.sections[path[0]][path[1]], at: path[1])
    }
    let isSame =
      told.map(\.count) == notice.sections.map(\.count)
      && zip(told.joined(), notice.sections.joined()).allSatisfy { $0 == nil || $0 == $1 }
    if !isSame { problem = "sections were \(sections), are told of \(notice)" }
  }
}

extension ApiClass {
  func observeSections(
    _ realm: Realm, _ query: ApiQuery, _ block: @escaping (ApiSectionNotice) -> Void
  ) -> NotificationToken {
    let sections = results(realm, query).sectioned(sortDescriptors: ["number"]) {
      $0.number % ApiSectionRecord.divisor
    }
    return sections.observe { change in
      switch change {
      case .initial(let sections):
        block(ApiSectionNotice(sections: sections.map { $0.map(\.number) }, isInitial: true))
      case .update(
        let sections, let deletions, let insertions, let modifications, let inserted, let deleted):
        block(
          ApiSectionNotice(
            sections: sections.map { $0.map(\.number) }, deletions: deletions,
            insertions: insertions, modifications: modifications, insertedSections: inserted,
            deletedSections: deleted))
      }
    }
  }
}
