import Foundation
import RealmSwift
import TestThreads
import Testing

// The classes of the pages on subscriptions. `Task` hides Swift's own in this file.

private class Task: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var taskName: String
  @Persisted var assignee: String?
  @Persisted var completed: Bool
  @Persisted var progressMinutes: Int
  @Persisted var dueDate: Date
}

private class Team: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var teamName: String
  @Persisted var tasks: List<Task>
  @Persisted var members: List<String>
}

/// What the pages write, as far as it needs no server.
@Suite(.waiting) struct TeamsAndTasksTests {
  private func fill(_ realm: Realm) throws {
    try realm.write {
      let task = Task()
      task.taskName = "Write docs"
      task.assignee = "Joe Doe"
      task.progressMinutes = 75
      task.dueDate = Date(timeIntervalSinceNow: 3_600)
      let done = Task(value: ["taskName": "Plan", "completed": true, "progressMinutes": 130])
      let team = Team(value: ["teamName": "Developer Education", "tasks": [task, done]])
      team.members.append(objectsIn: ["Bob Smith", "Joe Doe"])
      realm.add(team)
      realm.create(Team.self, value: ["teamName": "Engineering", "members": ["Jane"]])
    }
  }

  /// Promise: shape.queries.
  @Test func theQueriesOfThePagesFindTheirObjects() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Task.self, Team.self]))
    try fill(realm)
    #expect(realm.objects(Task.self).where { $0.progressMinutes >= 60 }.count == 2)
    #expect(realm.objects(Team.self).where { $0.members.contains("Bob Smith") }.count == 1)
    #expect(realm.objects(Task.self).where { $0.completed == false }.count == 1)
    let long = realm.objects(Task.self).where { $0.completed == true && $0.progressMinutes > 120 }
    #expect(long.first?.taskName == "Plan")
    let secondsInAWeek: TimeInterval = 604_800
    let recent = realm.objects(Task.self).where {
      $0.dueDate > Date.now - secondsInAWeek && $0.dueDate < Date.now + secondsInAWeek
    }
    #expect(recent.count == 2)
    #expect(realm.objects(Team.self).filter("teamName == $0", "Engineering").count == 1)
    let teams = realm.objects(Team.self).sorted(byKeyPath: "teamName", ascending: false)
    #expect(teams.map(\.teamName) == ["Engineering", "Developer Education"])
    #expect("\(teams.count) teams" == "2 teams")
  }

  /// Promise: shape.models, shape.actors.
  @MainActor
  @Test func realmsOfActorsOpenAsThePagesOpenThem() async throws {
    var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    configuration.objectTypes = [Task.self, Team.self]
    let realm = try await Realm(configuration: configuration)
    try await realm.asyncWrite { try? fillInside(realm) }
    let task = try #require(realm.objects(Task.self).first)
    try realm.write { task.assignee = nil }
    #expect(task.assignee == nil && task.freeze().taskName == "Only")
    let swiftTask = _Concurrency.Task { 1 }
    #expect(await swiftTask.value == 1)
  }

  private func fillInside(_ realm: Realm) throws {
    realm.create(Task.self, value: ["taskName": "Only"])
  }

  /// Promise: shape.models.
  @Test func aListOfTasksFollowsItsTeam() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    try fill(realm)
    let team = try #require(realm.objects(Team.self).first { $0.teamName != "Engineering" })
    try realm.write {
      team.tasks[0].progressMinutes += 5
      team.tasks.append(Task(value: ["taskName": "Third"]))
      team.members.remove(at: 0)
    }
    #expect(team.tasks.map(\.progressMinutes) == [80, 130, 0])
    #expect(Array(team.members) == ["Joe Doe"])
    #expect(realm.objects(Task.self).count == 3)
  }
}
