import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Realms that end while others of their place are opened.
@Suite(.computing) struct OpenRealmsTests {
  private let folder = TemporaryFolder()

  private var configuration: Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(filePath: folder.path(of: "a.realm")), objectTypes: [Dog.self])
  }

  /// The last reference goes on one thread while another one finds the realm, or does not any more.
  @Test func aRealmEndsWhileItsPlaceIsAskedForIt() throws {
    let queue = DispatchQueue(label: "open realms")
    let configuration = configuration
    for _ in 0..<500 {
      var kept: Realm? = try queue.sync { try Realm(configuration: configuration, queue: queue) }
      queue.async {
        let realm = try? Realm(configuration: configuration, queue: queue)
        #expect(realm?.objects(Dog.self).count == 0)
      }
      withExtendedLifetime(kept) {}
      kept = nil
    }
    queue.sync {}
    #expect(try Realm.deleteFiles(for: configuration))
  }

  @Test func aRealmIsTheOneOfItsPlaceAsLongAsItIsThere() throws {
    let first = try Realm(configuration: configuration)
    #expect(try Realm(configuration: configuration) == first)
    try first.write { first.create(Dog.self, value: ["id": 1]) }
    let object = first.objects(Dog.self).first
    // The object keeps it.
    #expect(try Realm(configuration: configuration).objects(Dog.self).first?.realm == object?.realm)
    #expect(throws: Realm.Error(.alreadyOpen)) { try Realm.deleteFiles(for: configuration) }
  }
}
