import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// Identity, duplicates and removal: one test for each rule.
@Suite(.computing) struct SubscriptionRuleTests {
  /// As the macro, for what changes an editor.
  private func check(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
  }

  /// Promise: identity.unnamed.
  @Test func anUnnamedSubscriptionIsItsClassAndQuery() throws {
    let fixture = try SubscriptionFixture()
    let first = try fixture.update { check($0.add("Task", query: "progressMinutes > 60")) }
    let second = try fixture.update { check(!$0.add("Task", query: "progressMinutes > 60")) }
    #expect(second.subscriptions.count == 1)
    #expect(second.subscriptions[0].id == first.subscriptions[0].id)
    #expect(second.subscriptions[0].createdAt == first.subscriptions[0].createdAt)
    #expect(second.subscriptions[0].updatedAt > first.subscriptions[0].updatedAt)
  }

  /// Promise: identity.text.
  @Test func queriesAreEqualByTheirBytes() throws {
    let fixture = try SubscriptionFixture()
    let set = try fixture.update {
      $0.add("Task", query: "a = 1 AND b = 2")
      $0.add("Task", query: "b = 2 AND a = 1")
      $0.add("Team", query: "a = 1 AND b = 2")
    }
    #expect(set.subscriptions.count == 3)
    // Two spellings of one text find different objects, and are two names.
    let spellings = ["name == 'caf\u{e9}'", "name == 'cafe\u{301}'"]
    let other = try SubscriptionFixture()
    let both = try other.update {
      for query in spellings { check($0.add("Task", query: query)) }
      for query in spellings {
        try check($0.add(name: query, "Task", query: query, isUpdating: false))
      }
    }
    #expect(both.subscriptions.count == 4 && both.members.count == 2)
    for query in spellings {
      let named = try #require(both.first(named: query))
      #expect(named.query.utf8.elementsEqual(query.utf8))
    }
    let rest = try other.update { check($0.remove(named: spellings[1])) }
    #expect(rest.first(named: spellings[0]) != nil && rest.first(named: spellings[1]) == nil)
  }

  /// Promise: identity.namedBesideUnnamed.
  @Test func namedAndUnnamedWithOneQueryAreTwo() throws {
    let fixture = try SubscriptionFixture()
    let set = try fixture.update {
      $0.add("Task", query: "TRUEPREDICATE")
      try check($0.add(name: "all", "Task", query: "TRUEPREDICATE", isUpdating: false))
    }
    #expect(set.subscriptions.count == 2)
    let other = try SubscriptionFixture()
    let reversed = try other.update {
      try $0.add(name: "all", "Task", query: "TRUEPREDICATE", isUpdating: false)
      check($0.add("Task", query: "TRUEPREDICATE"))
    }
    #expect(reversed.subscriptions.count == 2)
    #expect(reversed.members.count == 1)
  }

  /// Promise: identity.twoNames.
  @Test func oneQueryUnderTwoNamesIsTwo() throws {
    let fixture = try SubscriptionFixture()
    let set = try fixture.update {
      try $0.add(name: "x", "Task", query: "TRUEPREDICATE", isUpdating: false)
      try $0.add(name: "y", "Task", query: "TRUEPREDICATE", isUpdating: false)
    }
    #expect(set.subscriptions.map(\.name) == ["x", "y"])
  }

