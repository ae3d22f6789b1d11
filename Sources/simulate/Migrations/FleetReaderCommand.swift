internal import ArgumentParser
internal import Atoll
internal import Foundation
internal import Synchronization
internal import TestSupport

/// `simulate fleet-reader`: a program of the old version that reads and writes the file of
/// `simulate migrations` while others migrate it.
///
/// It says `begin`; then `count N` for each write that has returned; `wrong WORDS` when it reads what
/// the old version does not have; and, a line having come, `end written` or `end refused`, by whether
/// its last write was committed.
struct FleetReaderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet-reader", abstract: "One of the processes of 'simulate migrations'.",
    shouldDisplay: false)

  @Argument var path: String
  @Option var seed: UInt64
  @Option var step: Int

  /// Whether a line has come.
  private static let isToEnd = Atomic(false)

  func run() throws {
    ChildProcess.ignoreBrokenPipes()
    do { try work() } catch {
      say("wrong \("\(error)".replacing("\n", with: " "))")
    }
  }

  private func work() throws {
    let script = MigrationTrial.scripts(seed)[step]
    var configuration = MigrationTrial.configuration(path, script.oldVersion, UInt64(step) + 1)
    configuration.failureHandler = { _ in }
    let realm = try Realm(configuration: configuration)
    guard let tally = realm.object(ofType: Tally.self, forPrimaryKey: 0) else {
      return say("wrong: there is no tally")
    }
    say("begin")
    Thread.detachNewThread {
      _ = readLine()
      Self.isToEnd.store(true, ordering: .relaxed)
    }
    while true {
      let isLast = Self.isToEnd.load(ordering: .relaxed)
      realm.refresh()
      let found = try FleetState(realm, classNames: script.before.objects.keys)
      if let difference = script.before.difference(from: found) {
        return say("wrong: the old version has \(difference)")
      }
      var isWritten = true
      do {
        try realm.write { tally.count += 1 }
        say("count \(tally.count)")
      } catch let error as Realm.Error where error.code == .schemaMismatch {
        isWritten = false
      }
      if isLast { return say("end \(isWritten ? "written" : "refused")") }
    }
  }

  /// Exits when the output is closed: the listener is gone.
  private func say(_ line: String) {
    if !writeToStandardOutput(line) { Self.exit() }
  }
}
