import AtollTesting
import Foundation
import Observation
import Testing

import Atoll
import TestThreads

/// What a view shows of a realm, through the module Observation.
@MainActor @Suite(.waiting, .hangLimit) struct ObservableTests {
  /// A view model that stands on results, and says nothing of where they come from.
  @MainActor @Observable final class NoteList {
    @ObservationIgnored private let notes: Results<Note>
    var isShouting = false

    init(_ realm: Realm) { notes = realm.objects(Note.self).sorted(byKeyPath: "text") }

    var lines: [String] { notes.map { isShouting ? $0.text.uppercased() : $0.text } }
  }

  /// Each state that a view shows, until it shows `last`.
  private func states(
    of list: NoteList, until last: [String]
  ) -> _Concurrency.Task<[[String]], Never> {
    _Concurrency.Task {
      var states: [[String]] = []
      for await lines in Observations({ list.lines }) {
        states.append(lines)
        if lines == last { break }
      }
      return states
    }
  }

  @Test func aViewModelIsToldOfTheChangesOfAnotherDevice() async throws {
    let server = try await TestServer()
    let (phone, tablet) = (try await server.device("ann"), try await server.device("bob"))
    let (onPhone, onTablet) = (try await openNotes(phone), try await openNotes(tablet))
    let list = NoteList(onPhone)
    let states = states(of: list, until: ["BUY MILK"])
    try await onTablet.asyncWrite { _ = onTablet.create(Note.self, value: ["text": "milk"]) }
    try await server.synchronize()
    let note = try #require(onTablet.objects(Note.self).first)
    try await onTablet.asyncWrite { note.text = "buy milk" }
    try await server.synchronize()
    list.isShouting = true
    #expect(await states.value.last == ["BUY MILK"])
    await server.stop()
  }
}
