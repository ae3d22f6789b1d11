import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Random reads in blocks of `withObservationTracking`, and random writes: a block that
/// would read something else now was told, and one that has read a single property was told of no
/// other.
@Suite(.computing) struct RandomTrackingTests {
  @Test(arguments: 0..<40) func everyChangeIsTold(seed: UInt64) throws {
    var program = try Program(SplitMix64(seed: seed))
    for _ in 0..<25 { try program.step() }
  }

  /// Something that can be read, and what it reads now.
  private struct Reader {
    let name: String
    /// The property that it reads, and nothing else; nil where it reads more.
    let property: Property?
    let read: () -> String
  }

  /// A property of a dog.
  private struct Property: Hashable {
    let dog: Int
    let name: String
  }

  private struct Program {
    private var random: SplitMix64
    private let configuration: Realm.Configuration
    private let realm: Realm
    private let queue = DispatchQueue(label: "random tracking")
    /// Instances that were made before, which may be gone, and a list and results that were.
    private var kept: [Dog] = []
    private let dogsOfAnn: List<Dog>
    private let tagsOfAnn: List<String>
    private let old: Results<Dog>
    /// What the present step has set, made or deleted.
    private var touched: Set<Property> = []
    /// Those of objects of which it gave an instance to `delete`, which stays invalid if it is undone.
    private var givenUp: Set<Property> = []

    init(_ random: SplitMix64) throws {
      self.random = random
      // Without a list of classes: some come in the middle of a write.
      configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
      let realm = try Realm(configuration: configuration)
      self.realm = realm
      try realm.write {
        for id in 0..<6 { realm.create(Dog.self, value: ["id": id, "name": "a", "age": id]) }
        for name in ["Ann", "Bob"] { realm.create(Person.self, value: ["name": name]) }
      }
      let ann = realm.object(ofType: Person.self, forPrimaryKey: "Ann") ?? Person()
      (dogsOfAnn, tagsOfAnn) = (ann.dogs, ann.tags)
      old = realm.objects(Dog.self).where { $0.age > 4 }
    }

    private mutating func number(_ range: Range<Int>) -> Int {
      Int.random(in: range, using: &random)
    }

    // MARK: Reading

    private mutating func reader() -> Reader {
      let (realm, id, bound) = (realm, number(0..<9), number(0..<9))
      func dog() -> Dog? { realm.object(ofType: Dog.self, forPrimaryKey: id) }
      func ann() -> Person? { realm.object(ofType: Person.self, forPrimaryKey: "Ann") }
      func reader(_ name: String, _ property: String?, _ read: @escaping () -> String) -> Reader {
        let isThere = dog() != nil
        return Reader(
          name: "\(name) of \(id), \(bound)",
          property: isThere ? property.map { Property(dog: id, name: $0) } : nil, read: read)
      }
      switch number(0..<17) {
      case 0, 1: return reader("name", "name") { dog()?.name ?? "-" }
      case 2: return reader("age", "age") { "\(dog()?.age ?? -1)" }
      case 3: return reader("age by name", "age") { "\(dog()?["age"] ?? -1)" }
      case 4: return reader("existence", nil) { "\(dog() != nil)" }
      case 5: return reader("count", nil) { "\(realm.objects(Dog.self).count)" }
      case 6:
        return reader("older", nil) {
          realm.objects(Dog.self).where { $0.age > bound }.map { "\($0.id)" }.joined(separator: " ")
        }
      case 7:
        return reader("sorted", nil) {
          realm.objects(Dog.self).sorted(byKeyPath: "name").map { "\($0.id)" }
            .joined(separator: " ")
        }
      case 8: return reader("sum", nil) { "\(realm.objects(Dog.self).sum(of: \.age) as Int)" }
      case 9: return reader("dogs", nil) { ann()?.dogs.map { $0.name }.joined() ?? "-" }
      case 10: return reader("tags", nil) { "\(ann()?.tags.count ?? -1) \(ann()?.tags.last ?? "")" }
      case 11:
        return reader("old dogs of hers", nil) {
          "\(ann()?.dogs.filter("age > \(bound)").count ?? -1)"
        }
      case 13:
        let dogs = dogsOfAnn
        return reader("kept dogs", nil) { "\(dogs.count) \(dogs.map { $0.age })" }
      case 14:
        let tags = tagsOfAnn
        return reader("kept tags", nil) { "\(tags.count) \(tags.first ?? "")" }
      case 15:
        let old = old
        return reader("kept results", nil) { "\(old.map { $0.id }) \(old.count)" }
      case 12: return reader("boss", nil) { "\(ann()?.boss?.age ?? -1)" }
      default:
        guard let kept = kept.randomElement(using: &random) else { return self.reader() }
        return Reader(name: "a kept one", property: nil) {
          kept.isInvalidated ? "gone" : "\(kept.name) \(kept.age)"
        }
      }
    }

