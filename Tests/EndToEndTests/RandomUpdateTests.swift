import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Random updates of the subscriptions of one file that meet: while the block of one runs, others
/// update the set, write, and are the first to use a class.
@Suite(.waiting) struct RandomUpdateTests {
  /// Promise: sets.noLock, sets.failedUpdate.
  @Test func updatesThatMeetAreMadeOneAfterTheOther() async throws {
    let world = try await SyncWorld()
    let user = try await world.device("one").user
    await world.stopServer()
    for seed in seeds(30) {
      // No class is in the file yet.
      var configuration = user.flexibleSyncConfiguration()
      configuration.fileURL = URL(filePath: world.folder.path(of: "\(seed).atoll"))
      configuration.objectTypes = [Task.self, Team.self, Employee.self]
      let program = UpdateProgram(seed, configuration)
      try await onOwnThread { for _ in 0..<6 { try program.update(depth: 0) } }
    }
  }
}

/// Updates, and a plain list beside them that says what they come to.
private final class UpdateProgram: Sendable {
  struct Member: Equatable {
    let id: Int
    let name: String?
    var question: Question
  }

  /// What one subscribes to.
  struct Question: Equatable {
    let className: String
    let word: String
  }

  enum Change {
    case append(Question, name: String?, isUpdating: Bool)
    case ask(Question, name: String)
    case removeNamed(String)
    case removeQuestion(Question)
    case removeClass(String)
    case removeUnnamed
    /// The members that have these ids, which are those with the word.
    case removeWord(String, [Int])
    case removeAll
  }

  struct Refused: Error {}
  struct Abandoned: Error {}

  private struct State {
    var random: SplitMix64
    var members: [Member] = []
    var changeCount = 0
  }

  private static let classes = ["Task", "Team", "Employee"]
  private let seed: UInt64
  private let configuration: Realm.Configuration
  private let state: Mutex<State>

  init(_ seed: UInt64, _ configuration: Realm.Configuration) {
    (self.seed, self.configuration) = (seed, configuration)
    state = Mutex(State(random: SplitMix64(seed: seed)))
  }

  private func number(_ count: Int) -> Int {
    state.withLock { Int.random(in: 0..<count, using: &$0.random) }
  }

  private var members: [Member] { state.withLock { $0.members } }

  /// One update, inside of which there may be others of other realms.
  func update(depth: Int) throws {
    let realm = try Realm(configuration: configuration)
    let set = realm.subscriptions
    var seen = members
    var made: [(id: Int, change: Change)] = []
    var (isRefused, isAbandoned) = (false, false)
    let error = error {
      _ = try set.commit {
        for _ in 0..<(1 + number(5)) {
          if depth < 2, number(3) == 0 {
            let isDone = runsElsewhere(within: 600) { [self] in
              if number(3) == 0 { try write() } else { try update(depth: depth + 1) }
            }
            #expect(isDone, "seed \(seed): waits for its caller")
          } else {
            let (id, change) = (nextID(), makeChange(seen))
            let removedCount = make(change, in: set)
            if !isRefused {
              do {
                #expect(try Self.apply(change, id, to: &seen) == removedCount, "\(change)")
                made.append((id, change))
              } catch { isRefused = true }
            }
          }
          expect(set, seen)
        }
        isAbandoned = number(6) == 0
        if isAbandoned { throw Abandoned() }
      }
    }
    let result = isAbandoned || isRefused ? nil : madeAgain(made)
    #expect((error == nil) == (result != nil), "seed \(seed)")
    #expect(error is Abandoned == isAbandoned, "seed \(seed)")
    if let result {
      state.withLock { $0.members = result }
      expect(set, result)
    }
    expect(realm.subscriptions, members)
  }

  /// What changes make of the members that there are now; nil where one of them cannot be made.
  private func madeAgain(_ changes: [(id: Int, change: Change)]) -> [Member]? {
    var members = members
    do {
      for (id, change) in changes { _ = try Self.apply(change, id, to: &members) }
    } catch { return nil }
    return members
  }

  private func nextID() -> Int {
    state.withLock { state in
      state.changeCount += 1
      return state.changeCount
    }
  }

  private func error(_ body: () throws -> Void) -> (any Error)? {
    do { try body() } catch { return error }
    return nil
  }

  private func write() throws {
    let realm = try Realm(configuration: configuration)
    guard let className = members.first?.question.className else { return }
    try realm.write {
      switch className {
      case "Task": realm.add(Task())
      case "Team": realm.add(Team())
      default: realm.add(Employee(), update: .modified)
      }
    }
  }

