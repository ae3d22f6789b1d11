/// An array of objects, which computes every answer in the plainest way.
///
/// It is never timed: it runs the same workloads as the engines, and its answers are theirs to
/// meet.
///
/// Invariant: `people[key]` is nil or the object with that key.
package final class ReferenceEngine {
  private var people: [Person?] = []

  /// Creates an engine without objects.
  package init() {}

  /// The objects that are there, in the order of their keys.
  var all: some Sequence<Person> {
    people.lazy.compactMap { $0 }
  }

  /// The object with `key`, nil when there is none.
  func person(_ key: Int) -> Person? {
    people.indices.contains(key) ? people[key] : nil
  }

  /// The sum that the reading workloads compute.
  private func sumOfFields(_ person: Person) -> Double {
    Double(person.age) + person.score + Double(person.name.utf8.count)
  }
}

extension ReferenceEngine: Engine {
  package func open() {}

  package func close() {}

  package func insert(_ newcomers: ArraySlice<Person>) {
    for person in newcomers {
      precondition(person.id == people.count, "keys ascend without gaps")
      people.append(person)
    }
  }

  package func update(_ updates: ArraySlice<AgeUpdate>) {
    for update in updates {
      precondition(people[update.key] != nil, "every updated object is there")
      people[update.key]?.age = update.age
    }
  }

  package func delete(keys: [Int]) {
    for key in keys { people[key] = nil }
    for index in people.indices {
      guard let friend = people[index]?.friend, people[friend] == nil else { continue }
      people[index]?.friend = nil
    }
  }

  package func sumOfFields(keys: [Int]) -> Double {
    keys.reduce(0) { sum, key in sum + (person(key).map(sumOfFields) ?? 0) }
  }

  package func sumOfFieldsOfAll() -> Double {
    all.reduce(0) { $0 + sumOfFields($1) }
  }

  package func objectCount() -> Int {
    all.reduce(0) { count, _ in count + 1 }
  }

  package func pin() {}

  package func unpin() {}

  package func fileByteCount() -> Int { 0 }

  package func contents() -> Contents {
    Contents(
      objectCount: objectCount(), ageSum: all.reduce(0) { $0 + $1.age },
      linkCount: all.reduce(0) { $0 + ($1.friend == nil ? 0 : 1) })
  }
}
