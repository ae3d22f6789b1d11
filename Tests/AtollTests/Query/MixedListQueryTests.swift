import Foundation
import TestThreads
import Testing

@testable import Atoll

/// A list or dictionary in a mixed property is one value, which a condition compares as a whole.
@Suite(.computing) struct MixedListQueryTests {
  private static var list: AnyRealmValue { .fromArray([.int(1), .int(2)]) }

  struct Case: CustomTestStringConvertible {
    let text: String
    let names: [String]
    let condition: @Sendable (Query<Tree>) -> Query<Bool>

    init(
      _ text: String, _ names: [String],
      _ condition: @escaping @Sendable (Query<Tree>) -> Query<Bool>
    ) {
      self.text = text
      self.names = names
      self.condition = condition
    }

    var testDescription: String { text }
  }

  static let cases: [Case] = [
    Case("note == ANY {$0}", ["oak"]) { $0.note == list },
    Case("note != ANY {$0}", ["elm", "yew"]) { $0.note != list },
    Case("note == ANY {$0}", []) { $0.note == .fromArray([.int(1)]) },
    Case("note == ANY {$0}", []) { $0.note == .fromArray([.int(2), .int(1)]) },
    Case("note == ANY {$0}", []) { $0.note == .fromArray([]) },
    Case("note < ANY {$0}", []) { $0.note < list },
    Case("note IN {$0, 1}", ["elm", "oak"]) { $0.note.in([list, .int(1)]) },
    Case("note IN {$0, NULL}", ["oak"]) { $0.note.in([list, .none]) },
    Case("note['k'] == ANY {$0}", ["yew"]) { $0.note["k"] == list },
    Case("note == $0", ["yew"]) { $0.note == .fromDictionary(["k": list]) },
    Case("note[*] == ANY {$0}", ["yew"]) { $0.note.any == list },
    Case("ANY {$0} IN notes", ["oak"]) { $0.notes.contains(list) },
    Case("notes == ANY {$0}", ["oak"]) { $0.notes == list },
    Case("notes != ANY {$0}", ["elm", "oak"]) { $0.notes != list },
    Case("ANY notes IN {$0, 9}", ["oak"]) { $0.notes.containsAny(in: [list, .int(9)]) },
    Case("notesByName.@values == ANY {$0}", ["oak"]) {
      $0.notesByName.values == .fromArray([.int(3)])
    },
    Case("notesByName['k'] == ANY {$0}", ["oak"]) { $0.notesByName["k"] == .fromArray([.int(3)]) },
    Case("ANY {$0} IN notesByName", ["oak"]) { $0.notesByName.contains(.fromArray([.int(3)])) },
    Case("neighbour.note == ANY {$0}", ["elm"]) { $0.neighbour.note == list },
    Case("neighbours.note == ANY {$0}", ["yew"]) { $0.neighbours.note == list },
    Case("SUBQUERY(neighbours, $x, $x.note == ANY {$0}).@count == 1", ["yew"]) {
      ($0.neighbours.note == list).count == 1
    },
    // Numbers of other types are equal by value, also in a list.
    Case("note == ANY {$0}", ["oak"]) { $0.note == .fromArray([.double(1), .decimal128(2)]) },
  ]

  @Test(arguments: cases)
  func aListIsComparedAsAWhole(example: Case) throws {
    let trees = try Orchard.realm().objects(Tree.self)
    var text = ""
    var arguments: [Any] = []
    let found = trees.where {
      let query = example.condition($0)
      (text, arguments) = query._constructPredicate()
      return query
    }
    #expect(text == example.text)
    #expect(found.map(\.name).sorted() == example.names)
    let read = trees.filter(NSPredicate(format: text, argumentArray: arguments))
    #expect(read.map(\.name).sorted() == example.names)
    let others = trees.where { !example.condition($0) }.map(\.name).sorted()
    #expect(others == ["elm", "oak", "yew"].filter { !example.names.contains($0) })
  }

  /// A list or dictionary without elements was left out when a new object was added, and so read as
  /// none.
  @Test func anEmptyCollectionInANewObjectIsNotNull() throws {
    let realm = try Orchard.realm()
    try realm.write {
      for (name, note) in [
        ("list", AnyRealmValue.fromArray([])), ("map", .fromDictionary([:])), ("none", .none),
      ] {
        let tree = Tree()
        tree.name = name
        tree.note = note
        realm.add(tree)
      }
    }
    let trees = realm.objects(Tree.self)
    #expect(trees.where { $0.note == .fromArray([]) }.map(\.name) == ["list"])
    #expect(trees.where { $0.note == .fromDictionary([:]) }.map(\.name) == ["map"])
    #expect(trees.where { $0.note == .none }.map(\.name) == ["none"])
    #expect(trees.where { $0.note["k"] == .none }.map(\.name).sorted() == ["map"])
    #expect(try trees.query("note.@type == 'list' AND note.@count == 0").count == 1)
  }

  @Test func inATextAListArgumentIsAValueOfItsOwnOrOneOfItsElements() throws {
    let trees = try Orchard.realm().objects(Tree.self)
    func names(_ text: String, _ argument: Any) throws -> [String] {
      try trees.query(text, argument).map(\.name).sorted()
    }
    #expect(try names("note == %@", Self.list) == ["oak"])
    #expect(try names("note != %@", Self.list) == ["elm", "yew"])
    #expect(try names("%@ == note", Self.list) == ["oak"])
    #expect(try names("NOT note == $0", Self.list) == ["elm", "yew"])
    #expect(try names("notes == %@", Self.list) == ["oak"])
    // A Swift array stands for braces: a list in the property equals it as a whole, any other value
    // one of its elements.
    #expect(try names("note == %@", [1, 2]) == ["elm", "oak"])
    #expect(try names("note == %@", [2, 1]) == ["elm"])
    #expect(try names("note IN %@", [1, 2]) == ["elm"])
    #expect(try names("note != %@", [1, 2]) == ["elm", "yew"])
    #expect(try names("note == {1, 2}", 0) == ["elm", "oak"])
    #expect(try names("{1, 2} == note", 0) == ["elm", "oak"])
    #expect(try names("note.k == {1, 2}", 0) == ["yew"])
    #expect(try names("note == {}", 0) == [])
    #expect(try names("note != {}", 0) == ["elm", "oak", "yew"])
  }
}
