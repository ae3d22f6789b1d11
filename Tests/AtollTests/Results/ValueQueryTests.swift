import AtollQuery
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

private enum Grade: Int, PersistableEnum {
  case poor = 1
  case fair, good
}

private final class Exam: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var marks: List<Int>
  @Persisted var rest: List<Double?>
  @Persisted var names: MutableSet<String>
  @Persisted var grades: List<Grade>
  @Persisted var days: List<Date>
  @Persisted var flags: List<Bool>
  @Persisted var any: List<AnyRealmValue>
}

/// Conditions for the values of a collection.
@Suite(.waiting) struct ValueQueryTests {
  private let realm: Realm
  private let exam: Exam

  init() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Exam.self]))
    let exam = Exam()
    exam.marks.append(objectsIn: [5, 1, 9, 5, 3])
    exam.rest.append(objectsIn: [0.5, nil, 2])
    exam.names.insert(objectsIn: ["Ada", "bob", "Åse"])
    exam.grades.append(objectsIn: [.good, .poor, .fair])
    exam.days.append(objectsIn: [Date(timeIntervalSince1970: 5), Date(timeIntervalSince1970: 9)])
    exam.flags.append(objectsIn: [true, false, true])
    exam.any.append(.int(3))
    try realm.write { realm.add(exam) }
    (self.realm, self.exam) = (realm, exam)
  }

  @Test func valuesPassInTheirOrderEachTimeThatTheyAreThere() {
    #expect(Array(exam.marks.where { $0 > 3 }) == [5, 9, 5])
    #expect(Array(exam.marks.filter("SELF > 3")) == [5, 9, 5])
    #expect(Array(exam.marks.filter("self > $0 AND self < $1", 3, 9)) == [5, 5])
    #expect(Array(exam.marks.where { $0.contains(3..<6) }) == [5, 5, 3])
    #expect(Array(exam.marks.where { $0.in([1, 9]) || $0 == 3 }) == [1, 9, 3])
    #expect(Array(exam.marks.where { !($0 == 5) }) == [1, 9, 3])
    #expect(exam.marks.filter("SELF IN {1, 2}").count == 1)
    #expect(Array(exam.marks.filter("SELF + 1 == 10")) == [9])
    #expect(Array(exam.marks.filter(NSPredicate(format: "SELF == %@", 9))) == [9])
  }

  @Test func textsDatesBooleansAndNullsAreAskedAsProperties() {
    #expect(Set(exam.names.where { $0.starts(with: "a", options: .caseInsensitive) }) == ["Ada"])
    #expect(Set(exam.names.filter("SELF CONTAINS[c] 'B'")) == ["bob"])
    #expect(exam.days.where { $0 > Date(timeIntervalSince1970: 5) }.count == 1)
    #expect(exam.flags.where { $0 }.count == 2)
    #expect(exam.flags.filter("SELF == FALSE").count == 1)
    #expect(Array(exam.rest.where { $0 == nil }) == [nil])
    #expect(Array(exam.rest.where { $0 > 0.5 }) == [2])
    #expect(Array(exam.rest.filter("SELF != NULL")) == [0.5, 2])
  }

  /// As of a property of booleans.
  @Test func numbersAndWordsStandForBooleans() throws {
    for text in ["SELF == YES", "SELF == 1", "self IN {1}", "NO != Self", "%K == 1", "SELF != 0"] {
      let predicate =
        text.hasPrefix("%") ? NSPredicate(format: text, "SELF") : NSPredicate(format: text)
      #expect(Array(exam.flags.filter(predicate)) == [true, true], "\(text)")
    }
    #expect(exam.flags.filter("SELF == $0 OR SELF IN $1", 0, [0, 0]).count == 1)
    #expect(Array(exam.marks.filter("SELF == 1")) == [1])
    #expect(throws: QueryError.self) { try exam.flags.query("SELF == 2") }
    #expect(throws: QueryError.self) { try exam.marks.query("SELF == YES") }
  }

  @Test func enumsAreAskedByTheirCases() {
    #expect(Array(exam.grades.where { $0 == .good }) == [.good])
    #expect(Array(exam.grades.where { $0.in([.poor, .fair]) }) == [.poor, .fair])
    #expect(Array(exam.grades.filter("SELF > $0", Grade.poor)) == [.good, .fair])
  }

  @Test func conditionsOrdersAndAggregatesFollowOneAnother() {
    let large = exam.marks.where { $0 > 2 }
    #expect(Array(large.sorted()) == [3, 5, 5, 9])
    #expect(Array(large.sorted().distinct().where { $0 < 9 }) == [3, 5])
    #expect(Array(exam.marks.sorted(ascending: false).filter("SELF < 6")) == [5, 5, 3, 1])
    #expect(large.sum() == 22)
    #expect(large.max() == 9)
    #expect(exam.marks.where { $0 > 100 }.isEmpty)
    #expect(exam.marks.index(matching: "SELF > 5") == 2)
    #expect(exam.marks.index(matching: { $0 == 3 }) == 4)
    #expect(exam.marks.index(matching: "SELF > 50") == nil)
    #expect(large == exam.marks.where { $0 > 2 })
    #expect(large != exam.marks.where { $0 > 3 })
  }

  @Test func whatIsFoundFollowsTheRealm() throws {
    let large = exam.marks.where { $0 > 3 }
    let frozen = large.freeze()
    realm.beginWrite()
    exam.marks.append(7)
    #expect(Array(large) == [5, 9, 5, 7])
    realm.cancelWrite()
    #expect(Array(large) == [5, 9, 5])
    try realm.write { exam.marks.removeFirst() }
    #expect(Array(large) == [9, 5])
    #expect(Array(frozen) == [5, 9, 5])
    try realm.write { realm.delete(exam) }
    #expect(large.isEmpty && large.isInvalidated)
  }

  @Test func anErrorNamesTheValue() throws {
    let sentences = [
      "age > 3": "hint: a value of the collection is SELF",
      "SELF TEXT 'x'": "`SELF` is of type int",
      "Self.@max > 1": "'Value.self'",
      "SUBQUERY(SELF, $x, $x.age > 1).@count > 0": "`SELF` is an int",
    ]
    for (text, sentence) in sentences {
      let error = #expect(throws: QueryError.self) { try exam.marks.query(text) }
      let description = error?.description ?? ""
      #expect(description.contains(sentence), "\(text): \(description)")
    }
  }

  @Test func whatCannotBeAskedIsAnError() throws {
    #expect(throws: QueryError.self) { try exam.marks.query("age > 3") }
    #expect(throws: QueryError.self) { try exam.marks.query("SELF > 'x'") }
    #expect(throws: QueryError.self) { try exam.marks.query("SELF >") }
    #expect(throws: Realm.Error(.invalidInput)) { try exam.marks.query("SELF > 3 LIMIT(1)") }
    #expect(throws: Realm.Error(.invalidInput)) { try exam.any.query("SELF > 3") }
    #expect(try Array(exam.marks.query("SELF > 3")) == [5, 9, 5])
  }

  @Test func wrongUseEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let realm = try Realm(
        configuration: Realm.Configuration(inMemoryIdentifier: "values", objectTypes: [Exam.self]))
      let exam = try realm.write { realm.create(Exam.self) }
      _ = exam.marks.filter("age > 3")
    }
  }

  /// Observers are told of the values that pass.
  @MainActor @Test func conditionsOfValuesAreObserved() async throws {
    let realm = try await Realm(configuration: realm.configuration)
    let exam = try #require(realm.objects(Exam.self).first)
    var told: [String] = []
    let token = exam.marks.where { $0 > 3 }.observe { change in
      if case .update(let marks, let deletions, let insertions, _) = change {
        told.append("\(Array(marks)) \(deletions) \(insertions)")
      }
    }
    defer { token.invalidate() }
    realm.refresh()
    func write(_ body: () -> Void) async throws {
      try realm.write { body() }
      await withCheckedContinuation { continuation in
        DispatchQueue.main.async { continuation.resume() }
      }
      realm.refresh()
    }
    try await write {}
    told = []
    try await write { exam.marks.append(2) }
    #expect(told == [])
    try await write { exam.marks.append(8) }
    #expect(told == ["[5, 9, 5, 8] [] [3]"])
    try await write { exam.marks.remove(at: 0) }
    #expect(told.last == "[9, 5, 8] [0] []")
  }

  // MARK: Random programs

  /// What a condition finds is what a loop finds.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func conditionsFindWhatLoopsFind(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let live = exam.marks.where { $0 >= 4 }
    for _ in 0..<15 {
      let isCancelled = Int.random(in: 0..<4, using: &random) == 0
      realm.beginWrite()
      for _ in 0..<Int.random(in: 1..<6, using: &random) {
        let count = exam.marks.count
        switch Int.random(in: 0..<5, using: &random) {
        case 0 where count > 0: exam.marks.remove(at: Int.random(in: 0..<count, using: &random))
        case 1 where count > 1: exam.marks.move(from: 0, to: count - 1)
        case 2 where count > 0: exam.marks[0] = Int.random(in: 0..<10, using: &random)
        default: exam.marks.append(Int.random(in: 0..<10, using: &random))
        }
      }
      try expectSame(live, &random)
      if isCancelled { realm.cancelWrite() } else { try realm.commitWrite() }
      try expectSame(live, &random)
    }
  }

  private func expectSame(_ live: Results<Int>, _ random: inout SplitMix64) throws {
    let marks = Array(exam.marks)
    let low = Int.random(in: 0..<6, using: &random)
    let high = Int.random(in: 4..<10, using: &random)
    #expect(Array(live) == marks.filter { $0 >= 4 })
    #expect(
      Array(exam.marks.where { $0 > low && $0 != high })
        == marks.filter { $0 > low && $0 != high })
    #expect(
      Array(exam.marks.filter("SELF < $0 OR SELF == $1", low, high))
        == marks.filter { $0 < low || $0 == high })
    #expect(
      Array(exam.marks.sorted().where { $0.in([low, high]) })
        == marks.sorted().filter { [low, high].contains($0) })
    #expect(
      exam.marks.index(matching: { $0 > high }) == marks.firstIndex { $0 > high })
  }
}
