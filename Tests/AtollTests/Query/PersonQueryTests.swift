import TestThreads
import Testing

@testable import Atoll

/// Operators on collections: the text that they become, and the people that they find.
@Suite(.computing) struct PersonQueryTests {
  struct Case: CustomTestStringConvertible {
    let text: String
    let names: [String]
    let condition: @Sendable (Query<Person>) -> Query<Bool>

    init(
      _ text: String, _ names: [String],
      _ condition: @escaping @Sendable (Query<Person>) -> Query<Bool>
    ) {
      self.text = text
      self.names = names
      self.condition = condition
    }

    var testDescription: String { text }
  }

  static let cases: [Case] = [
    Case("dogs.@count == 2", ["Ada"]) { $0.dogs.count == 2 },
    Case("dogs.name == 'Luna'", ["Bob"]) { $0.dogs.name == "Luna" },
    Case("dogs.weight_kg < 10.0", ["Ada"]) { $0.dogs.weight < 10 },
    Case("dogs.isGood == TRUE", ["Ada", "Bob"]) { $0.dogs.isGood },
    Case("dogs.owner.boss.name == 'Ada'", ["Bob"]) { $0.dogs.owner.boss.name == "Ada" },
    Case("'red' IN tags", ["Ada"]) { $0.tags.contains("red") },
    Case("ANY tags IN {'Red', 'x'}", ["Bob"]) { $0.tags.containsAny(in: ["Red", "x"]) },
    Case("tags == 'old'", ["Ada"]) { $0.tags == "old" },
    Case("tags != 'Red'", ["Ada"]) { $0.tags != "Red" },
    Case("marks > 3", ["Åse"]) { $0.marks > 3 },
    Case("marks <= 1", ["Ada"]) { $0.marks <= 1 },
    Case("marks.@count > 0 AND ALL marks >= 1 AND ALL marks < 4", ["Ada"]) {
      $0.marks.contains(1..<4)
    },
    Case("marks.@count > 0 AND ALL marks >= 1 AND ALL marks <= 5", ["Ada", "Åse"]) {
      $0.marks.contains(1...5)
    },
    Case("marks.@max == 5", ["Åse"]) { $0.marks.max == 5 },
    Case("marks.@min == 1", ["Ada"]) { $0.marks.min == 1 },
    Case("marks.@sum == 0", ["Bob"]) { $0.marks.sum == 0 },
    Case("marks.@avg == 2.0", ["Ada"]) { $0.marks.avg == 2 },
    Case("dogs.@max.age > 5", ["Ada"]) { $0.dogs.age.max > 5 },
    Case("dogs.@avg.weight_kg > 12.0", ["Ada", "Bob"]) { $0.dogs.weight.avg > 12 },
    Case("dogs.@sum.age == 12", ["Ada"]) { $0.dogs.age.sum == 12 },
    Case(
      "SUBQUERY(dogs, $x, $x.age == 3 AND $x.weight_kg < 20.0).@count >= 1", ["Bob"]
    ) { ($0.dogs.age == 3 && $0.dogs.weight < 20).count >= 1 },
    Case("dogs.age == 9 AND dogs.name == 'Rex'", ["Ada"]) {
      $0.dogs.age == 9 && $0.dogs.name == "Rex"
    },
    Case("nick == ''", ["Åse"]) { $0.nick == "" },
  ]

  @Test(arguments: cases)
  func anOperatorBecomesTextThatFindsTheSamePeople(example: Case) throws {
    let realm = try Shelter.realm()
    let people = realm.objects(Person.self)
    let (text, _) = example.condition(Query<Person>._constructForTesting())._constructPredicate()
    #expect(text == example.text)
    #expect(people.where(example.condition).map(\.name).sorted() == example.names)
    #expect(try people.query(text).map(\.name).sorted() == example.names)
  }

  @Test func anObjectIsFoundInAList() throws {
    let realm = try Shelter.realm()
    let luna = try #require(realm.object(ofType: Dog.self, forPrimaryKey: 3))
    #expect(realm.objects(Person.self).where { $0.dogs.contains(luna) }.map(\.name) == ["Bob"])
    #expect(
      realm.objects(Person.self).where { $0.dogs.containsAny(in: [luna]) }.map(\.name) == ["Bob"])
  }
}
