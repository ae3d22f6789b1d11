import Foundation
import RealmSwift
import TestThreads
import Testing

@Suite(.computing) struct PortFromRealmSwiftPage {
  // Page begins here
  class Dog: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var tricks: List<String>

    required init() {
      super.init()
      tricks.append("sit")
    }
  }
  // Page ends here

  // Page begins here
  @MainActor func open(
    _ configuration: Realm.Configuration, progress: @escaping @Sendable (Double) -> Void
  ) async throws -> Realm {
    try await withCheckedThrowingContinuation { (opened: CheckedContinuation<Void, any Error>) in
      let task = Realm.asyncOpen(configuration: configuration) { result in
        opened.resume(with: result.map { _ in })
      }
      task.addProgressNotification { progress($0.progressEstimate) }
    }
    return try await Realm(configuration: configuration)
  }
  // Page ends here

  @MainActor @Test func aRealmIsOpenedWithProgress() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let realm = try await open(
      Realm.Configuration(fileURL: folder.appending(path: "a.realm"), objectTypes: [Dog.self])
    ) { _ in }
    try await realm.asyncWrite { realm.create(Dog.self, value: ["name": "Rex"]) }
    #expect(realm.objects(Dog.self).count == 1)
  }

  #if !swift(>=6)
  /// What is compiled as Swift 5 need not say that its blocks are `@Sendable`.
  @Test func blocksOfSwift5NeedNotBeSendable() throws {
    let isWasteful: (Int, Int) -> Bool = { total, used in total > 2 * used }
    let migrate: (Migration, UInt64) -> Void = { _, _ in }
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, migrationBlock: migrate,
      shouldCompactOnLaunch: isWasteful, objectTypes: [Dog.self])
    configuration.migrationBlock = migrate
    configuration.shouldCompactOnLaunch = isWasteful
    let name: (Dog) -> String = { $0.name }
    let realm = try Realm(configuration: configuration)
    let sections = realm.objects(Dog.self)
      .sectioned(by: name, sortDescriptors: [SortDescriptor(keyPath: "name")])
    #expect(sections.allKeys.isEmpty)
  }
  #endif

  @Test func aModelMayHaveAnInitialiser() throws {
    let realm = try Manual.realm()
    try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    #expect(realm.objects(Dog.self).first.map { Array($0.tricks) } == ["sit"])
  }
}
