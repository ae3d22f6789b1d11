import Foundation
import TestThreads
import Testing

@testable import Atoll

/// An object that a realm does not hold equals none that it holds.
///
/// One that no realm manages, or that was deleted, used to end the process; one of another file was
/// taken for the object with its key.
@Suite(.computing) struct AskedObjectTests {
  /// Objects that the realm does not hold: with a primary key, and without.
  private static func strangers(_ realm: Realm) throws -> (trees: [Tree], leaves: [Leaf]) {
    let unmanaged = Tree()
    unmanaged.name = "elm"
    let elsewhere = try Orchard.realm()
    let foreign = try #require(elsewhere.object(ofType: Tree.self, forPrimaryKey: "elm"))
    let foreignLeaf = try #require(elsewhere.objects(Leaf.self).first)
    let deleted = Tree()
    deleted.name = "fir"
    let deletedLeaf = Leaf()
    try realm.write {
      realm.add(deleted)
      realm.add(deletedLeaf)
    }
    try realm.write {
      realm.delete(deleted)
      realm.delete(deletedLeaf)
    }
    return ([unmanaged, foreign, deleted], [Leaf(), foreignLeaf, deletedLeaf])
  }

  @Test func aConditionFindsNothingAndItsNegationEverything() throws {
    let realm = try Orchard.realm()
    let trees = realm.objects(Tree.self)
    let (strangers, leaves) = try Self.strangers(realm)
    for tree in strangers {
      #expect(trees.where { $0.neighbour == tree }.isEmpty)
      #expect(trees.where { $0.neighbour != tree }.count == 3)
      #expect(trees.where { !($0.neighbour == tree) }.count == 3)
      #expect(trees.where { $0.neighbour.in([tree]) }.isEmpty)
      #expect(trees.where { $0.neighbours.contains(tree) }.isEmpty)
      #expect(trees.where { !$0.neighbours.contains(tree) }.count == 3)
      #expect(trees.where { $0.neighbours.containsAny(in: [tree]) }.isEmpty)
      #expect(trees.where { $0.neighbours == tree }.isEmpty)
      #expect(trees.where { $0.note == .object(tree) }.isEmpty)
      #expect(trees.where { $0.note != .object(tree) }.count == 3)
      #expect(trees.where { $0.note.in([.object(tree), .int(1)]) }.map(\.name) == ["elm"])
      #expect(trees.where { $0.note == .fromArray([.object(tree)]) }.isEmpty)
      #expect(trees.where { $0.note == .fromDictionary(["k": .object(tree)]) }.isEmpty)
      #expect(trees.where { $0.notes.contains(.object(tree)) }.isEmpty)
    }
    for leaf in leaves {
      #expect(trees.where { $0.leaves.contains(leaf) }.isEmpty)
      #expect(trees.where { $0.fallen == leaf }.isEmpty)
      #expect(trees.where { $0.kept.values == leaf }.isEmpty)
      #expect(trees.where { $0.kept["a"] == leaf }.isEmpty)
      #expect(trees.where { $0.kept["a"] != leaf }.count == 3)
    }
  }

  @Test func aTextFindsNothingAndItsNegationEverything() throws {
    let realm = try Orchard.realm()
    let trees = realm.objects(Tree.self)
    let (strangers, leaves) = try Self.strangers(realm)
    for tree in strangers {
      #expect(trees.filter("neighbour == %@", tree).isEmpty)
      #expect(trees.filter("NOT neighbour == $0", tree).count == 3)
      #expect(trees.filter("neighbour IN %@", [tree]).isEmpty)
      #expect(trees.filter("%@ IN neighbours", tree).isEmpty)
      #expect(trees.filter("NONE neighbours == %@", tree).count == 3)
      #expect(trees.filter("note == %@", tree).isEmpty)
      #expect(trees.filter(NSPredicate(format: "neighbour != %@", tree)).count == 3)
    }
    for leaf in leaves { #expect(trees.filter("ANY leaves == %@", leaf).isEmpty) }
  }

  @Test func collectionsDoNotHaveIt() throws {
    let realm = try Orchard.realm()
    let (strangers, leaves) = try Self.strangers(realm)
    let trees = realm.objects(Tree.self)
    let yew = try #require(realm.object(ofType: Tree.self, forPrimaryKey: "yew"))
    let oak = try #require(realm.object(ofType: Tree.self, forPrimaryKey: "oak"))
    for tree in strangers {
      #expect(trees.index(of: tree) == nil)
      #expect(yew.neighbours.index(of: tree) == nil)
      #expect(!yew.neighbours.contains(tree))
      #expect(oak.notes.index(of: .object(tree)) == nil)
      #expect(oak.notes.index(of: .fromArray([.object(tree)])) == nil)
    }
    for leaf in leaves {
      #expect(oak.leaves.index(of: leaf) == nil)
      #expect(!oak.fallen.contains(leaf))
    }
    let held = try #require(oak.leaves.first)
    #expect(oak.leaves.index(of: held) == 0)
    #expect(oak.fallen.contains(held))
  }

  @Test func objectsOfTheFileAreFoundThroughEachOfItsRealms() throws {
    let realm = try Orchard.realm()
    let elm = try #require(realm.object(ofType: Tree.self, forPrimaryKey: "elm"))
    let leaf = try #require(elm.leaves.first)
    #expect(realm.objects(Tree.self).where { $0.neighbour == elm.freeze() }.map(\.name) == ["oak"])
    #expect(realm.freeze().objects(Tree.self).where { $0.neighbour == elm }.map(\.name) == ["oak"])
    #expect(realm.objects(Tree.self).where { $0.leaves.contains(leaf.freeze()) }.count == 1)
    #expect(realm.objects(Tree.self).filter("ANY leaves == %@", leaf).map(\.name) == ["elm"])
    #expect(realm.objects(Tree.self).where { $0.note == .object(elm) }.isEmpty)
  }

  @Test func anObjectThatIsDeletedIsNotTheOneThatTakesItsKey() throws {
    let realm = try makeRealm([Keeper.self, Hound.self, Address.self, Room.self])
    let (old, new, other) = (Keeper(), Keeper(), Keeper())
    (old._id, new._id, other._id) = (1, 1, 2)
    try realm.write {
      realm.add(old)
      realm.add(other)
    }
    try realm.write { realm.delete(old) }
    try realm.write {
      realm.add(new)
      other.friend = new
    }
    let keepers = realm.objects(Keeper.self)
    #expect(keepers.where { $0.friend == old }.isEmpty)
    #expect(keepers.filter("friend == %@", old).isEmpty)
    #expect(keepers.index(of: old) == nil)
    #expect(keepers.where { $0.friend == new }.map(\._id) == [2])
  }
}
