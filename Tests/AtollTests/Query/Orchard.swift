import Atoll
import Foundation

/// An enum of strings, as a property and in collections.
enum Bark: String, PersistableEnum {
  case smooth, rough, scaly
}

/// A type of the application, kept as an integer.
struct Metres: CustomPersistable, Comparable, Hashable {
  let number: Int

  init(_ number: Int) { self.number = number }
  init(persistedValue: Int) { number = persistedValue }
  var persistableValue: Int { number }
  static func < (a: Metres, b: Metres) -> Bool { a.number < b.number }
}

/// A type of the application, kept as a string; some strings have no meaning.
struct Label: FailableCustomPersistable, Hashable {
  let text: String

  init?(persistedValue: String) { text = persistedValue }
  init(_ text: String) { self.text = text }
  var persistableValue: String { text }
}

class Tree: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var height: Metres
  @Persisted var label: Label?
  @Persisted var bark: Bark
  @Persisted var second: Bark?
  @Persisted var leaves: List<Leaf>
  @Persisted var fallen: MutableSet<Leaf>
  @Persisted var kept: Map<String, Leaf?>
  @Persisted var neighbour: Tree?
  @Persisted var neighbours: List<Tree>
  @Persisted var heights: List<Metres>
  @Persisted var barks: List<Bark>
  @Persisted var marks: List<Int>
  @Persisted var dates: List<Date>
  @Persisted var prices: Map<String, Double>
  @Persisted var words: Map<String, String>
  @Persisted var note: AnyRealmValue
  @Persisted var notes: List<AnyRealmValue>
  @Persisted var notesByName: Map<String, AnyRealmValue>
}

/// Without primary key.
class Leaf: Object {
  @Persisted var name: String
  @Persisted var other: String
  @Persisted var number: Int
  @Persisted var day: Date
  @Persisted var weight: Double?
  @Persisted var isGreen: Bool
  @Persisted var spots: List<Int>
  @Persisted(originProperty: "leaves") var trees: LinkingObjects<Tree>
}

/// Three trees, the same for every test.
///
/// The oak has the leaves a (1, green), b (2) and c (3, green); the elm d (5, green); the yew none.
/// The oak and the elm are neighbours, and the yew has both in its list.
enum Orchard {
  static func day(_ number: Int) -> Date { Date(timeIntervalSince1970: Double(number) * 86_400) }

  static func realm() throws -> Realm {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Tree.self, Leaf.self]))
    try realm.write {
      let leaves = [("a", 1), ("b", 2), ("c", 3), ("d", 5)].map { leaf($0.0, $0.1) }
      for leaf in leaves { realm.add(leaf) }
      let oak = tree("oak", 20, .rough, leaves: Array(leaves[0...2]))
      oak.marks.append(objectsIn: [1, 9])
      oak.prices["EUR"] = 2
      oak.prices["SEK"] = 20
      oak.words["é"] = "ek"
      oak.note = .fromArray([.int(1), .int(2)])
      oak.notes.append(objectsIn: [.fromArray([.int(1), .int(2)]), .int(7)])
      oak.notesByName["k"] = .fromArray([.int(3)])
      oak.label = Label("Quercus")
      oak.second = .scaly
      let elm = tree("elm", 15, .smooth, leaves: [leaves[3]])
      elm.marks.append(objectsIn: [4, 5])
      elm.prices["EUR"] = 5
      elm.note = .int(1)
      elm.notes.append(objectsIn: [.int(1), .int(2)])
      let yew = tree("yew", 8, .scaly, leaves: [])
      yew.note = .fromDictionary(["k": .fromArray([.int(1), .int(2)])])
      for tree in [oak, elm, yew] { realm.add(tree) }
      oak.neighbour = elm
      elm.neighbour = oak
      yew.neighbours.append(objectsIn: [oak, elm])
    }
    return realm
  }

  private static func leaf(_ name: String, _ number: Int) -> Leaf {
    let leaf = Leaf()
    leaf.name = name
    leaf.other = name == "b" ? "a" : "x"
    leaf.number = number
    leaf.day = day(number)
    leaf.weight = number == 2 ? nil : Double(number) / 2
    leaf.isGreen = number % 2 == 1
    leaf.spots.append(objectsIn: [number, number * 10])
    return leaf
  }

  private static func tree(
    _ name: String, _ height: Int, _ bark: Bark, leaves: [Leaf]
  ) -> Tree {
    let tree = Tree()
    tree.name = name
    tree.height = Metres(height)
    tree.bark = bark
    tree.leaves.append(objectsIn: leaves)
    for leaf in leaves { tree.fallen.insert(leaf) }
    for leaf in leaves { tree.kept[leaf.name] = leaf }
    tree.heights.append(objectsIn: leaves.map { Metres($0.number) })
    tree.barks.append(objectsIn: leaves.isEmpty ? [] : [bark, .smooth])
    tree.dates.append(objectsIn: leaves.map(\.day))
    return tree
  }
}
