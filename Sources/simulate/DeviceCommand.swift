#if Sync
internal import ArgumentParser
internal import Foundation
internal import TestSupport

/// `simulate device`: one of the devices of `simulate devices`, which starts it.
///
/// It receives commands, one on each line: `work`, which has no end; `settle NAME…`, to take these
/// subscriptions and upload; `gather`, to download and write what it sees beside its file. It
/// prints `open`, `commit`, `uploaded`, `gathered`, and `wrong WORDS` when a call failed.
struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "One of the devices of 'simulate devices'.",
    shouldDisplay: false)

  @Argument var folder: String
  @Option var number: Int
  @Option var session: Int
  @Option var address: String
  @Option var seed: UInt64
  @Option var lists = 1

  func run() throws {
    ChildProcess.ignoreBrokenPipes()
    let options = SimulatedDevice.Options(
      folder: folder, number: number, session: session, address: address, seed: seed,
      listOperationCount: lists)
    do {
      let device = try SimulatedDevice(options) { Self.say($0) }
      Self.perform { try await device.open() }
      while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        // It never ends: what comes after it is done beside it.
        case "work": Self.begin { try await device.work() }
        case "settle": Self.perform { try await device.settle(Array(words.dropFirst())) }
        case "gather": Self.perform { try await device.gather() }
        default: Self.say("wrong order: \(line)")
        }
      }
    } catch {
      Self.say("wrong \(error)")
    }
  }

  /// Exits when the output is closed: the listener is gone.
  private static func say(_ line: String) {
    if !writeToStandardOutput(line) { Self.exit() }
  }

  private static func begin(_ body: @escaping @Sendable () async throws -> Void) {
    Task.detached {
      do { try await body() } catch { say("wrong \(error)") }
    }
  }

  /// Waits for the end of what it does.
  private static func perform(_ body: @escaping @Sendable () async throws -> Void) {
    let end = DispatchSemaphore(value: 0)
    Task.detached {
      do { try await body() } catch { say("wrong \(error)") }
      end.signal()
    }
    end.wait()
  }
}
#endif