  private func expect(_ set: SyncSubscriptionSet, _ members: [Member]) {
    let found = set.map { subscription in
      let word = ["a", "b"].first { subscription.queryString.contains("'\($0)'") } ?? "?"
      return "\(subscription.name ?? "-") \(subscription.objectType) \(word)"
    }
    let wanted = members.map { "\($0.name ?? "-") \($0.question.className) \($0.question.word)" }
    #expect(found == wanted, "seed \(seed)")
  }

  // MARK: Changes

  private func makeChange(_ members: [Member]) -> Change {
    let question = Question(className: Self.classes[number(3)], word: ["a", "b"][number(2)])
    let name = ["x", "y"][number(2)]
    return switch number(12) {
    case 0..<3: .append(question, name: nil, isUpdating: false)
    case 3: .append(question, name: name, isUpdating: false)
    case 4, 5: .append(question, name: name, isUpdating: true)
    case 6: .ask(question, name: name)
    case 7: .removeNamed(name)
    case 8: .removeQuestion(question)
    case 9: .removeClass(question.className)
    case 10: number(2) == 0 ? .removeUnnamed : .removeAll
    default:
      .removeWord(
        question.word, members.filter { $0.question.word == question.word }.map(\.id))
    }
  }

  /// What a change makes of a list.
  ///
  /// - Returns: How many members it removes.
  /// - Throws: `Refused`.
  private static func apply(_ change: Change, _ id: Int, to members: inout [Member]) throws -> Int {
    let count = members.count
    switch change {
    case .append(let question, let name, let isUpdating):
      let index = members.firstIndex {
        $0.name == name && (name != nil || $0.question == question)
      }
      guard let index else {
        members.append(Member(id: id, name: name, question: question))
        return 0
      }
      guard name == nil || isUpdating else { throw Refused() }
      members[index].question = question
    case .ask(let question, let name):
      guard let index = members.firstIndex(where: { $0.name == name }),
        members[index].question.className == question.className
      else { throw Refused() }
      members[index].question = question
    case .removeNamed(let name): members.removeAll { $0.name == name }
    case .removeQuestion(let question): members.removeAll { $0.question == question }
    case .removeClass(let name): members.removeAll { $0.question.className == name }
    case .removeUnnamed: members.removeAll { $0.name == nil }
    case .removeWord(_, let ids): members.removeAll { ids.contains($0.id) }
    case .removeAll: members.removeAll()
    }
    return count - members.count
  }

  /// Makes the change in a set.
  ///
  /// - Returns: How many members it removed.
  private func make(_ change: Change, in set: SyncSubscriptionSet) -> Int {
    switch change {
    case .append(let question, let name, let isUpdating):
      switch question.className {
      case "Task": append(Task.self, question, name, isUpdating, to: set)
      case "Team": append(Team.self, question, name, isUpdating, to: set)
      default: append(Employee.self, question, name, isUpdating, to: set)
      }
      return 0
    case .ask(let question, let name):
      let word = question.word
      switch question.className {
      case "Task":
        set.updateSubscription(named: name, toType: Task.self) { $0.taskName == word }
      case "Team":
        set.updateSubscription(named: name, toType: Team.self) { $0.teamName == word }
      default:
        set.updateSubscription(named: name, toType: Employee.self) { $0.team == word }
      }
      return 0
    case .removeNamed(let name): return set.remove(named: name) ? 1 : 0
    case .removeQuestion(let question):
      let text = Self.text(question)
      return switch question.className {
      case "Task": set.remove(ofType: Task.self, where: text)
      case "Team": set.remove(ofType: Team.self, where: text)
      default: set.remove(ofType: Employee.self, where: text)
      }
    case .removeClass(let name): return set.removeAll(className: name)
    case .removeUnnamed: return set.removeUnnamed()
    case .removeWord(let word, _): return set.remove { $0.queryString.contains("'\(word)'") }
    case .removeAll: return set.removeAll()
    }
  }

  private func append<T: Object>(
    _ type: T.Type, _ question: Question, _ name: String?, _ isUpdating: Bool,
    to set: SyncSubscriptionSet
  ) {
    set.append(
      QuerySubscription<T>(name: name, where: Self.text(question)), updateExisting: isUpdating)
  }

  private static func text(_ question: Question) -> String {
    let property =
      switch question.className {
      case "Task": "taskName"
      case "Team": "teamName"
      default: "team"
      }
    return "\(property) == '\(question.word)'"
  }
}
