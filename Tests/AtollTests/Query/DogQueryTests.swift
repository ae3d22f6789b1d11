import Foundation
import TestThreads
import Testing

@testable import Atoll

/// Each operator on dogs: the text that it becomes, and the dogs that it finds.
@Suite(.computing) struct DogQueryTests {
  struct Case: CustomTestStringConvertible {
    let text: String
    let ids: [Int]
    let condition: @Sendable (Query<Dog>) -> Query<Bool>

    init(
      _ text: String, _ ids: [Int], _ condition: @escaping @Sendable (Query<Dog>) -> Query<Bool>
    ) {
      self.text = text
      self.ids = ids
      self.condition = condition
    }

    var testDescription: String { text }
  }

  static let chip = UUID(uuidString: "00000000-0000-0000-0000-000000000003") ?? UUID()

  static let comparisons: [Case] = [
    Case("age == 3", [1, 3]) { $0.age == 3 },
    Case("age != 3", [2]) { $0.age != 3 },
    Case("age > 3", [2]) { $0.age > 3 },
    Case("age >= 3", [1, 2, 3]) { $0.age >= 3 },
    Case("age < 4", [1, 3]) { $0.age < 4 },
    Case("age <= 3", [1, 3]) { $0.age <= 3 },
    Case("grade == NULL", [2]) { $0.grade == nil },
    Case("grade != NULL", [1, 3]) { $0.grade != nil },
    Case("grade > 4", [3]) { $0.grade > 4 },
    Case("age == id", [3]) { $0.age == $0.id },
    Case("age > id", [1, 2]) { $0.age > $0.id },
    Case("weight_kg > 12.25", [1]) { $0.weight > 12.25 },
    Case("height == 15.25f", [1]) { $0.height == 15.25 },
    Case("price >= 20.5", [2, 3]) { $0.price >= Decimal128(value: 20.5) },
    Case("born < T2000:0", [1]) { $0.born < Date(timeIntervalSince1970: 2000) },
    Case("chip == uuid(00000000-0000-0000-0000-000000000003)", [3]) { $0.chip == chip },
    Case("code == oid(000000000000000000000002)", [2]) {
      $0.code == (try? ObjectId(string: "000000000000000000000002")) ?? ObjectId()
    },
    Case("picture == bin(B64\"AQID\")", [1]) { $0.picture == Data([1, 2, 3]) },
    Case("isGood == TRUE", [1, 3]) { $0.isGood },
    Case("NOT isGood == TRUE", [2]) { !$0.isGood },
    Case("isGood == FALSE", [2]) { $0.isGood == false },
    Case("age >= 3 AND age < 9", [1, 3]) { $0.age.contains(3..<9) },
    Case("age BETWEEN {4, 9}", [2]) { $0.age.contains(4...9) },
    Case("grade BETWEEN {4, 7}", [1, 3]) { $0.grade.contains(4...7) },
    Case("age IN {9, 10}", [2]) { $0.age.in([9, 10]) },
    Case("grade IN {NULL, 4}", [1, 2]) { $0.grade.in([nil, 4]) },
    Case("age IN {}", []) { $0.age.in([Int]()) },
  ]

  static let texts: [Case] = [
    Case("name CONTAINS 'e'", [1]) { $0.name.contains("e") },
    Case("name CONTAINS[c] 'FI'", [2]) { $0.name.contains("FI", options: .caseInsensitive) },
    Case("name BEGINSWITH 'L'", [3]) { $0.name.starts(with: "L") },
    Case("name ENDSWITH 'o'", [2]) { $0.name.ends(with: "o") },
    Case("name ==[c] 'REX'", [1]) { $0.name.equals("REX", options: .caseInsensitive) },
    Case("name !=[cd] 'rëx'", [2, 3]) {
      $0.name.notEquals("rëx", options: [.caseInsensitive, .diacriticInsensitive])
    },
    Case("name LIKE '?e*'", [1]) { $0.name.like("?e*") },
    Case("name LIKE[c] 'F*'", [2]) { $0.name.like("F*", caseInsensitive: true) },
    Case("picture BEGINSWITH bin(B64\"Ag==\")", [2]) { $0.picture.starts(with: Data([2])) },
    Case("owner.name == 'Ada'", [1]) { $0.owner.name == "Ada" },
    Case("owner.boss.name == 'Ada'", [3]) { $0.owner.boss.name == "Ada" },
    Case("owner == NULL", [2]) { $0.owner == nil },
    Case("owner.nick CONTAINS 'b'", [3]) { $0.owner.nick.contains("b") },
  ]

  static let logic: [Case] = [
    Case("age == 3 AND isGood == TRUE AND weight_kg < 20.0", [3]) {
      $0.age == 3 && $0.isGood && $0.weight < 20
    },
    Case("age == 9 OR isGood == TRUE AND weight_kg < 20.0", [2, 3]) {
      $0.age == 9 || $0.isGood && $0.weight < 20
    },
    Case("(age == 9 OR isGood == TRUE) AND weight_kg < 20.0", [2, 3]) {
      ($0.age == 9 || $0.isGood) && $0.weight < 20
    },
    Case("NOT (age == 9 OR age == 3)", []) { !($0.age == 9 || $0.age == 3) },
    Case("age == 3", [1, 3]) { ($0.age == 3) == true },
  ]

  @Test(arguments: comparisons + texts + logic)
  func anOperatorBecomesTextThatFindsTheSameDogs(example: Case) throws {
    let realm = try Shelter.realm()
    let dogs = realm.objects(Dog.self)
    let (text, arguments) = example.condition(Query<Dog>._constructForTesting())
      ._constructPredicate()
    #expect(arguments.isEmpty)
    #expect(text == example.text)
    #expect(dogs.where(example.condition).map(\.id).sorted() == example.ids)
    #expect(try dogs.query(text).map(\.id).sorted() == example.ids)
  }

  @Test func anObjectIsAskedForByItsPrimaryKey() throws {
    let realm = try Shelter.realm()
    let bob = try #require(realm.object(ofType: Person.self, forPrimaryKey: "Bob"))
    #expect(realm.objects(Dog.self).where { $0.owner == bob }.map(\.id) == [3])
    #expect(realm.objects(Dog.self).where { $0.owner != bob }.map(\.id) == [1, 2])
    #expect(realm.objects(Dog.self).filter("owner == %@", bob).map(\.id) == [3])
    let (text, _) = (Query<Dog>._constructForTesting().owner == bob)._constructPredicate()
    #expect(text == "owner == obj('Person', 'Bob')")
  }
}
