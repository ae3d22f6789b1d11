import Foundation
import RealmSwift
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct MigratePage {
  /// The class in version 1 of the program.
  class OldPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var firstName: String
    @Persisted var lastName: String
    @Persisted var age: String
    @Persisted var telephone: String

    override class func _realmObjectName() -> String? { "Person" }
  }

  // Page begins here
  class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var fullName: String  // in version 1 firstName and lastName
    @Persisted var age: Int  // in version 1 a text
    @Persisted var phone: String  // in version 1 telephone
  }

  func configuration(of url: URL) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: url, schemaVersion: 2,
      migrationBlock: { migration, oldVersion in
        if oldVersion < 2 {
          migration.renameProperty(onType: "Person", from: "telephone", to: "phone")
          migration.enumerateObjects(ofType: "Person") { old, new in
            guard let old, let new else { return }
            new["fullName"] = "\(old["firstName"] ?? "") \(old["lastName"] ?? "")"
            new["age"] = (old["age"] as? String).flatMap { Int($0) } ?? 0
          }
        }
      },
      objectTypes: [Person.self])
  }

  func migrate(_ url: URL) throws -> Realm {
    try Realm(configuration: configuration(of: url))
  }
  // Page ends here

  // Page begins here
  func whatWouldChange(_ url: URL) throws -> [String] {
    let plan = try Realm.migrationPlan(for: configuration(of: url))
    return plan.changes.filter(\.mayLoseData).map(\.description)
  }
  // Page ends here

  @Test func theBlockMovesTheData() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path(of: "people.realm"))
    do {
      let old = try Realm(
        configuration: Realm.Configuration(
          fileURL: url, schemaVersion: 1, objectTypes: [OldPerson.self]))
      try old.write { old.create(OldPerson.self, value: [1, "Ada", "King", "36", "0123"]) }
    }
    #expect(try whatWouldChange(url).count == 4)
    let realm = try migrate(url)
    let ada = try #require(realm.objects(Person.self).first)
    #expect(ada.fullName == "Ada King" && ada.age == 36 && ada.phone == "0123")
    #expect(try schemaVersionAtURL(url) == 2)
    #expect(try whatWouldChange(url) == [])
  }
}