  /// Promise: sets.failedUpdate, identity.name, identity.update.
  @Test func aTakenNameIsRefusedUnlessItIsUpdated() throws {
    let fixture = try SubscriptionFixture()
    let first = try fixture.update {
      try $0.add(name: "mine", "Task", query: "completed = true", isUpdating: false)
    }
    #expect(throws: SubscriptionError.nameTaken("mine")) {
      try fixture.update {
        try $0.add(name: "mine", "Task", query: "completed = true", isUpdating: false)
      }
    }
    #expect(try fixture.sets.latest.version == 1)
    // Names count across classes.
    let second = try fixture.update {
      try check(!$0.add(name: "mine", "Team", query: "TRUEPREDICATE", isUpdating: true))
    }
    #expect(second.subscriptions.count == 1)
    #expect(second.subscriptions[0].className == "Team")
    #expect(second.subscriptions[0].query == "TRUEPREDICATE")
    #expect(second.subscriptions[0].id == first.subscriptions[0].id)
    #expect(second.subscriptions[0].createdAt == first.subscriptions[0].createdAt)
    #expect(second.subscriptions[0].updatedAt > first.subscriptions[0].updatedAt)
  }

  /// Promise: identity.updateQuery.
  @Test func updatingAQueryKeepsIdAndTimeOfCreation() throws {
    let fixture = try SubscriptionFixture()
    let first = try fixture.update {
      $0.add("Team", query: "a = 1")
      try $0.add(name: "n", "Team", query: "a = 1", isUpdating: false)
    }
    let second = try fixture.update {
      try $0.updateQuery(of: first.subscriptions[0].id, "Team", query: "a = 2")
      try $0.updateQuery(of: first.subscriptions[1].id, "Team", query: "a = 3")
    }
    #expect(second.subscriptions.map(\.query) == ["a = 2", "a = 3"])
    #expect(second.subscriptions.map(\.id) == first.subscriptions.map(\.id))
    #expect(second.subscriptions.map(\.createdAt) == first.subscriptions.map(\.createdAt))
    #expect(second.subscriptions[0].updatedAt > first.subscriptions[0].updatedAt)
  }

  /// Promise: identity.otherClass.
  @Test func updatingToAnotherClassIsRefused() throws {
    let fixture = try SubscriptionFixture()
    let set = try fixture.update { $0.add("Team", query: "a = 1") }
    #expect(throws: SubscriptionError.otherClass(expected: "Team", found: "Task")) {
      try fixture.update {
        try $0.updateQuery(of: set.subscriptions[0].id, "Task", query: "a = 1")
      }
    }
    #expect(throws: SubscriptionError.noSuchSubscription) {
      try fixture.update {
        try $0.updateQuery(
          of: ObjectID(seconds: 9, random: 9, counter: 9), "Team", query: "a = 1")
      }
    }
  }

  /// Promise: identity.meeting.
  @Test func anUnnamedOneThatComesToEqualAnotherTakesItsPlace() throws {
    let fixture = try SubscriptionFixture()
    let first = try fixture.update {
      $0.add("Team", query: "a = 1")
      $0.add("Team", query: "a = 2")
    }
    let second = try fixture.update {
      try $0.updateQuery(of: first.subscriptions[1].id, "Team", query: "a = 1")
    }
    #expect(second.subscriptions.map(\.id) == [first.subscriptions[1].id])
  }

  /// Promise: identity.find.
  @Test func findingByQueryTakesTheFirstOfAnyName() throws {
    let fixture = try SubscriptionFixture()
    let set = try fixture.update {
      try $0.add(name: "n", "Team", query: "a = 1", isUpdating: false)
      $0.add("Team", query: "a = 1")
    }
    #expect(set.first("Team", query: "a = 1")?.name == "n")
    #expect(set.unnamed("Team", query: "a = 1")?.id == set.subscriptions[1].id)
    #expect(set.first(named: "n")?.id == set.subscriptions[0].id)
    #expect(set.first(named: "N") == nil)
    #expect(set.first("Task", query: "a = 1") == nil)
  }

  /// Promise: identity.remove.
  @Test func removalCountsAndKeepsTheOrder() throws {
    let fixture = try SubscriptionFixture()
    let set = try fixture.update {
      $0.add("Team", query: "a = 1")
      try $0.add(name: "x", "Team", query: "a = 1", isUpdating: false)
      $0.add("Task", query: "b = 1")
      try $0.add(name: "y", "Task", query: "b = 2", isUpdating: false)
      $0.add("Task", query: "b = 3")
    }
    let ids = set.subscriptions.map(\.id)
    try fixture.update {
      check($0.remove(ids[2]))
      check(!$0.remove(ids[2]))
      check($0.subscriptions.map(\.id) == [ids[0], ids[1], ids[3], ids[4]])
      check($0.remove(named: "y"))
      check(!$0.remove(named: "y"))
      check($0.removeUnnamed("Team", query: "a = 1"))
      check(!$0.removeUnnamed("Team", query: "a = 1"))
      check($0.removeAll("Team", query: "a = 1") == 1)
      check($0.removeAll(ofClass: "Team") == 0)
      check($0.removeAllUnnamed() == 1)
      check($0.removeAll() == 0)
    }
    #expect(try fixture.sets.latest.subscriptions == [])
    try fixture.update {
      $0.add("Team", query: "a = 1")
      try $0.add(name: "x", "Team", query: "a = 2", isUpdating: false)
      $0.add("Task", query: "a = 1")
      check($0.removeAll(ofClass: "Team") == 2)
      check($0.removeAll() == 1)
    }
  }
}
