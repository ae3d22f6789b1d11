import Foundation
import RealmSwift
import TestSupport
import TestThreads
import Testing

@Suite(.waiting, .hangLimit) struct OpenARealmPage {
  // Page begins here
  class Dog: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
  }

  func addRex(toFile url: URL) throws -> Int {
    let configuration = Realm.Configuration(fileURL: url, objectTypes: [Dog.self])
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    return realm.objects(Dog.self).count
  }
  // Page ends here

  // Page begins here
  func openInMemory() throws -> Realm {
    try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "kennel"))
  }
  // Page ends here

  // Page begins here
  actor Kennel {
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm(configuration: configuration, actor: self)
    }

    func dogCount() -> Int { realm?.objects(Dog.self).count ?? 0 }
  }

  @MainActor func openForTheMainActor(_ configuration: Realm.Configuration) async throws -> Realm {
    try await Realm(configuration: configuration)
  }
  // Page ends here

  // Page begins here
  func open(_ configuration: Realm.Configuration, for queue: DispatchQueue) -> Realm.AsyncOpenTask {
    Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
      switch result {
      case .success(let realm): print("\(realm.objects(Dog.self).count) dogs")
      case .failure(let error): print("not opened: \(error)")
      }
    }
  }
  // Page ends here

  // Page begins here
  func copy(_ realm: Realm, to url: URL) throws {
    try realm.writeCopy(toFile: url)
  }

  func deleteEverything(_ configuration: Realm.Configuration) throws {
    if Realm.fileExists(for: configuration) {
      try Realm.deleteFiles(for: configuration)
    }
  }
  // Page ends here

  @MainActor @Test func aFileKeepsWhatWasWritten() async throws {
    let folder = TemporaryFolder()
    let (url, copied) = (
      URL(filePath: folder.path(of: "a.realm")), URL(filePath: folder.path(of: "b.realm"))
    )
    #expect(try addRex(toFile: url) == 1)
    #expect(try addRex(toFile: url) == 2)
    let configuration = Realm.Configuration(fileURL: url, objectTypes: [Dog.self])
    let kennel = Kennel()
    try await kennel.open(configuration)
    #expect(await kennel.dogCount() == 2)
    try await openForTheMainActor(configuration).writeCopy(toFile: copied)
    let copiedConfiguration = Realm.Configuration(fileURL: copied, objectTypes: [Dog.self])
    #expect(try addRex(toFile: copied) == 3)
    try deleteEverything(copiedConfiguration)
    #expect(!Realm.fileExists(for: copiedConfiguration))
  }

  @Test func aRealmIsOpenedForAQueue() throws {
    let queue = DispatchQueue(label: "kennel")
    open(Manual.configuration(), for: queue).cancel()
    queue.sync {}
  }

  @Test func aRealmInMemoryIsCopiedToAFile() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path(of: "copy.realm"))
    try copy(openInMemory(), to: url)
    #expect(try addRex(toFile: url) == 1)
  }
}
