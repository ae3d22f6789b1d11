import Foundation
import RealmSwift

// The examples of the manual, `Sources/Atoll/Atoll.docc`: a file for each page, with the name of the
// page. What stands between `// Page begins here` and `// Page ends here` is what the page shows,
// which TidyTests compares line for line; around it stands what checks the example.
//
// These sources are compiled twice, in the language modes of Swift 6 and of Swift 5, as the
// applications that the manual is for are in either.

/// Where the examples run.
enum Manual {
  /// A realm in memory that no other example has.
  static func configuration() -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
  }

  static func realm() throws -> Realm { try Realm(configuration: configuration()) }
}