    // MARK: Writing

    /// A few changes of an open write.
    private mutating func change(_ realm: Realm) {
      for _ in 0..<number(1..<4) {
        let id = number(0..<9)
        let dog = realm.object(ofType: Dog.self, forPrimaryKey: id)
        let ann = realm.object(ofType: Person.self, forPrimaryKey: "Ann")
        switch number(0..<10) {
        case 0, 1:
          touched.insert(Property(dog: id, name: "name"))
          dog?.name = String("abc".randomElement(using: &random) ?? "a")
        case 2, 3:
          touched.insert(Property(dog: id, name: "age"))
          dog?.age = number(0..<9)
        case 4:
          touched.formUnion(["name", "age"].map { Property(dog: id, name: $0) })
          realm.create(Dog.self, value: ["id": id, "name": "a", "age": id], update: .all)
        case 5:
          let properties = ["name", "age"].map { Property(dog: id, name: $0) }
          touched.formUnion(properties)
          givenUp.formUnion(properties)
          if let dog { realm.delete(dog) }
        case 6: if let dog { ann?.dogs.append(dog) }
        case 7: if number(0..<3) == 0 { ann?.tags.removeAll() } else { ann?.tags.append("t\(id)") }
        case 8:
          ann?.boss = realm.object(ofType: Person.self, forPrimaryKey: "Bob")
          ann?.boss?.age = number(0..<9)
        default:
          // A class that may be new to the file, in the middle of the write.
          realm.create(Latecomer.self, value: ["number": id])
        }
      }
    }

    mutating func step() throws {
      (touched, givenUp) = ([], [])
      if number(0..<4) == 0, let dog = realm.objects(Dog.self).randomElement(using: &random) {
        kept.append(dog)
      }
      let readers = (0..<number(1..<8)).map { _ in reader() }
      var values: [String] = []
      let waiting = readers.map { reader in
        Tracked { values.append(reader.read()) }
      }
      switch number(0..<5) {
      case 0:
        realm.beginWrite()
        change(realm)
        realm.cancelWrite()
        touched = givenUp
      case 1:
        try changeElsewhere()
        realm.refresh()
      case 2:
        try changeElsewhere()
        try realm.write { change(realm) }
      default: try realm.write { change(realm) }
      }
      for ((reader, value), waiting) in zip(zip(readers, values), waiting) {
        let now = reader.read()
        if now != value { #expect(waiting.isTold, "\(reader.name): \(value) is \(now) now") }
        if let property = reader.property, !touched.contains(property) {
          #expect(!waiting.isTold, "\(reader.name) is \(now) still")
        }
      }
    }

    private mutating func changeElsewhere() throws {
      // The realm of another thread, which goes on with the same random numbers.
      var other = self
      let configuration = configuration
      try queue.sync {
        let realm = try Realm(configuration: configuration, queue: queue)
        try realm.write { other.change(realm) }
      }
      (random, touched) = (other.random, other.touched)
    }
  }
}

/// A class that no test uses before.
class Latecomer: Atoll.Object {
  @Persisted var number: Int
}
