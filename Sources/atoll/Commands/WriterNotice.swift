import AtollObjects
import AtollStorage

/// Says on standard error, once, that a command waits for a transaction of another process.
///
/// Whoever stopped a process in the middle of a transaction, or left it in a debugger, does not know
/// otherwise why nobody else gets on.
final class WriterNotice: Sendable {
  private let task: Task<Void, Never>

  /// A longer transaction of another process is worth a line.
  private static let patience = Duration.seconds(2)

  init(
    _ database: Database,
    secondsSince1970: @escaping @Sendable () -> UInt64 = SystemCalls.secondsSince1970
  ) {
    task = Task.detached {
      while (try? await Task.sleep(for: Self.patience)) != nil {
        let now = secondsSince1970()
        let others = (try? database.otherProcesses()) ?? []
        guard let writer = others.first(where: { $0.isWriting(for: Self.patience, now) }) else {
          continue
        }
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

extension DatabaseStatus.ProcessStatus {
  fileprivate func isWriting(for duration: Duration, _ now: UInt64) -> Bool {
    writingSince.map { Duration.seconds(Int64(clamping: DatabaseStatus.age($0, now))) >= duration }
      ?? false
  }
}
