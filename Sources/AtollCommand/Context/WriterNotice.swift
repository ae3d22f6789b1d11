import AtollObjects
import AtollStorage

/// Reports on standard error, once, that a command waits for a transaction of another process.
///
/// A process that is stopped within a transaction, by a signal or a debugger, blocks all other
/// writers; without the notice the cause is hard to find.
final class WriterNotice: Sendable {
  private let task: Task<Void, Never>

  /// How many seconds a transaction of another process may take before it is worth a line.
  private static let patience: UInt64 = 2

  init(_ database: Database) {
    task = Task.detached {
      while (try? await Task.sleep(for: .seconds(Self.patience))) != nil {
        let now = SystemCalls.secondsSince1970()
        let others = (try? database.otherProcesses()) ?? []
        let writer = others.first { other in
          other.writingSince.map { DatabaseStatus.age($0, now) >= Self.patience } ?? false
        }
        guard let writer else { continue }
        // A sink of its own, as that of the command belongs to another thread.
        let errors = DescriptorSink.standardError()
        try? errors.write(ProgressBar.cleared("waiting: \(writer.text(now))\n", in: errors))
        try? errors.flush()
        return
      }
    }
  }

  func end() { task.cancel() }
}
