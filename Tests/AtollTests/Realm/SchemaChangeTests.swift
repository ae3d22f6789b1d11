import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

private class FirstBook: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var title: String
  @Persisted var pages: Int
  override class func _realmObjectName() -> String? { "Book" }
}

/// One property more, one that may be nil now, an index.
private class SecondBook: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted(indexed: true) var title: String
  @Persisted var pages: Int?
  @Persisted var authors: List<Author>
  override class func _realmObjectName() -> String? { "Book" }
}

private class Author: Object {
  @Persisted var name: String
  @Persisted(originProperty: "authors") var books: LinkingObjects<SecondBook>
}

/// Three properties of other types, and another primary key.
private class WrongBook: Object {
  @Persisted var _id: String
  @Persisted(primaryKey: true) var title: String
  @Persisted var pages: List<Int>
  override class func _realmObjectName() -> String? { "Book" }
}

private class TwoKeys: Object {
  @Persisted(primaryKey: true) var a: Int
  @Persisted(primaryKey: true) var b: Int
  @Persisted(originProperty: "nothing") var c: LinkingObjects<FirstBook>
}

private class Empty: Object {
  var a = 0
}

private class FlagKey: Object {
  @Persisted(primaryKey: true) var flag: Bool
}

private class Library: Object {
  @Persisted var name: String
}

@Suite(.waiting) struct SchemaChangeTests {
  private let folder = TemporaryFolder()

  private func open(
    _ types: [ObjectBase.Type], _ change: (inout Realm.Configuration) -> Void = { _ in }
  ) throws -> Realm {
    var configuration = Realm.Configuration(
      fileURL: URL(filePath: folder.path(of: "a.realm")), objectTypes: types)
    change(&configuration)
    return try Realm(configuration: configuration)
  }

  private func fill() throws {
    let realm = try open([FirstBook.self])
    try realm.write { realm.create(FirstBook.self, value: [1, "Faust", 300]) }
  }

  @Test func whatIsAddedIsAddedInPlace() throws {
    try fill()
    let realm = try open([SecondBook.self])
    let book = try #require(realm.object(ofType: SecondBook.self, forPrimaryKey: 1))
    #expect(book.title == "Faust" && book.pages == 300 && book.authors.isEmpty)
    try realm.write {
      book.pages = nil
      book.authors.append(Author(value: ["Goethe"]))
    }
    #expect(book.pages == nil && book.authors[0].books.first?.title == "Faust")
    #expect(realm.schema["Book"]?["title"]?.isIndexed == true)
    #expect(realm.schema["Author"]?["books"]?.type == .linkingObjects)
  }

  @Test func whatDoesNotFitIsRefusedWithAllProblems() throws {
    try fill()
    do {
      _ = try open([WrongBook.self])
      Issue.record("a class that does not fit was opened")
    } catch let error as Realm.Error {
      #expect(error.code == .schemaMismatch)
      for word in ["primary key", "Book._id", "Book.pages"] {
        #expect(error.localizedDescription.contains(word))
      }
    }
    #expect(try open([FirstBook.self]).objects(FirstBook.self).count == 1)
  }

  @Test func aFileThatDoesNotFitIsMadeAgainOnDemand() throws {
    try fill()
    let realm = try open([WrongBook.self]) { $0.deleteRealmIfMigrationNeeded = true }
    #expect(realm.isEmpty)
  }

  @Test(arguments: [
    (TwoKeys.self as ObjectBase.Type, ["2 primary keys", "'nothing'"]),
    (Empty.self, ["no @Persisted properties"]), (FlagKey.self, ["cannot be a primary key"]),
  ])
  func declarationsThatContradictThemselvesAreRefused(type: ObjectBase.Type, words: [String])
    throws
  {
    do {
      _ = try open([type])
      Issue.record("\(type) was opened")
    } catch let error as Realm.Error {
      for word in words { #expect(error.localizedDescription.contains(word)) }
    }
  }

  @Test func twoClassesOfOneNameAreRefusedWithBothNames() throws {
    do {
      _ = try open([FirstBook.self, SecondBook.self])
      Issue.record("two classes of one name were opened")
    } catch let error as Realm.Error {
      #expect(error.localizedDescription.contains("FirstBook"))
      #expect(error.localizedDescription.contains("SecondBook"))
    }
  }

  @Test func classesOfTheFileThatTheCodeDoesNotKnowStay() throws {
    try fill()
    do { _ = try open([Library.self]) }
    #expect(try open([FirstBook.self]).objects(FirstBook.self).count == 1)
  }

  @Test func aClassIsAddedAtItsFirstMention() throws {
    let realm = try makeRealm()
    #expect(realm.objects(Library.self).isEmpty)
    realm.beginWrite()
    realm.create(FirstBook.self, value: [1, "Faust", 300])
    realm.cancelWrite()
    #expect(realm.objects(FirstBook.self).isEmpty)
    try realm.write { realm.create(FirstBook.self, value: [1, "Faust", 300]) }
    #expect(realm.objects(FirstBook.self).count == 1)
  }

  @Test func aClassThatIsNotAmongTheTypesEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      _ = try makeRealm([Library.self]).objects(FirstBook.self)
    }
  }

  @Test func askedForHowMuchIsFreeTheFileIsCompacted() throws {
    try fill()
    let asked = Asked()
    let realm = try open([FirstBook.self]) {
      $0.shouldCompactOnLaunch = { total, used in
        asked.note(total, used)
        return true
      }
    }
    #expect(asked.isPlausible)
    #expect(realm.objects(FirstBook.self).first?.title == "Faust")
  }
}

// SAFETY: asked once, before it is read.
private final class Asked: @unchecked Sendable {
  private var numbers = (0, 0)
  func note(_ total: Int, _ used: Int) { numbers = (total, used) }
  var isPlausible: Bool { numbers.1 > 0 && numbers.0 >= numbers.1 }
}
