import Atoll
import Foundation

/// A small object, which most rows are measured with.
final class Sample: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var name: String
  @Persisted var count: Int
  @Persisted var ratio: Double
  @Persisted var isOpen: Bool

  /// Makes an object whose values follow from its number.
  convenience init(number: Int) {
    self.init()
    _id = number
    // 20 bytes, of which a leaf has many.
    name = "a name of \(1_000_000_000 + number * 7 % 1_000_000)"
    count = number * 31 % 1_000
    ratio = Double(number % 100)
    isOpen = number % 3 == 0
  }
}

/// An object with a list.
final class Notebook: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var lines: List<String>
}

/// An object with nine properties.
final class Wide: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var city: String
  @Persisted var age: Int
  @Persisted var height: Double
  @Persisted var isMember: Bool
  @Persisted var born: Date
  @Persisted var score: Int?
  @Persisted var note: String?
}

extension Realm {
  /// Makes and adds objects with nine properties in one write, and reads one property of each.
  ///
  /// - Returns: The sum of what was read.
  func addWide(_ numbers: Range<Int>, round: Int) throws -> Int {
    try write {
      var sum = 0
      for number in numbers {
        let object = Wide()
        object.name = "name \(number)"
        object.city = "Oslo"
        object.age = number
        object.height = 1.5
        object.isMember = number % 2 == 0
        object.born = Date(timeIntervalSince1970: Double(number))
        object.score = round
        object.note = "note"
        add(object)
        sum += object.age
      }
      return sum
    }
  }
}
