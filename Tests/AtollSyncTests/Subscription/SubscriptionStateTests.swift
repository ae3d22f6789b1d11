import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// Versions of the set and their states.
@Suite(.computing) struct SubscriptionStateTests {
  @Test func aFileBeginsWithTheEmptySetZero() throws {
    let fixture = try SubscriptionFixture()
    let sets = try fixture.sets
    #expect(sets.latest.version == 0)
    #expect(sets.latest.subscriptions == [])
    #expect(sets.latest.state == .pending)
    #expect(sets.active.version == 0)
    #expect(sets.needsInitialSubscriptions)
    #expect(sets.state(ofVersion: 0) == .pending)
  }

  /// Promise: sets.version.
  @Test func versionsCountUpAndBeginPending() throws {
    let fixture = try SubscriptionFixture()
    #expect(try fixture.update { $0.add("Task", query: "a = 1") }.version == 1)
    #expect(try fixture.update { _ in }.version == 2)
    let sets = try fixture.sets
    #expect(sets.latest.state == .pending)
    #expect(sets.latest.subscriptions.count == 1)
    #expect(sets.pending.map(\.version) == [1, 2])
    #expect(sets.active.version == 0)
    #expect(!sets.needsInitialSubscriptions)
  }

  /// Promise: sets.failedUpdate.
  @Test func aCancelledChangeUsesNoVersion() throws {
    struct Cancelled: Error {}
    let fixture = try SubscriptionFixture()
    #expect(throws: Cancelled.self) {
      try fixture.update { editor in
        editor.add("Task", query: "a = 1")
        throw Cancelled()
      }
    }
    #expect(try fixture.sets.latest.version == 0)
    #expect(try fixture.database.snapshot().outboxCount == 0)
    #expect(try fixture.update { _ in }.version == 1)
  }

  /// R1: the commit of a set takes the next number of the outbox.
  ///
  /// Promise: sets.order.
  @Test func aSetIsCommittedWithItsPlaceInTheOutbox() throws {
    let fixture = try SubscriptionFixture()
    try fixture.update { $0.add("Task", query: "a = 1") }
    try fixture.update { _ in }
    var entries: [OutboxEntry] = []
    try fixture.database.snapshot().forEachOutboxEntry { entry throws(ObjectError) in
      entries.append(entry)
      return true
    }
    #expect(entries.map(\.number) == [1, 2])
    #expect(entries.map(\.content) == [.sets(version: 1), .sets(version: 2)])
    #expect(entries[0].digest != entries[1].digest)
  }

  /// Promise: sets.superseded.
  @Test func completeDeletesLowerVersions() throws {
    let fixture = try SubscriptionFixture()
    for query in ["a = 1", "a = 2", "a = 3"] {
      try fixture.update { $0.add("Task", query: query) }
    }
    try fixture.complete(2)
    let sets = try fixture.sets
    #expect(sets.stored.map(\.version) == [2, 3])
    #expect(sets.state(ofVersion: 0) == .superseded)
    #expect(sets.state(ofVersion: 1) == .superseded)
    #expect(sets.state(ofVersion: 2) == .complete)
    #expect(sets.state(ofVersion: 3) == .pending)
    #expect(sets.active.version == 2)
    #expect(sets.latest.version == 3)
    #expect(sets.active.subscriptions.count == 2)
  }

  /// Promise: sets.errorKeepsActive, sets.goodAfterBad, sets.everyError.
  @Test func aBadSetLeavesTheOneBeforeActive() throws {
    let fixture = try SubscriptionFixture()
    try fixture.update { $0.add("Task", query: "a = 1") }
    try fixture.complete(1)
    try fixture.update { $0.add("Task", query: "bad") }
    try fixture.fail(2, "property 'bad' is not queryable")
    try fixture.update { $0.add("Task", query: "worse") }
    try fixture.fail(3, "neither")
    var sets = try fixture.sets
    #expect(sets.active.version == 1)
    #expect(sets.state(ofVersion: 2) == .error("property 'bad' is not queryable"))
    #expect(sets.state(ofVersion: 3) == .error("neither"))
    // A good set after bad ones works, and takes them away.
    try fixture.update { $0.removeAll("Task", query: "bad") }
    try fixture.complete(4)
    sets = try fixture.sets
    #expect(sets.stored.map(\.version) == [4])
    #expect(sets.state(ofVersion: 2) == .superseded)
  }

  /// Promise: sets.member.
  @Test func theReasonIsThatOfTheMemberUntilTheSetIsChanged() throws {
    let fixture = try SubscriptionFixture()
    try fixture.update { editor in
      editor.add("Task", query: "c")
      editor.add("Task", query: "a")
      try editor.add(name: "same", "Task", query: "c", isUpdating: false)
    }
    // In ascending order, each query once: a, c. What a server names beyond is passed over.
    try fixture.fail(
      1, "c is wrong",
      members: [RefusedMember(index: 1, text: "c"), RefusedMember(index: 7, text: "none")])
    #expect(try fixture.sets.latest.subscriptions.map(\.problem) == ["c", nil, "c"])
    try fixture.update { $0.add("Task", query: "b") }
    #expect(try fixture.sets.latest.subscriptions.allSatisfy { $0.problem == nil })
  }

  /// Promise: bootstrap.complete.
  @Test func bootstrappingIsNotComplete() throws {
    let fixture = try SubscriptionFixture()
    try fixture.update { $0.add("Task", query: "a = 1") }
    try fixture.database.write { try SubscriptionSets.markBootstrapping(version: 1, in: $0) }
    #expect(try fixture.sets.latest.state == .bootstrapping)
    #expect(try fixture.sets.active.version == 0)
    #expect(!SubscriptionState.bootstrapping.isFinal)
    try fixture.complete(1)
    // Nothing makes a complete set less.
    try fixture.database.write { try SubscriptionSets.markBootstrapping(version: 1, in: $0) }
    #expect(try fixture.sets.latest.state == .complete)
  }

  /// What `subscribe` with *on creation* asks, also after a restart.
  ///
  /// Promise: identity.onCreation.
  @Test func aSubscriptionRemembersThatItWasComplete() throws {
    let fixture = try SubscriptionFixture()
    let first = try fixture.update { $0.add("Task", query: "a = 1") }
    try fixture.update { $0.add("Task", query: "a = 2") }
    try fixture.complete(1)
    var latest = try fixture.sets.latest
    #expect(latest.subscriptions.map(\.wasComplete) == [true, false])
    try fixture.update {
      try $0.updateQuery(of: first.subscriptions[0].id, "Task", query: "a = 3")
    }
    latest = try fixture.sets.latest
    #expect(latest.subscriptions.map(\.wasComplete) == [false, false])
  }

  /// Promise: sets.empty.
  @Test func theEmptySetIsLegal() throws {
    let fixture = try SubscriptionFixture()
    try fixture.update { $0.add("Task", query: "a = 1") }
    let set = try fixture.update { $0.removeAll() }
    #expect(set.members == [])
    #expect(set.classNames == [])
    try fixture.complete(2)
    #expect(try fixture.sets.active.subscriptions == [])
  }

  @Test func whatTheServerHearsIsSortedAndHasNoNames() throws {
    let fixture = try SubscriptionFixture()
    let set = try fixture.update {
      $0.add("Team", query: "b")
      try $0.add(name: "secret", "Task", query: "z", isUpdating: false)
      try $0.add(name: "other", "Team", query: "b", isUpdating: false)
      $0.add("Task", query: "a")
    }
    #expect(
      set.members == [
        SetMember(className: "Task", query: "a"), SetMember(className: "Task", query: "z"),
        SetMember(className: "Team", query: "b"),
      ])
    #expect(set.classNames == ["Task", "Team"])
  }

  @Test func setsAreSeenBySnapshotsAsTheyWere() throws {
    let fixture = try SubscriptionFixture()
    try fixture.update { $0.add("Task", query: "a = 1") }
    let before = try fixture.database.snapshot()
    try fixture.update { $0.add("Task", query: "a = 2") }
    try fixture.complete(2)
    #expect(try SubscriptionSets(before).latest.version == 1)
    #expect(try SubscriptionSets(before).state(ofVersion: 1) == .pending)
    // No list of classes shows the tables.
    #expect(try fixture.database.snapshot().schema.classes.isEmpty)
  }
}
