import Foundation
import Synchronization
import TestThreads
import Testing

@testable import Atoll

/// What a user of a server is: its key is the user's id.
class Employee: Object {
  @Persisted(primaryKey: true) var _id: String
  @Persisted var team: String?
  @Persisted var isAdmin: Bool
}

/// Of a device that has it before the server may take it in.
private class Latecomer: Object {
  @Persisted(primaryKey: true) var _id: String
  @Persisted var value: String
}

/// A server that leaves development and gets rules.
@Suite(.waiting) struct RulesTests {
  private static let rules = """
    userData: Employee
    login:
      password: true
      registration: false
    queryable:
      Task: [assignee, taskName]
      Employee: [isAdmin]
    roles:
      Employee:
        - {name: admin, when: isAdmin == true, read: true, write: true, insert: true}
        - {name: self, read: _id == $user.id}
      Measurement:
        - {name: sensor, insert: value < 10}
      Task:
        - {name: admin, when: isAdmin == true, read: true, write: true, insert: true, delete: true}
        - name: member
          read: assignee == $user.data.team
          write: assignee == $user.data.team
          insert: true
          properties: {progressMinutes: none, dueDate: read}
    """

  private func add(_ names: [String: String], _ device: TestDevice) async throws {
    try await device.write { realm in
      for (name, team) in names {
        let task = Task()
        task._id = ObjectId.generate()
        task.taskName = name
        task.assignee = team
        task.progressMinutes = 7
        realm.add(task)
      }
    }
  }

  private func names(_ device: TestDevice) async throws -> [String] {
    try await device.read { realm in realm.objects(Task.self).map(\.taskName).sorted() }
  }

  /// Promise: rights.filter, rights.properties, rights.change.
  @Test func everyUserGetsWhatTheRulesAllowAndNoMore() async throws {
    let world = try await SyncWorld()
    let root = try await world.device("root")
    let ann = try await world.device("ann")
    let ids = (root: root.user.id, ann: ann.user.id)
    try await root.update { set in
      set.append(QuerySubscription<Task>(name: "tasks"))
      set.append(QuerySubscription<Employee>(name: "employees"))
    }
    try await root.write { realm in
      realm.create(Employee.self, value: ["_id": ids.root, "isAdmin": true])
      realm.create(Employee.self, value: ["_id": ids.ann, "team": "a"])
    }
    try await root.write { $0.create(Measurement.self, value: ["value": 1]) }
    try await add(["one": "a", "two": "b"], root)
    try await root.upload()

    await world.stopServer()
    try await world.startServer(rules: Self.rules)
    try await ann.update { $0.append(QuerySubscription<Task>(name: "tasks")) }
    #expect(try await names(ann) == ["one"])
    let minutes = try await ann.read { $0.objects(Task.self).first?.progressMinutes }
    #expect(minutes == 0)

    // Inserting objects that are never read needs no other right.
    try await ann.write { realm in
      realm.create(Measurement.self, value: ["value": 2])
      realm.create(Measurement.self, value: ["value": 50])
    }
    try await ann.upload()
    let refused = try await ann.session()?.refusedChanges() ?? []
    #expect(refused.map(\.objectType) == ["Measurement", "Measurement"])
    #expect(refused.map(\.valueText) == [nil, "50"])

    // What is refused is undone and reported, what is allowed arrives.
    try await add(["mine": "a", "theirs": "b"], ann)
    try await ann.synchronize()
    try await eventually { try await self.names(ann) == ["mine", "one"] }
    try await eventually { !world.refusals.withLock(\.isEmpty) }
    try await eventually { try await self.names(root) == ["mine", "one", "two"] }
    let reasons = world.refusals.withLock { $0.map(\.localizedDescription) }
    #expect(reasons.contains { $0.contains("role 'member'") }, "\(reasons)")

    // A role that changes reaches the device while it is connected.
    try await root.write { realm in
      realm.object(ofType: Employee.self, forPrimaryKey: ids.ann)?.team = "b"
    }
    try await eventually { try await self.names(ann) == ["two"] }
    try await root.write { realm in
      realm.object(ofType: Employee.self, forPrimaryKey: ids.ann)?.isAdmin = true
    }
    try await eventually { try await self.names(ann) == ["mine", "one", "two"] }
    try await eventually {
      try await ann.read { realm in
        realm.objects(Task.self).filter("taskName == 'two'").first?.progressMinutes == 7
      }
    }

    // Nor does anyone get an account, or ask for what is not queryable.
    let error = await #expect(throws: AppError.self) { _ = try await world.device("eve") }
    #expect(error?.localizedDescription.contains("makes no accounts") == true)
    await #expect(throws: (any Error).self) {
      try await ann.update {
        $0.append(QuerySubscription<Task>(name: "bad") { $0.progressMinutes > 1 })
      }
    }
    await world.stopServer()
    #expect(try world.stored("Measurement") == ["1", "2"])
  }

  /// Promise: refusals.schemaAgain.
  @Test func classesThatWereRefusedAreTakenInWhenTheRulesAllowIt() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await device.upload()
    await world.stopServer()
    try await world.startServer(rules: Self.rules)
    try await device.mentionLatecomer()
    func refusalCount() -> Int {
      world.refusals.withLock { errors in
        errors.count { $0.localizedDescription.contains("the server has no Latecomer") }
      }
    }
    try await eventually { refusalCount() == 1 }
    try await device.reconnect()
    try await device.synchronize()
    #expect(refusalCount() == 1)

    await world.stopServer()
    // No device is connected: later writes still follow the classes in the outbox.
    try await device.change { $0.append(QuerySubscription<Latecomer>()) }
    try await device.write { _ = $0.create(Latecomer.self, value: ["_id": "a", "value": "b"]) }
    try await world.startServer()
    try await device.waitForSubscriptions(timeout: 600)
    try await device.upload()
    #expect(refusalCount() == 1)
    await world.stopServer()
    #expect(try world.stored("Latecomer").map { $0.contains("b") } == [true])
  }
}

extension TestDevice {
  /// Adds the class to the file, as an application does that names no classes.
  fileprivate func mentionLatecomer() async throws {
    var configuration = configuration
    configuration.objectTypes = nil
    forgetRealm()
    let realm = try await Realm(configuration: configuration, actor: self)
    opened = realm
    try await realm.asyncWrite {
      realm.delete(realm.create(Latecomer.self, value: ["_id": "none", "value": "none"]))
    }
  }
}
